/* What a stream's sound is for: the category and options with which the service judges it. */
#ifndef RINGER_CATEGORY_H
#define RINGER_CATEGORY_H

#include <stdbool.h>
#include <stddef.h>

#include <pipewire/properties.h>
#include <spa/utils/dict.h>

#define RULES_PATH "/etc/ringer/pipewire.conf"

struct category {
    char name[24], options[64];
    bool passes; /* it was judged before it came here */
};

/* The media.role of a stream that was judged already: of the ALSA plug-in `ringer` whose slave is PipeWire. */
#define ROLE_JUDGED "ringer-judged"

/* A line of the file: streams whose property has this value. */
struct rule {
    char property[32], value[96];
    struct category category;
};

struct rules {
    struct rule *rules;
    size_t count;
    struct category otherwise; /* of streams that nothing else fits */
    bool plays_unreachable;    /* a service that is not there silences nothing */
    bool broken;               /* the file has an error: its rules and the table of roles do not hold */
    char socket[100];
};

/* Reads the file; one that is missing has no rules. Each line that is wrong is reported on standard error. With one, or a file that
   cannot be read, no stream is heard at silent by what the file may have meant: all but those that name their category themselves
   are `ambient`. */
void rules_read(struct rules *rules, const char *path);
/* Whether a rule asks for what a stream's program has said of its client alone. */
bool rules_need_client(const struct rules *rules, const struct spa_dict *stream);
/* Adds what its client says of the program. */
void add_client(struct pw_properties *stream, const struct spa_dict *client);
/* The category of a stream with these properties: its own word, the first rule that fits, its role, or that of all others. */
struct category categorize(const struct rules *rules, const struct spa_dict *properties);

#endif
