// A SIP endpoint that is called: INVITE over UDP and TCP, G.711 over RTP, and the PCM of the call. By libre.
//
// Everything of it runs on one thread that handset_sip_start makes, and that sleeps until a message, a packet, a timer of
// a transaction or a command comes. Untrusted messages are parsed on that thread and on no other.
#ifndef CSIP_H
#define CSIP_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct handset_sip;

enum handset_sip_event_kind {
    // A call rings: 180 was sent. `call` is its number, `call_id` its Call-ID, `peer` the caller's address.
    HANDSET_SIP_INCOMING,
    // A call was refused without ringing, with `status`. It has no number.
    HANDSET_SIP_REFUSED,
    // The call of that number has another caller, who took the place of the one before: `call_id` and `peer` are its.
    HANDSET_SIP_REPLACED,
    // The caller has dialled `digit`; `reason` is the way, RTP or INFO.
    HANDSET_SIP_DIGIT,
    // An accepted call is over, and its PCM is closed. Sent once for each call, whichever side ended it.
    HANDSET_SIP_CLOSED,
    // The call's audio could not be opened yet; it is tried again every 0.5 s. Sent once for each call.
    HANDSET_SIP_AUDIO_FAILED,
    // Registered at the registrar of the number `call`, for `seconds`. Sent again with each refresh.
    HANDSET_SIP_REGISTERED,
    // Not registered there, or not any more: with `status`, where it answered, and `reason`. Nothing more follows.
    HANDSET_SIP_UNREGISTERED,
    // The answer to HANDSET_SIP_ASK.
    HANDSET_SIP_ANSWERS,
};

enum { HANDSET_SIP_REGISTRARS = 2 };

struct handset_sip_event {
    enum handset_sip_event_kind kind;
    uint32_t call;
    // 0, or the SIP status that refused or ended the call.
    int status;
    // How much of the caller's sound was written to the PCM, in milliseconds.
    uint32_t heard;
    // For how long a registration was granted.
    uint32_t seconds;
    // Valid during the call of the handler.
    const char *_Nullable call_id;
    const char *_Nullable peer;
    const char *_Nullable reason;
    // One of 0 to 9, *, #, A to D.
    const char *_Nullable digit;
    // The Alert-Info header of an incoming call; "" without one.
    const char *_Nullable alert;
};

// Who calls: what the From header says, "" where it says nothing or too much, and the address that the INVITE came from.
struct handset_sip_caller {
    const char *user;
    const char *host;
    const char *source;
};

enum {
    HANDSET_SIP_ADMITTED = 0,
    HANDSET_SIP_FORBIDDEN = UINT32_MAX,
};

// Whether the caller may ring: one of the values above, or in how many seconds it may try again. Called as the handler is.
typedef uint32_t handset_sip_screen(void *_Nullable context, const struct handset_sip_caller *caller);

// Called on the endpoint's own thread. It must not block.
typedef void handset_sip_handler(void *_Nullable context, const struct handset_sip_event *event);

struct handset_sip_options {
    // The address to listen at, IPv4 or IPv6, which callers reach; not the unspecified one.
    const char *address;
    // 0: one that is free.
    uint16_t port;
    bool udp;
    bool tcp;
    // TLS in their place: a PEM file of the certificate and its key; the authorities of callers' certificates, NULL where they
    // need none. The sound of calls is encrypted then (SRTP), or they are refused.
    const char *_Nullable certificate;
    const char *_Nullable authorities;
    // How many calls there may be at a time; more are refused with 486.
    uint32_t calls;
    // Descriptors of this process above this number are not used: connections of strangers are refused then.
    uint32_t descriptors;
    // Ends a call in which neither RTP nor RTCP arrived for so long, in milliseconds; 0: never.
    uint32_t silence_limit;
    // The same for a call on hold, whose caller said that it sends nothing.
    uint32_t hold_limit;
    // ALSA PCMs for the caller's sound and for the microphone.
    const char *playback;
    const char *capture;
    // The account, "sip:USER@DOMAIN"; NULL where there is none, and nothing to register.
    const char *_Nullable address_of_record;
    const char *_Nullable user;
    const char *_Nullable password;
    // Where it registers, "sip:HOST:PORT", from the first; NULL for none.
    const char *_Nullable registrars[HANDSET_SIP_REGISTRARS];
    // For how long it asks to be registered, in seconds.
    uint32_t lifetime;
    handset_sip_screen *screen;
    handset_sip_handler *handler;
    void *_Nullable context;
};

enum handset_sip_command {
    HANDSET_SIP_ANSWER,      // 200 to a ringing call. Its sound waits for HANDSET_SIP_OPEN_AUDIO.
    HANDSET_SIP_OPEN_AUDIO,  // Opens the PCMs of an answered call
    HANDSET_SIP_MUTE,        // The caller is not heard, and hears silence
    HANDSET_SIP_UNMUTE,
    HANDSET_SIP_REFUSE,      // 486 to a ringing call
    HANDSET_SIP_GIVE_UP,     // 480 to a ringing call
    HANDSET_SIP_HANG_UP,     // BYE to an answered call
    // With the number of a registrar in place of a call's.
    HANDSET_SIP_REGISTER,
    HANDSET_SIP_UNREGISTER,
    // Is the thread alive? HANDSET_SIP_ANSWERS follows. Without a number.
    HANDSET_SIP_ASK,
};

// Starts the thread and listens; what arrives waits for handset_sip_serve. Copies the strings of `options`. Returns NULL
// with an errno in `*error`.
struct handset_sip *_Nullable handset_sip_start(const struct handset_sip_options *options, int *error);

// Reads what arrives, and calls the handler from now on.
void handset_sip_serve(struct handset_sip *sip);

// The port that it listens at.
uint16_t handset_sip_port(const struct handset_sip *sip);

// Does something with a call, from any thread. Does nothing if the call is over.
void handset_sip_send(struct handset_sip *sip, enum handset_sip_command command, uint32_t call);

// Ends all calls, with BYE or 480, waits at most 0.5 s for the answers, and frees everything. Not from the handler.
void handset_sip_stop(struct handset_sip *sip);

#pragma clang assume_nonnull end

#endif
