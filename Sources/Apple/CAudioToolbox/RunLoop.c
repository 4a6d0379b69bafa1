/* The run loop: it dispatches callbacks. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <CoreFoundation/CoreFoundation.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "entry_points.h"
#include "ringer-audiotoolbox.h"

/* It is readable while a stop was asked for and no run has returned for it. It is never closed in its process. */
static int stop_descriptor = -1;

/* In a child of fork, whose stop would be its parent's. A run that forked goes on with the same number. */
static void open_another_stop_descriptor(void)
{
    int another = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (another < 0 || dup3(another, stop_descriptor, O_CLOEXEC) < 0)
        close(stop_descriptor);
    close(another);
}

static void open_first_stop_descriptor(void)
{
    stop_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_atfork(NULL, NULL, open_another_stop_descriptor);
}

static int get_stop_descriptor(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_first_stop_descriptor);
    return stop_descriptor;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

CFTimeInterval CACurrentMediaTime(void)
{
    return now();
}

CFAbsoluteTime CFAbsoluteTimeGetCurrent(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9 - kCFAbsoluteTimeIntervalSince1970;
}

static SInt32 run(int callbacks, CFTimeInterval seconds, Boolean returnAfterSourceHandled)
{
    double end = now() + (seconds > 0 ? seconds : 0);
    struct pollfd descriptors[] = {
        {.fd = get_stop_descriptor(), .events = POLLIN},
        {.fd = callbacks, .events = POLLIN},
    };

    if (descriptors[0].fd < 0)
        return kCFRunLoopRunFinished;
    for (;;) {
        double left = end - now();
        double wait = left > 0 ? left * 1000 + 1 : 0;
        int ready = poll(descriptors, 2, wait < INT_MAX ? (int)wait : INT_MAX);
        uint64_t stops;

        if (ready < 0 && errno != EINTR)
            return kCFRunLoopRunFinished;
        if (ready > 0 && descriptors[0].revents && read(descriptors[0].fd, &stops, sizeof stops) > 0)
            return kCFRunLoopRunStopped;
        if (ready > 0 && descriptors[1].revents && ringer_callbacks_dispatch() > 0 && returnAfterSourceHandled)
            return kCFRunLoopRunHandledSource;
        if (ready == 0 && left <= 0)
            return kCFRunLoopRunTimedOut;
    }
}

SInt32 CFRunLoopRunInMode(CFRunLoopMode mode, CFTimeInterval seconds, Boolean returnAfterSourceHandled)
{
    int callbacks = ringer_apple_begin_run();
    SInt32 result;

    (void)mode;
    if (callbacks < 0)
        return kCFRunLoopRunFinished;
    result = run(callbacks, seconds, returnAfterSourceHandled);
    ringer_apple_end_run();
    return result;
}

void CFRunLoopRun(void)
{
    while (CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1e10, false) == kCFRunLoopRunTimedOut)
        ;
}

void CFRunLoopStop(CFRunLoopRef loop)
{
    uint64_t one = 1;

    if (loop && get_stop_descriptor() >= 0 && write(stop_descriptor, &one, sizeof one) < 0)
        return; /* It is readable already. */
}
