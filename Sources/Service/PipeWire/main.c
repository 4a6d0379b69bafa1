/*
 * ringer-pipewire: programs that play over PipeWire obey the service, as those on the ALSA plug-in do: docs/pipewire.md.
 *
 * Each node of the class Stream/Output/Audio has a connection of its own to the service. One thread, which sleeps while there is
 * no stream.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sd_notify.h"
#include "sink.h"
#include "stream.h"
#include "list_release.h"

struct program {
    struct context context;
    struct pw_main_loop *loop;
    struct spa_source *timer, *watchdog;
    int64_t due; /* when the timer fires, in nanoseconds of CLOCK_MONOTONIC; INT64_MAX if never */
    uint64_t watchdog_microseconds;
    bool guards; /* systemd's watchdog is on */
    int sync;
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct timespec timespec(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
}

/* MARK: time */

static void report_alive(void *data, uint64_t expirations)
{
    (void)data, (void)expirations;
    notify("WATCHDOG=1");
}

/* Without streams that run nothing wakes this process, and systemd expects nothing of it. */
static void guard(struct program *p, bool guards)
{
    if (p->watchdog_microseconds == 0 || p->guards == guards)
        return;
    p->guards = guards;
    char state[64];
    snprintf(state, sizeof state, "WATCHDOG_USEC=%llu%s", guards ? (unsigned long long)p->watchdog_microseconds : 0,
        guards ? "\nWATCHDOG=1" : "");
    notify(state);
    struct timespec interval = timespec(guards ? p->watchdog_microseconds * 1000 / 3 : 0);
    pw_loop_update_timer(p->context.loop, p->watchdog, &interval, &interval, false);
}

static void reschedule(struct context *context)
{
    struct program *p = SPA_CONTAINER_OF(context, struct program, context);
    struct stream *s;
    int64_t time = now(), due = INT64_MAX;
    bool guards = false;
    spa_list_for_each(s, &context->streams, link) {
        due = SPA_MIN(due, stream_due(s, time));
        guards = guards || (s->judged && !s->passes && s->running);
    }
    guard(p, guards);
    /* A look that is planned is not put off by what happens before it. */
    if (due == INT64_MAX ? p->due == INT64_MAX : p->due <= due)
        return;
    p->due = due;
    struct timespec when = timespec(due == INT64_MAX ? 0 : (uint64_t)SPA_MAX(due - time, 1000000));
    pw_loop_update_timer(context->loop, p->timer, &when, NULL, false);
}

static void look(void *data, uint64_t expirations)
{
    (void)expirations;
    struct program *p = data;
    struct stream *s;
    p->due = INT64_MAX;
    spa_list_for_each(s, &p->context.streams, link)
        stream_update(s);
    reschedule(&p->context);
}

/* MARK: PipeWire */

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties)
{
    (void)permissions, (void)version;
    struct program *p = data;
    const char *class = properties != NULL ? spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS) : NULL;
    if (strcmp(type, PW_TYPE_INTERFACE_Node) != 0 || class == NULL)
        return;
    if (strcmp(class, "Audio/Sink") == 0)
        sink_new(&p->context, id);
    if (strcmp(class, "Stream/Output/Audio") != 0)
        return;
    struct pw_node *node = pw_registry_bind(p->context.registry, id, type, PW_VERSION_NODE, 0);
    if (node == NULL || stream_new(&p->context, id, node) == NULL)
        /* It stays silent, as it was born. */
        fprintf(stderr, "ringer-pipewire: stream %u: %s\n", id, strerror(errno));
}

