// Linux interfaces that Swift's Glibc module does not offer.
#ifndef RINGER_CLINUX_H
#define RINGER_CLINUX_H

#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#include "library_loader.h"
#include "messages.h"
#include "sockets.h"

/// The revision of the source that a program was built from; "" where its build does not say. Whoever links a program may
/// define the variable `ringer_revision`.
const char *ringer_revision_text(void);

/// RINGER_VERSION of ringer.h: 1,000,000 * major + 1,000 * minor + patch.
uint32_t ringer_version_number(void);

/// A new close-on-exec, non-blocking event counter, or -1 with errno. The corresponding C function is `eventfd`.
int ringer_eventfd(void);

/// Makes a close-on-exec, non-blocking pipe: 0, or -1 with errno. The corresponding C function is `pipe2`.
int ringer_pipe(int ends[2]);

/// Waits for `count` descriptors, at most `timeout` nanoseconds; without limit if `timeout` is negative. Returns how
/// many are ready, 0 after the time-out, -1 with errno. The corresponding C function is `ppoll`.
int ringer_poll(struct pollfd *descriptors, unsigned long count, int64_t timeout);

/// A new close-on-exec, non-blocking timer on CLOCK_MONOTONIC, or -1 with errno. It is readable once it has expired.
/// The corresponding C function is `timerfd_create`.
int ringer_timerfd(void);

/// Sets the timer to expire at `deadline`, in nanoseconds of CLOCK_MONOTONIC, above 0; 0 for never. The corresponding C
/// function is `timerfd_settime`.
int ringer_timerfd_set(int timer, int64_t deadline);

/// Makes the process look up users and groups in /etc/passwd and /etc/group alone: the C library loads no other source
/// for it, and no network is asked. The corresponding C function is `__nss_configure_lookup`.
void ringer_use_local_accounts(void);

/// Has blocks of memory of so many bytes and more given back to the system when they are freed. By default the number grows with the
/// blocks that were freed, up to 32 MiB. The corresponding C function is `mallopt` with M_MMAP_THRESHOLD.
void ringer_return_large_memory(int bytes);

/// A new close-on-exec file in memory, or -1 with errno. The corresponding C function is `memfd_create`.
int ringer_memory_file(void);

/// A new close-on-exec, non-blocking descriptor of the GPIO chip with the file `chip` that becomes readable when the line
/// at `offset` is requested, released or reconfigured; -1 with errno. The corresponding kernel interface is
/// `GPIO_V2_GET_LINEINFO_WATCH_IOCTL`.
int ringer_gpio_line_watch(const char *chip, uint32_t offset);

/// A new close-on-exec, non-blocking descriptor that becomes readable when CLOCK_REALTIME reaches `deadline`, in nanoseconds,
/// more than 0, when that clock is set, and when the machine wakes from sleep; reading it fails with ECANCELED in the latter
/// cases. Returns -1 with errno. The corresponding C functions are `timerfd_create` and `timerfd_settime`, with
/// `TFD_TIMER_CANCEL_ON_SET`.
int ringer_clock_watch(int64_t deadline);

/// The time since the machine started in nanoseconds, including sleep. The corresponding C function is `clock_gettime`
/// with `CLOCK_BOOTTIME`.
int64_t ringer_time_since_boot(void);

/// Names the calling thread, as `ps -L` shows it; at most 15 bytes. The corresponding C function is
/// `pthread_setname_np`.
void ringer_name_thread(const char *name);

/// Makes `signal` write its number, one byte, to `descriptor` from now on. One descriptor serves all signals. An
/// ignored signal stays ignored, as programs started by nohup expect. In a child of fork, the signal does what it did before it
/// was caught, until the child catches it itself. Returns 1 if it is caught, 0 if it is ignored, -1
/// with errno. The corresponding C function is `sigaction`.
int ringer_catch_signal(int signal, int descriptor);

/// Restores the disposition that `signal` had before it was caught, unless that was changed since.
void ringer_release_signal(int signal);

/// The last signal that was not taken by ringer_end_catching; 0 if there is none.
int ringer_caught_signal(void);

/// To be called when every signal was released: nothing writes to the descriptor any more. Returns the signal that
/// arrived and was not taken, for the caller to raise again; 0 if there is none.
int ringer_end_catching(void);

/// Waits for `semaphore` until `deadline`, in nanoseconds of CLOCK_MONOTONIC. Returns 0, or -1 with errno ETIMEDOUT. The
/// corresponding C function is `sem_clockwait`.
int ringer_wait(sem_t *semaphore, int64_t deadline);

/// Opens the file at `path` for reading, close-on-exec and non-blocking. What is no regular file is not opened, which a device
/// would notice: the descriptor is then of no use but for `fstat`. Returns the descriptor, or -1 with errno. The corresponding C
/// functions are `open` with `O_PATH`, and `open` of that descriptor's file below /proc/self/fd.
int ringer_open_file(const char *path);

/// Opens the file at `path` below `directory` for reading, close-on-exec and non-blocking, without following symbolic
/// links or leaving the directory. Returns its descriptor, or -1 with errno: ELOOP for a symbolic link, EXDEV for a
/// path that leaves the directory, ENOSYS if the kernel is older than 5.6. The corresponding system call is openat2(2)
/// with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS.
int ringer_open_beneath(int directory, const char *path);

/// Opens the directory at `path`, relative to `directory`, to open files in it. Its last component may be a symbolic
/// link only if `follows_links`. Permission to read the directory is not needed. Returns its descriptor, or -1 with
/// errno. The corresponding C function is `openat` with `O_PATH`.
int ringer_open_directory(int directory, const char *path, bool follows_links);

/// A new close-on-exec, non-blocking socket that is readable when a device is added, removed or changed, or -1 with
/// errno. The corresponding kernel interface is netlink(7) with NETLINK_KOBJECT_UEVENT; sysfs does not support inotify.
int ringer_device_events(void);

/// Reads all pending events. Returns 1 if one of them has `property`, such as "SUBSYSTEM=leds", or the kernel dropped
/// some; else 0.
int ringer_device_events_drain(int events, const char *property);

#endif
