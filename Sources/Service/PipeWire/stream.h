/* A stream of a program: its node, its connection to the service, and what the service's word makes of its converter. */
#ifndef RINGER_STREAM_H
#define RINGER_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <pipewire/pipewire.h>
#include <spa/utils/list.h>

#include "../ALSAPlugin/link.h"
#include "category.h"
#include "converter.h"

/* An echo may be late by as many writes. */
#define MARKS 16

struct stream {
    struct spa_list link; /* in `streams` of the context */
    struct context *context;
    uint32_t id;
    struct pw_node *node;
    struct spa_hook listener;
    struct converter converter;
    char name[32], why[128]; /* the program's name; the refusal that was reported last */
    struct pw_properties *properties; /* the node's */
    struct pw_client *client;         /* whose properties are waited for, or followed; NULL */
    struct spa_hook client_listener;
    struct pw_properties *client_properties;
    struct spa_source *wait;
    bool waited; /* the client has not answered in time */
    struct category category;
    bool judged;             /* its properties are known, and either it has a connection or it passes */
    bool passes;             /* it was judged already, or is the end of a loopback or filter into which what was judged goes */
    bool running;

    struct link service;
    int64_t planned, planned_running; /* the next attempt, and when it were if the stream ran: as next_attempt */
    unsigned int refusals;            /* in a row, but TOO_MANY */
    int watched; /* the descriptor of `source`; -1 */
    struct spa_source *source;

    /* What was decided and written. */
    bool silent;
    float target, gain;   /* gain moves to target in steps */
    float step;           /* of the gain, every STEP_MILLISECONDS */
    bool soft_in_force;   /* soft volumes were written, and not given back since */
    bool echoed;          /* the converter has said what was written last */
    float marks[MARKS];   /* the first soft volumes that were written last; the newest is that of `writes` */
    unsigned int writes;
    float written_volumes[SPA_AUDIO_MAX_CHANNELS]; /* the user's, with which the newest was computed */
    bool written_mute;
    unsigned int unechoed; /* how many soft volumes were written since one was echoed */
    bool holds;            /* none is written until one is echoed */
    int64_t repeated;      /* when the newest was last echoed again, in nanoseconds of CLOCK_MONOTONIC */
    unsigned int repeats;  /* how often in a row */
    float written_max;     /* -1 before the first */
    bool confirmed;        /* the converter has said it, or nothing was written */
    int64_t unconfirmed;   /* since when it has not, as `repeated` */
    unsigned int patience; /* how many seconds it has before it is written again; doubled each time */
    struct spa_source *ramp, *again;
    unsigned int agains; /* how often it was written again since the last change of others */
};

/* The one connection to PipeWire. */
struct context {
    struct pw_loop *loop;
    struct pw_registry *registry;
    struct rules rules;
    struct spa_list streams;
    struct spa_list sinks; /* of sink.h */
    bool verbose;
    /* Called when a stream appears, goes, or waits for another time. */
    void (*reschedule)(struct context *context);
};

/* Begins to follow a node, which the stream owns; NULL without memory. */
struct stream *stream_new(struct context *context, uint32_t id, struct pw_node *node);
void stream_free(struct stream *stream);
/* Judges it, again where its properties, its client's or the sinks are others now. */
void stream_consider(struct stream *stream);
/* Reads what the service has said, connects anew where that is due, and asks a service that says nothing. */
void stream_update(struct stream *stream);
/* When stream_update is due, in nanoseconds of CLOCK_MONOTONIC; INT64_MAX if never. */
int64_t stream_due(const struct stream *stream, int64_t now);

/* Between a stream's four files. */

#define MILLISECOND 1000000LL
#define STEP_MILLISECONDS 5

/* stream.c */
void stream_set_timer(struct stream *stream, struct spa_source *timer, unsigned int milliseconds);
void __attribute__((format(printf, 2, 3))) stream_report(const struct stream *stream, const char *format, ...);
/* CLOCK_MONOTONIC in nanoseconds. */
int64_t stream_now(void);

/* client.c */
/* Whether the stream's client is waited for, whose properties a rule asks for. The stream was born silent. */
bool stream_waits_for_client(struct stream *stream);
/* The client has not answered in time. */
void stream_on_no_client(void *stream, uint64_t expirations);
void stream_close_client(struct stream *stream);

/* volume.c */
/* Makes the converter what was decided. `anew`: its soft values may not be in force. */
void stream_apply(struct stream *stream, bool anew);
void stream_step(void *stream, uint64_t expirations);
void stream_write_again(void *stream, uint64_t expirations);
void stream_confirm(struct stream *stream);
void stream_on_param(
    void *stream, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param);

/* service.c */
void stream_greet(struct stream *stream, const struct spa_dict *properties);
void stream_decide(struct stream *stream);
/* Called after all that may open or close the connection, before another descriptor can have its number. */
void stream_watch(struct stream *stream);

#endif
