#define _GNU_SOURCE
#include "CLinux.h"

#include "fail.h"
// The version alone.
#include "../../C/CRinger/include/ringer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <nss.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// The last representable second.
#define LAST_SECOND ((time_t)(((uint64_t)1 << (8 * sizeof(time_t) - 1)) - 1))

static struct timespec timespec_of(int64_t nanoseconds) {
    int64_t seconds = nanoseconds / 1000000000;
    if (seconds > LAST_SECOND) return (struct timespec){.tv_sec = LAST_SECOND};
    return (struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(nanoseconds % 1000000000)};
}

__attribute__((weak)) const char ringer_revision[] = RINGER_REVISION;

const char *ringer_revision_text(void)
{
    return ringer_revision;
}

uint32_t ringer_version_number(void)
{
    return RINGER_VERSION;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count) __attribute__((weak));

// Swift reads a program's arguments from /proc, which a chroot or an initramfs may lack, unless it was given them.
__attribute__((constructor)) static void give_arguments(int count, char **arguments)
{
    if (_swift_stdlib_overrideUnsafeArgvArgc)
        _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}

int ringer_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int ringer_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

int ringer_poll(struct pollfd *descriptors, unsigned long count, int64_t timeout) {
    struct timespec time = timespec_of(timeout < 0 ? 0 : timeout);
    return ppoll(descriptors, count, timeout < 0 ? NULL : &time, NULL);
}

int ringer_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

int ringer_timerfd_set(int timer, int64_t deadline) {
    struct itimerspec time = {.it_value = timespec_of(deadline)};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

void ringer_use_local_accounts(void)
{
    __nss_configure_lookup("passwd", "files");
    __nss_configure_lookup("group", "files");
}

void ringer_return_large_memory(int bytes)
{
    mallopt(M_MMAP_THRESHOLD, bytes);
}

int ringer_memory_file(void)
{
    return memfd_create("ringer", MFD_CLOEXEC);
}

int ringer_gpio_line_watch(const char *chip, uint32_t offset)
{
    int file = open(chip, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct gpio_v2_line_info info = {.offset = offset};
    if (file < 0 || ioctl(file, GPIO_V2_GET_LINEINFO_WATCH_IOCTL, &info) == 0)
        return file;
    return fail(file);
}

int ringer_clock_watch(int64_t deadline) {
    int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer < 0) return -1;
    struct itimerspec time = {.it_value = timespec_of(deadline)};
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL) < 0) return fail(timer);
    return timer;
}

int64_t ringer_time_since_boot(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void ringer_name_thread(const char *name) {
    char start[16]; // the kernel keeps 15 bytes
    snprintf(start, sizeof start, "%s", name);
    pthread_setname_np(pthread_self(), start);
}

// No signal is caught while this is -1.
static atomic_int signal_descriptor = -1;
// The process that catches signals. Its children have its handler and its pipe, and not the threads that read it.
static atomic_int catching_process;
// The last signal that was not raised again yet; 0 if there is none.
static atomic_int caught_signal;
static struct sigaction previous_actions[_NSIG];

static void note_signal(int signal) {
    // Only async-signal-safe calls; errno is preserved.
    int before = errno;
    if (getpid() != atomic_load(&catching_process)) {
        // A child of fork: the signal does what it did before, as soon as this handler has returned.
        sigaction(signal, &previous_actions[signal], NULL);
        raise(signal);
        errno = before;
        return;
    }
    atomic_store(&caught_signal, signal);
    int descriptor = atomic_load(&signal_descriptor);
    unsigned char number = (unsigned char)signal;
    if (descriptor < 0) {
        // The last registration was removed after the kernel chose this handler: do what the signal did before.
        if (atomic_exchange(&caught_signal, 0) != 0) raise(signal);
    } else if (write(descriptor, &number, 1) < 0) { /* the pipe is full of signals already */
    }
    errno = before;
}

int ringer_catch_signal(int signal, int descriptor) {
    struct sigaction before;
    if (sigaction(signal, NULL, &before) != 0) return -1;
    if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_IGN) return 0;
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    // A child of fork that catches signals itself has its parent's handler, and the actions from before that.
    if ((before.sa_flags & SA_SIGINFO) || before.sa_handler != note_signal) previous_actions[signal] = before;
    atomic_store(&catching_process, getpid());
    atomic_store(&signal_descriptor, descriptor);
    return sigaction(signal, &action, NULL) == 0 ? 1 : -1;
}

void ringer_release_signal(int signal) {
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != note_signal) return;
    sigaction(signal, &previous_actions[signal], NULL);
}

int ringer_caught_signal(void) { return atomic_load(&caught_signal); }

int ringer_end_catching(void) {
    atomic_store(&signal_descriptor, -1);
    return atomic_exchange(&caught_signal, 0);
}

int ringer_wait(sem_t *semaphore, int64_t deadline) {
    struct timespec time = timespec_of(deadline);
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0) {
        if (errno != EINTR) return -1;
    }
    return 0;
}

int ringer_open_file(const char *path) {
    int file = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0 || !S_ISREG(status.st_mode)) return file;
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_LARGEFILE;
    int opened = TEMP_FAILURE_RETRY(open(name, flags));
    // Without /proc, as in some root directories of their own, the path may have become another file's meanwhile.
    if (opened < 0 && errno == ENOENT) opened = TEMP_FAILURE_RETRY(open(path, flags));
    int reason = errno;
    close(file);
    errno = reason;
    return opened;
}

int ringer_open_beneath(int directory, const char *path) {
    // The system call's own structure, since the C library may not declare it.
    struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK, .resolve = 0x08 /* BENEATH */ | 0x04 /* NO_SYMLINKS */};
    return (int)syscall(437 /* openat2 */, directory, path, &how, sizeof how);
}

int ringer_open_directory(int directory, const char *path, bool follows_links) {
    return openat(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC | (follows_links ? 0 : O_NOFOLLOW));
}

int ringer_device_events(void) {
    int events = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (events < 0) return -1;
    // Group 1 is the kernel's. Group 2 is udev's, which repeats an event once the device's files have their
    // permissions.
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1 | 2};
    if (bind(events, (struct sockaddr *)&address, sizeof address) < 0) return fail(events);
    return events;
}

int ringer_device_events_drain(int events, const char *property) {
    char message[8192];
    int found = 0;
    while (1) {
        ssize_t count = recv(events, message, sizeof message, 0);
        if (count >= 0) {
            // The property including its terminating zero.
            if (memmem(message, (size_t)count, property, strlen(property) + 1)) found = 1;
        } else if (errno == ENOBUFS) {
            found = 1; // Messages were lost: one of them may have been of this kind.
        } else if (errno != EINTR) {
            return found;
        }
    }
}
