// What the files of the SIP endpoint share. All of it is used on the endpoint's thread alone.
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include "CSIP.h"
#include "secure.h"
#include "sound.h"

#include <pthread.h>
#include <re.h>
#include <semaphore.h>

enum {
    MOST_CALLS = 16,
    CALL_DESCRIPTORS = 2,  // the ports for RTP and RTCP
    MOST_RESERVED = MOST_CALLS * CALL_DESCRIPTORS,
    LONGEST_NAME = 256,    // of a Call-ID or a caller, for the handler
};

// What callers may send and ask for.
#define CALL_HEADERS "Allow: INVITE,ACK,BYE,CANCEL,OPTIONS,INFO\r\nSupported: replaces\r\n"

// At one registrar.
struct registration {
    struct handset_sip *sip;
    struct sipreg *client;
    // By then it must have answered, also to the next refresh.
    struct tmr deadline;
    uint32_t number;
    // Of the realm that was answered since the last success.
    uint32_t realm;
};

struct handset_sip {
    pthread_t thread;
    sem_t started;
    sem_t serves;
    int error;
    struct handset_sip_options options;
    struct sa local;

    struct dnsc *dns;
    struct sip *stack;
    struct tls *tls;
    struct sip_lsnr *screen;
    struct sip_lsnr *others;
    struct sipsess_sock *sessions;
    struct mqueue *commands;
    struct tmr stopping;
    struct list calls;
    struct registration registrations[HANDSET_SIP_REGISTRARS];
    // Descriptors for the calls that there may be: strangers' connections leave them these.
    int reserve[MOST_RESERVED];
    uint32_t last;
    bool stops;
};

struct call {
    struct le le;
    struct handset_sip *sip;
    struct sipsess *session;
    struct sdp_session *sdp;
    struct sdp_media *audio;
    struct sound *sound;
    // Of a call over TLS, whose sound is encrypted.
    struct secure *secure;
    struct tmr closing;
    // When its caller wants no answer any more.
    struct tmr expiry;
    // Call-ID, tag and number of its INVITE.
    char *identity;
    struct sa source;
    uint32_t number;
    bool answered;
};

void endpoint_report(struct handset_sip *sip, const struct handset_sip_event *event);

// MARK: - Options

// Copies the strings. Whether there was memory for all; else the others are to be freed.
bool options_copy(struct handset_sip_options *options);

void options_free(struct handset_sip_options *options);

// MARK: - Transports

// Listens as the options say; sets the port.
int transports_listen(struct handset_sip *sip);

// MARK: - Calls

// The call of that number; NULL if it is over.
struct call *call_find(const struct handset_sip *sip, uint32_t number);

// A call without a session yet. Released with mem_deref.
int call_make(struct call **callp, struct handset_sip *sip, const struct sip_msg *message);

// Whether the INVITE is that of a call, and came another way.
bool call_is_merged(const struct handset_sip *sip, const struct sip_msg *message);

// Gives the call a description of its own, which has its port and codecs.
int call_describe(struct call *call);

// Sends and takes what both sides have agreed upon. ENOENT if that is nothing.
int call_negotiate(struct call *call);

// Takes the caller's offer. ENOENT where the message has none, EPROTONOSUPPORT where it has another body.
int call_take_offer(struct call *call, const struct sip_msg *message);

// Sends 180, and takes what the session reports from then on.
int call_accept(struct call *call, const struct sip_msg *message);

// What the session asks for and hears within a call: the answer to an offer, an answer, an INFO; and digits in RTP.
int call_offered(struct mbuf **answer, const struct sip_msg *message, void *arg);
int call_completed(const struct sip_msg *message, void *arg);
void call_informed(struct sip *stack, const struct sip_msg *message, void *arg);
void call_dialled(char digit, void *arg);

// Another caller takes the place of the one of an answered call, which gets BYE. If it fails, the call goes on as it was.
int call_replace(struct call *call, const struct sip_msg *message);

// The call that the INVITE is to replace. 0, or the status that refuses it.
uint16_t replaces_find(struct call **callp, const struct handset_sip *sip, const struct sip_msg *message);

// Sends 200, if it rings.
void call_answer(struct call *call);

// Refuses the call, if it rings.
void call_refuse(struct call *call, uint16_t status, const char *reason);

// Ends the call, with BYE or what the session still owes, and reports it.
void call_close(struct call *call, int status);

// MARK: - Requests

// Refuses what libre lets pass and RFC 3261 forbids. Whether it did.
bool request_screened(const struct sip_msg *message, void *arg);

// Whether the text is a decimal number up to that one.
bool request_is_number(const struct pl *text, uint64_t most);

// The header that answers a Require header; "" if it is too long.
const char *request_unsupported(char *header, size_t size, const struct sip_hdr *required);

// An INVITE that belongs to no call.
void request_invited(const struct sip_msg *message, void *arg);

// Requests outside of calls: a PBX asks with OPTIONS whether the handset is there. Whether it was answered.
bool request_other(const struct sip_msg *message, void *arg);

// MARK: - Descriptions

// The SDP of a message, whole or as a part of its body. ENOENT without a body, EPROTONOSUPPORT with another one.
int description_read(struct mbuf **description, const struct sip_msg *message);

// MARK: - Registration

// Registers, and goes on refreshing until it fails. Nothing if it does already.
void registration_begin(struct registration *registration);

// Ends the registration, at the registrar too.
void registration_end(struct registration *registration);

// MARK: - Descriptors

// Keeps the descriptors of as many calls as there may be more.
void reserve_fill(struct handset_sip *sip);

// Closes as many of them.
void reserve_empty(struct handset_sip *sip, uint32_t count);

#endif
