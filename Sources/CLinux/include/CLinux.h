// What Swift's Glibc module leaves out.
#ifndef RINGER_CLINUX_H
#define RINGER_CLINUX_H

#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
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

/// Has `signal` write its number, one byte, to `descriptor` from now on instead of what it did. One descriptor serves all
/// signals. A signal that is ignored stays ignored, as a program started by nohup expects. Returns 1 where it is caught,
/// 0 where it is ignored, -1 with errno. The corresponding C function is `sigaction`.
int ringer_catch_signal(int signal, int descriptor);

/// Lets `signal` do what it did before it was caught, unless somebody has changed that since.
void ringer_release_signal(int signal);

/// The signal that came last and was not taken by ringer_end_catching; 0 where there is none.
int ringer_caught_signal(void);

/// To be called when every signal was released: nothing writes to the descriptor any more. Returns the signal that came
/// and that nobody took, 0 where there is none: the caller raises it again.
int ringer_end_catching(void);

/// Waits for `semaphore` until `deadline`, in nanoseconds of CLOCK_MONOTONIC. Returns 0, or -1 with errno ETIMEDOUT. The
/// corresponding C function is `sem_clockwait`.
int ringer_wait(sem_t *semaphore, int64_t deadline);

/// Opens the file at `path` below `directory` for reading, close-on-exec and non-blocking, following no symbolic link and
/// leaving the directory by no way. Returns its descriptor, or -1 with errno: ELOOP for a link, EXDEV for a way out, ENOSYS
/// where the kernel is older than 5.6. The corresponding system call is openat2(2), with RESOLVE_BENEATH and
/// RESOLVE_NO_SYMLINKS.
int ringer_open_beneath(int directory, const char *path);

/// Opens the directory at `path`, relative to `directory`, to open files in it; its own last component may be a link only
/// where `follows_links`. Reading the directory need not be permitted. Returns its descriptor, or -1 with errno. The
/// corresponding C function is `openat`, with `O_PATH`.
int ringer_open_directory(int directory, const char *path, bool follows_links);

/// A new close-on-exec, non-blocking socket that is readable when a device comes, goes or changes, or -1 with errno. The
/// corresponding kernel interface is netlink(7), with NETLINK_KOBJECT_UEVENT; devices in sysfs give inotify no events.
int ringer_device_events(void);

/// Reads all events that wait. Returns 1 where one of them has `property`, such as "SUBSYSTEM=leds", or where the kernel
/// dropped some; 0 otherwise.
int ringer_device_events_drain(int events, const char *property);

#endif
