#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int ringer_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int ringer_poll(struct pollfd *descriptors, unsigned long count, int64_t timeout) {
    struct timespec time = {.tv_sec = (time_t)(timeout / 1000000000), .tv_nsec = (long)(timeout % 1000000000)};
    return ppoll(descriptors, count, timeout < 0 ? NULL : &time, NULL);
}

int ringer_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

int ringer_timerfd_set(int timer, int64_t deadline) {
    struct itimerspec time = {
        .it_value = {.tv_sec = (time_t)(deadline / 1000000000), .tv_nsec = (long)(deadline % 1000000000)}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

int ringer_clock_watch(void) {
    int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer < 0) return -1;
    // The last second there is: it never comes.
    struct itimerspec time = {.it_value = {.tv_sec = (time_t)(((uint64_t)1 << (8 * sizeof(time_t) - 1)) - 1)}};
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL) < 0) {
        int reason = errno;
        close(timer);
        errno = reason;
        return -1;
    }
    return timer;
}

int64_t ringer_time_since_boot(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void ringer_name_thread(const char *name) {
    char start[16]; // what the kernel keeps
    snprintf(start, sizeof start, "%s", name);
    pthread_setname_np(pthread_self(), start);
}

static volatile sig_atomic_t signal_descriptor = -1;

static void note_signal(int signal) {
    // Only what a signal handler may do: write a byte, and leave errno as it was.
    int before = errno;
    unsigned char number = (unsigned char)signal;
    if (write(signal_descriptor, &number, 1) < 0) { /* the pipe is full of signals already */
    }
    errno = before;
}

int ringer_catch_signal(int signal, int descriptor) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    signal_descriptor = descriptor;
    return sigaction(signal, &action, NULL);
}

void ringer_raise_default(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    raise(signal);
    // The calling thread may have it blocked: the signal is delivered once it is not.
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
