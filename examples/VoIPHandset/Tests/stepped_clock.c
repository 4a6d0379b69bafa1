/*
 * For LD_PRELOAD: the wall clock was set back by an hour while the file exists that STEP_WHILE names. The monotonic clock goes
 * on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t step(void)
{
    const char *file = getenv("STEP_WHILE");

    return file && access(file, F_OK) == 0 ? 3600 : 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int (*real)(struct timeval *restrict, void *restrict) = dlsym(RTLD_NEXT, "gettimeofday");
    int result = real(now, zone);

    now->tv_sec -= step();
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);

    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        now->tv_sec -= step();
    return result;
}
