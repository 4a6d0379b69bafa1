// Digits that a caller dials during a call.
#ifndef DIGITS_H
#define DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <re.h>

// What is known of the events of a stream of RTP.
struct digits {
    uint32_t timestamp;
    uint64_t at;
};

// The digit of a packet of RFC 4733, once for each event, whose packets have one timestamp; 0 for none.
char digits_of_packet(struct digits *digits, const struct rtp_header *header, struct mbuf *packet);

// The digit in the body of an INFO, as of Cisco and others; 0 for none.
char digits_of_info(const struct sip_msg *message);

#endif
