/* The loop of minimal.c in a program of sd-event's; add `libsystemd` to pkg-config's packages. */
#define _POSIX_C_SOURCE 200809L
#include "minimal.h"

#include <signal.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>

static int take_events(sd_event_source *source, int descriptor, uint32_t events, void *firmware)
{
    int result = minimal_take_events(firmware);

    (void)descriptor, (void)events;
    /* An error would only disable the source. */
    return result < 0 ? sd_event_exit(sd_event_source_get_event(source), result) : 0;
}

int minimal_run(struct minimal *firmware, int descriptor)
{
    sd_event *event = NULL;
    sigset_t signals;
    int result = sd_event_new(&event);

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (result >= 0)
        result = sd_event_add_io(event, NULL, descriptor, EPOLLIN, take_events, firmware);
    /* Without a handler a signal ends the loop. */
    if (result >= 0)
        result = sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
    if (result >= 0)
        result = sd_event_add_signal(event, NULL, SIGINT, NULL, NULL);
    if (result >= 0)
        result = sd_event_add_signal(event, NULL, SIGHUP, NULL, NULL);
    if (result >= 0)
        result = sd_event_loop(event);
    sd_event_unref(event);
    return result;
}
