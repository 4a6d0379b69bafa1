/* The connection of one PCM to the service: what the service says, and who it is to. */
#ifndef RINGER_LINK_H
#define RINGER_LINK_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include "protocol/pcm_protocol.h"

struct link {
    struct sockaddr_un address;
    struct ringer_pcm_packet hello;
    int socket;           /* -1 where there is none */
    pid_t process;        /* the one that connected: after a fork the child connects on its own */
    int64_t next_attempt; /* nanoseconds of CLOCK_MONOTONIC */
    int64_t started;      /* since when the stream, or its session, plays or records; 0 if it does not: as next_attempt */
    bool announced;       /* the service was told on this connection that the stream runs */
    bool over;            /* an interruption ended without leave to resume: silent until link_tell */
    bool accepted;        /* the service has answered, and `state` and `gain` are its word */
    int refusal;          /* why the service that is there refused last; 0 if it did not, or there is none */
    char why[120];        /* the sentence of that refusal */
    int state;
    uint32_t gain;
    unsigned int ramp; /* milliseconds: how long the last change of the gain takes */
    int flags; /* of the stream: what the service said last, or what `hello` lets expect */
    int64_t waits; /* since when a service that is there has not accepted; 0 if there is none: as next_attempt */
    int64_t heard; /* when the service said something last, and when it was asked since; 0 if it was not: as next_attempt */
    int64_t asked;
    bool hangs; /* the service has not answered for 2 s: it was asked while the stream ran, or has not accepted */
};

/* Connects, and waits at most `milliseconds` for the answer. Later losses of the connection are mended by link_update. */
void link_open(struct link *link, int milliseconds);
/* Reads what the service has said, without waiting; connects again where it is due. It neither allocates nor locks. */
void link_update(struct link *link);
/* Asks a service that has said nothing for a second whether it is there, without waiting, and notices one that does not
   answer, or that has not accepted. Called after link_update while the stream runs, as often as it may be; nothing is asked between two calls. */
void link_ask(struct link *link);
/* Says that the stream has started or stopped, without waiting. */
void link_tell(struct link *link, bool started);
/* Closes the connection. */
void link_close(struct link *link);

#endif
