/* The loop of minimal.c without a library: poll, and a descriptor for the signals. */
#define _POSIX_C_SOURCE 200809L
#include "minimal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int minimal_run(struct minimal *firmware, int descriptor)
{
    struct pollfd descriptors[2] = {{.fd = descriptor, .events = POLLIN}, {.events = POLLIN}};
    sigset_t signals;
    int result = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    descriptors[1].fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (descriptors[1].fd < 0)
        return -errno;
    while (result == 0 && !descriptors[1].revents) {
        if (poll(descriptors, 2, -1) < 0)
            result = -errno;
        else if (descriptors[0].revents)
            result = minimal_take_events(firmware);
    }
    close(descriptors[1].fd);
    return result;
}
