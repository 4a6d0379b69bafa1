// Encryption of a call's sound: SRTP (RFC 3711) with keys in the description (RFC 4568), which TLS protects.
#ifndef SECURE_H
#define SECURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <re.h>

// The keys of one call. Nothing unencrypted is sent or taken by its socket; before there are keys, nothing at all.
struct secure;

// Makes the key of this side, and describes it.
int secure_alloc(struct secure **securep, struct rtp_sock *rtp, struct sdp_media *media);

// Takes the caller's key out of what it has described. ENOENT without one that can be used; 0 where `secure` is NULL.
int secure_negotiate(struct secure *secure, struct sdp_media *media);

#endif
