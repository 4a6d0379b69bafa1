// What Swift's Glibc module leaves out.
#ifndef RINGER_CLINUX_H
#define RINGER_CLINUX_H

#include <poll.h>
#include <stdint.h>

#include "messages.h"

/// A new close-on-exec, non-blocking event counter, or -1 with errno. The corresponding C function is `eventfd`.
int ringer_eventfd(void);

/// Waits for `count` descriptors, at most `timeout` nanoseconds, without bound where it is negative. Returns how many
/// are ready, 0 after the time-out, -1 with errno. The corresponding C function is `ppoll`.
int ringer_poll(struct pollfd *descriptors, unsigned long count, int64_t timeout);

/// A new close-on-exec, non-blocking timer on CLOCK_MONOTONIC, or -1 with errno. It is readable once it is due. The
/// corresponding C function is `timerfd_create`.
int ringer_timerfd(void);

/// Sets the timer to go off at `deadline`, in nanoseconds of CLOCK_MONOTONIC and above 0; never, where it is 0. The
/// corresponding C function is `timerfd_settime`.
int ringer_timerfd_set(int timer, int64_t deadline);

/// A new close-on-exec, non-blocking descriptor that becomes readable when CLOCK_REALTIME is set, and when the machine
/// wakes from sleep; reading it fails with ECANCELED then. Returns -1 with errno. The corresponding C functions are
/// `timerfd_create` and `timerfd_settime`, with `TFD_TIMER_CANCEL_ON_SET`.
int ringer_clock_watch(void);

/// The nanoseconds since the machine started, those that it slept included. The corresponding C function is
/// `clock_gettime`, with `CLOCK_BOOTTIME`.
int64_t ringer_time_since_boot(void);

/// Names the calling thread, as `ps -L` shows it; 15 bytes at most. The corresponding C function is
/// `pthread_setname_np`.
void ringer_name_thread(const char *name);

/// From now on, `signal` writes its number, one byte, to `descriptor` instead of doing what it did. Returns 0, or -1
/// with errno. One descriptor serves all signals. The corresponding C function is `sigaction`.
int ringer_catch_signal(int signal, int descriptor);

/// Lets `signal` do what it does by default, and raises it.
void ringer_raise_default(int signal);

#endif
