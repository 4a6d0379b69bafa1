#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <time.h>

int ringer_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int ringer_poll(struct pollfd *descriptors, unsigned long count, int64_t timeout) {
    struct timespec time = {.tv_sec = (time_t)(timeout / 1000000000), .tv_nsec = (long)(timeout % 1000000000)};
    return ppoll(descriptors, count, timeout < 0 ? NULL : &time, NULL);
}

void ringer_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
