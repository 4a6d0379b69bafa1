/*
 * What the ALSA plug-in `ringer` and the service say to each other, over a socket of type SOCK_SEQPACKET.
 *
 * Every packet, in both directions, is one struct of this size, in the machine's byte order; unused bytes are zero. The
 * kernel says who the plug-in's process is (SO_PEERCRED). The first packet is the plug-in's HELLO, within 2 s; the service
 * answers with ACCEPTED or REFUSED. Then the plug-in says when its stream starts and stops, and the service says STATE
 * whenever that changes. The service closes the connection after a packet that it does not understand.
 *
 * ACCEPTED and STATE name what holds now or, for a stream that has not started, what would hold if it started now: the
 * plug-in starts without waiting for an answer.
 *
 * A service whose ACCEPTED has the flag ANSWERS says STATE after each PING, once the device's thread, which reads the switch,
 * has had its turn. One without the flag does not know PING. Who does not know a flag ignores it.
 */
#ifndef RINGER_PCM_PROTOCOL_H
#define RINGER_PCM_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RINGER_PCM_VERSION 1
#define RINGER_PCM_SOCKET "/run/ringer/pcm"
/* A gain of 1. */
#define RINGER_PCM_FULL_GAIN 65536
/* How long a change of the gain takes where no ramp is said. */
#define RINGER_PCM_RAMP_MILLISECONDS 20

/* Kinds of packets. */
enum {
    RINGER_PCM_HELLO = 1,
    RINGER_PCM_STARTED = 2,
    RINGER_PCM_STOPPED = 3,
    RINGER_PCM_PING = 4,
    RINGER_PCM_ACCEPTED = 16,
    RINGER_PCM_REFUSED = 17,
    RINGER_PCM_STATE = 18,
};

/* The value of HELLO: the stream's direction. */
enum { RINGER_PCM_PLAYBACK = 0, RINGER_PCM_CAPTURE = 1 };

/* The value of ACCEPTED and STATE: whether the stream's sound is heard. */
enum {
    /* It is heard, at the gain of the packet. */
    RINGER_PCM_HEARD = 0,
    /* The rules silence it: the switch, the lock. */
    RINGER_PCM_SILENCED = 1,
    /* Another session, or an interruption from outside, silences it, and it is heard again afterwards. */
    RINGER_PCM_INTERRUPTED = 2,
};

/* The flags of HELLO. */
enum {
    /* The stream runs: STARTED follows, which ACCEPTED answers. */
    RINGER_PCM_RUNS = 1,
    /* The process plays nothing itself: its streams are those of other programs, each of which has a number, in `gain`. Streams of
       different numbers share no session, and they count to what their user may have, not to what one process may have. A service
       that does not know the flag treats them as one program's. */
    RINGER_PCM_FOR_OTHERS = 2,
};

/* The flags of ACCEPTED, the last one also of STATE. */
enum {
    /* The service answers PING. */
    RINGER_PCM_ANSWERS = 1,
    /* The switch does not silence the stream. */
    RINGER_PCM_IGNORES_SWITCH = 2,
    /* An interruption of the stream, which runs, ended without leave to resume: it is silent until it starts anew. The plug-in
       says to the next service that the stream does not run. */
    RINGER_PCM_OVER = 4,
};

/* The value of REFUSED: why. */
enum {
    /* Another version of this protocol. */
    RINGER_PCM_VERSION_UNKNOWN = 1,
    /* The user may not play. */
    RINGER_PCM_NOT_PERMITTED = 2,
    /* There are too many connections. */
    RINGER_PCM_TOO_MANY = 3,
    /* There is no such category, or it does not have these options. */
    RINGER_PCM_CATEGORY_UNKNOWN = 4,
};

struct ringer_pcm_packet {
    uint8_t version;
    uint8_t kind;
    uint8_t value;
    uint8_t flags;    /* in HELLO, ACCEPTED and STATE */
    uint32_t gain;    /* in ACCEPTED and STATE; in HELLO with FOR_OTHERS the program's number */
    /* Texts, each of which ends with a zero byte. */
    union {
        struct { /* in HELLO */
            char category[24];
            char options[64]; /* names of category options, separated by blanks */
            char name[32];    /* the program's, for people */
        };
        char why[120]; /* in REFUSED, with TOO_MANY: the limit, in a sentence; empty where the service says none */
        /* In STARTED, for a stream that runs since before the connection: when it started, in nanoseconds of CLOCK_MONOTONIC.
           What began later may interrupt it. 0 for one that starts now.
           In ACCEPTED and STATE, for a stream that runs: when its session was activated, which the plug-in says to the next
           service. 0 where it is inactive, and from services that do not say it. */
        uint64_t since;
        struct { /* in ACCEPTED and STATE */
            uint64_t unused;
            /* How long the change to the gain of the packet takes, in milliseconds and 1 more. 0 from services that do not say
               it: 20 ms. */
            uint16_t ramp;
        };
    };
};

/* Whether the switch silences no stream of this category and these options, as the packet's texts. The service says it too,
   in ACCEPTED; this is for a plug-in that has no answer yet. */
static inline bool ringer_pcm_ignores_switch(const char *category, const char *options)
{
    return strcmp(category, "ambient") != 0 && strcmp(category, "soloAmbient") != 0 &&
        strstr(options, "honoursRingSilentSwitch") == NULL;
}

#endif