static void on_global_remove(void *data, uint32_t id)
{
    struct program *p = data;
    struct stream *s, *next;
    sink_remove(&p->context, id);
    spa_list_for_each_safe(s, next, &p->context.streams, link) {
        if (s->id != id)
            continue;
        stream_free(s);
        reschedule(&p->context);
    }
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

static void on_done(void *data, uint32_t id, int sequence)
{
    struct program *p = data;
    if (id == PW_ID_CORE && sequence == p->sync)
        notify("READY=1");
}

static void on_error(void *data, uint32_t id, int sequence, int error, const char *message)
{
    (void)sequence;
    struct program *p = data;
    /* Others are of streams that have gone; ENOENT is what PipeWire says of what is written to one that just went. */
    if (id != PW_ID_CORE || error == -ENOENT)
        return;
    fprintf(stderr, "ringer-pipewire: PipeWire: %s: %s\n", message, strerror(-error));
    /* The library closes the connection at each of these. systemd starts this program again, with PipeWire. */
    pw_main_loop_quit(p->loop);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = on_done, .error = on_error};

static int obey(struct program *p, struct pw_core *core)
{
    struct spa_hook core_hook, registry_hook;
    pw_core_add_listener(core, &core_hook, &core_events, p);
    p->context.registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(p->context.registry, &registry_hook, &registry_events, p);
    p->timer = pw_loop_add_timer(p->context.loop, look, p);
    p->watchdog = pw_loop_add_timer(p->context.loop, report_alive, p);
    p->watchdog_microseconds = notify_watchdog();
    p->due = INT64_MAX;
    p->guards = true;
    guard(p, false);
    p->sync = pw_core_sync(core, PW_ID_CORE, 0);
    pw_main_loop_run(p->loop);
    return 1;
}

/* MARK: the command */

static const char help[] =
    "USAGE: ringer-pipewire [--config FILE] [--verbose]\n"
    "       ringer-pipewire --list [--config FILE] | --release | --help | --version\n"
    "\n"
    "Programs that play over PipeWire obey ringerd. It runs until PipeWire ends.\n"
    "\n"
    "  --config FILE  Rules and settings (default: " RULES_PATH ").\n"
    "  --verbose      Report on standard error what each stream is, and when it is silenced.\n"
    "  --list         Print PipeWire's version, whether this program runs, and each stream with its category, or why it cannot\n"
    "                 be silenced.\n"
    "  --release      Let all streams that play now be heard, as without this program; for its removal.\n";

static int misused(const char *reason)
{
    fprintf(stderr, "ringer-pipewire: %s; --help shows the options\n", reason);
    return 64;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'}, {"verbose", no_argument, NULL, 'v'},
        {"list", no_argument, NULL, 'l'}, {"release", no_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}};
    struct program p = {.context = {.reschedule = reschedule}};
    const char *config = RULES_PATH;
    int option, what = -1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        switch (option) {
        case 'c': config = optarg; break;
        case 'v': p.context.verbose = true; break;
        case 'l': what = LIST_STREAMS; break;
        case 'r': what = RELEASE_STREAMS; break;
        case 'h': fputs(help, stdout); return 0;
        case 'V': printf("ringer-pipewire %s (libpipewire %s)\n", RINGER_PIPEWIRE_VERSION, pw_get_library_version()); return 0;
        default: return misused("an option is unknown, or has no value");
        }
    }
    if (optind < argc)
        return misused("it takes no arguments");
    setvbuf(stderr, NULL, _IOLBF, 0);
    rules_read(&p.context.rules, config);
    spa_list_init(&p.context.streams);
    spa_list_init(&p.context.sinks);
    pw_init(NULL, NULL);
    p.loop = pw_main_loop_new(NULL);
    struct pw_context *context = p.loop != NULL ? pw_context_new(pw_main_loop_get_loop(p.loop), NULL, 0) : NULL;
    struct pw_core *core = context != NULL ?
        pw_context_connect(context, pw_properties_new(PW_KEY_APP_NAME, what < 0 ? PROGRAM_NAME : PROGRAM_NAME "-list", NULL), 0) : NULL;
    if (core == NULL) {
        fprintf(stderr, "ringer-pipewire: cannot connect to PipeWire: %s (XDG_RUNTIME_DIR is %s)\n", strerror(errno),
            getenv("XDG_RUNTIME_DIR") != NULL ? getenv("XDG_RUNTIME_DIR") : "not set");
        return 1;
    }
    p.context.loop = pw_main_loop_get_loop(p.loop);
    return what >= 0 ? list_release(p.loop, core, &p.context.rules, what) : obey(&p, core);
}
