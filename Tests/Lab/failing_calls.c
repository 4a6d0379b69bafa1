/*
 * Preloaded before libc by Tests/Lab/test --failing-calls: system calls fail as a test asks, wherever they are made from:
 * Ringer, libgpiod, libevdev, alsa-lib. Calls are counted from failing_calls_begin to failing_calls_end. The one of a number
 * fails, and those of the same function on the same file that follow it, or anywhere if it has no file, until so many have
 * failed. The test's own calls are not counted.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <unistd.h>

#include <sound/asound.h>

/* A program that repeats a failing call so often, in no time, would do so for ever. */
#define ENDLESS 5000

static atomic_bool counting;
static atomic_int count, failed;
static int first, times, error;
/* The function whose calls fail, and the file; the file is set first. */
static _Atomic(const char *) failing;
static char failing_file[256];
static char description[512];
static _Thread_local int spared;

void failing_calls_begin(int number, int how_often, int with_error)
{
    first = number;
    times = how_often < ENDLESS ? how_often : ENDLESS;
    error = with_error;
    description[0] = 0;
    atomic_store(&failing, NULL);
    atomic_store(&count, 0);
    atomic_store(&failed, 0);
    atomic_store(&counting, true);
}

/* How many calls there were. */
int failing_calls_end(void)
{
    atomic_store(&counting, false);
    return atomic_load(&count);
}

/* How many of them failed. */
int failing_calls_failed(void) { return atomic_load(&failed); }
/* Whether a call was repeated for ever. */
int failing_calls_endless(void) { return atomic_load(&failed) >= ENDLESS; }
/* The first one that failed. */
const char *failing_calls_description(void) { return description; }
/* Calls of this thread are the test's own: 1; or no longer: -1. */
void failing_calls_spare(int change) { spared += change; }

/* The file of a call: its path, or what its descriptor refers to; empty for a call without either. */
static const char *file_of(const char *path, int descriptor, char file[256])
{
    if (path != NULL || descriptor < 0) return path != NULL ? path : "";
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    spared++;
    ssize_t length = readlink(link, file, 255);
    spared--;
    file[length < 0 ? 0 : length] = 0;
    return file;
}

static bool fails(const char *function, const char *path, int descriptor, unsigned long request)
{
    if (!atomic_load_explicit(&counting, memory_order_relaxed) || spared > 0) return false;
    int number = atomic_fetch_add(&count, 1);
    if (number == first) {
        snprintf(failing_file, sizeof failing_file, "%s", file_of(path, descriptor, (char[256]){0}));
        snprintf(description, sizeof description, "%s(%s, %#lx)", function, failing_file, request);
        /* The kernel's counters and its timer, which wake event loops and alsa-lib, do not fail for ever. */
        bool counts = strncmp(failing_file, "anon_inode:[", 12) == 0 || strcmp(failing_file, "/dev/snd/timer") == 0;
        if (counts && times > 3) times = 3;
        atomic_store(&failing, function);
    } else {
        const char *name = atomic_load(&failing);
        if (name == NULL || strcmp(name, function) != 0) return false;
        if (strcmp(file_of(path, descriptor, (char[256]){0}), failing_file) != 0) return false;
    }
    if (atomic_fetch_add(&failed, 1) >= times) {
        atomic_fetch_sub(&failed, 1);
        return false;
    }
    errno = error;
    return true;
}

#define NEXT(function)                                          \
    static __typeof__(function) *next;                          \
    if (next == NULL) next = (__typeof__(function) *)dlsym(RTLD_NEXT, #function)

/* A function whose failure is `result`. */
#define CALL(type, function, result, path, descriptor, request, parameters, arguments) \
    type function parameters                                                            \
    {                                                                                   \
        NEXT(function);                                                                 \
        return fails(#function, path, descriptor, request) ? result : next arguments;   \
    }

/* The mode behind the flags of a call that may make a file. */
#define READ_MODE()                                                             \
    va_list list;                                                               \
    va_start(list, flags);                                                      \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;     \
    va_end(list)

#define OPEN(function)                                                                                  \
    int function(const char *path, int flags, ...)                                                      \
    {                                                                                                   \
        NEXT(function);                                                                                 \
        READ_MODE();                                                                                    \
        return fails("open", path, -1, (unsigned)flags) ? -1 : next(path, flags, mode);                 \
    }

#define OPENAT(function)                                                                                \
    int function(int folder, const char *path, int flags, ...)                                          \
    {                                                                                                   \
        NEXT(function);                                                                                 \
        READ_MODE();                                                                                    \
        return fails("open", path, -1, (unsigned)flags) ? -1 : next(folder, path, flags, mode);         \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int __open_2(const char *path, int flags);
CALL(int, __open_2, -1, path, -1, (unsigned)flags, (const char *path, int flags), (path, flags))
CALL(FILE *, fopen, NULL, path, -1, 0, (const char *path, const char *mode), (path, mode))
CALL(FILE *, fopen64, NULL, path, -1, 0, (const char *path, const char *mode), (path, mode))
CALL(DIR *, opendir, NULL, path, -1, 0, (const char *path), (path))
CALL(DIR *, fdopendir, NULL, NULL, file, 0, (int file), (file))
CALL(struct dirent *, readdir, NULL, NULL, dirfd(folder), 0, (DIR *folder), (folder))
CALL(struct dirent64 *, readdir64, NULL, NULL, dirfd(folder), 0, (DIR *folder), (folder))
typedef int (*filter)(const struct dirent *);
typedef int (*order)(const struct dirent **, const struct dirent **);
CALL(int, scandir, -1, path, -1, 0, (const char *path, struct dirent ***list, filter f, order o), (path, list, f, o))
typedef int (*filter64)(const struct dirent64 *);
typedef int (*order64)(const struct dirent64 **, const struct dirent64 **);
CALL(int, scandir64, -1, path, -1, 0, (const char *path, struct dirent64 ***list, filter64 f, order64 o),
    (path, list, f, o))
CALL(int, access, -1, path, -1, 0, (const char *path, int mode), (path, mode))
CALL(int, faccessat, -1, path, -1, 0, (int at, const char *path, int mode, int flags), (at, path, mode, flags))
CALL(int, stat, -1, path, -1, 0, (const char *path, struct stat *s), (path, s))
CALL(int, stat64, -1, path, -1, 0, (const char *path, struct stat64 *s), (path, s))
CALL(int, lstat, -1, path, -1, 0, (const char *path, struct stat *s), (path, s))
CALL(int, lstat64, -1, path, -1, 0, (const char *path, struct stat64 *s), (path, s))
CALL(int, fstat, -1, NULL, file, 0, (int file, struct stat *s), (file, s))
CALL(int, fstat64, -1, NULL, file, 0, (int file, struct stat64 *s), (file, s))
CALL(ssize_t, readlink, -1, path, -1, 0, (const char *path, char *to, size_t size), (path, to, size))
CALL(char *, realpath, NULL, path, -1, 0, (const char *path, char *to), (path, to))

CALL(ssize_t, read, -1, NULL, file, size, (int file, void *bytes, size_t size), (file, bytes, size))
CALL(ssize_t, pread, -1, NULL, file, size, (int file, void *bytes, size_t size, off_t at), (file, bytes, size, at))
CALL(ssize_t, write, -1, NULL, file, size, (int file, const void *bytes, size_t size), (file, bytes, size))
CALL(off_t, lseek, -1, NULL, file, 0, (int file, off_t to, int from), (file, to, from))
CALL(void *, mmap, MAP_FAILED, NULL, file, size,
    (void *to, size_t size, int protection, int flags, int file, off_t at), (to, size, protection, flags, file, at))
CALL(int, poll, -1, NULL, -1, number, (struct pollfd *files, nfds_t number, int time), (files, number, time))
CALL(int, ppoll, -1, NULL, -1, number,
    (struct pollfd *files, nfds_t number, const struct timespec *time, const sigset_t *signals),
    (files, number, time, signals))
int __poll_chk(struct pollfd *files, nfds_t number, int time, size_t size);
CALL(int, __poll_chk, -1, NULL, -1, number, (struct pollfd *files, nfds_t number, int time, size_t size),
    (files, number, time, size))
CALL(int, timerfd_create, -1, NULL, -1, 0, (clockid_t clock, int flags), (clock, flags))
CALL(int, timerfd_settime, -1, NULL, file, 0,
    (int file, int flags, const struct itimerspec *new, struct itimerspec *old), (file, flags, new, old))
CALL(int, eventfd, -1, NULL, -1, 0, (unsigned value, int flags), (value, flags))
CALL(int, inotify_init1, -1, NULL, -1, 0, (int flags), (flags))
CALL(int, inotify_add_watch, -1, path, -1, 0, (int file, const char *path, uint32_t mask), (file, path, mask))
CALL(int, pipe, -1, NULL, -1, 0, (int ends[2]), (ends))
CALL(int, pipe2, -1, NULL, -1, 0, (int ends[2], int flags), (ends, flags))
CALL(int, memfd_create, -1, NULL, -1, 0, (const char *name, unsigned flags), (name, flags))
CALL(int, socket, -1, NULL, -1, 0, (int domain, int type, int protocol), (domain, type, protocol))
CALL(int, socketpair, -1, NULL, -1, 0, (int domain, int type, int protocol, int ends[2]),
    (domain, type, protocol, ends))
CALL(int, bind, -1, NULL, file, 0, (int file, const struct sockaddr *to, socklen_t size), (file, to, size))
CALL(int, connect, -1, NULL, file, 0, (int file, const struct sockaddr *to, socklen_t size), (file, to, size))
CALL(ssize_t, recv, -1, NULL, file, 0, (int file, void *bytes, size_t size, int flags), (file, bytes, size, flags))
CALL(ssize_t, recvmsg, -1, NULL, file, 0, (int file, struct msghdr *message, int flags), (file, message, flags))
CALL(ssize_t, sendmsg, -1, NULL, file, 0, (int file, const struct msghdr *message, int flags), (file, message, flags))
CALL(int, shmget, -1, NULL, -1, 0, (key_t key, size_t size, int flags), (key, size, flags))
CALL(void *, shmat, (void *)-1, NULL, -1, 0, (int id, const void *to, int flags), (id, to, flags))
CALL(int, semget, -1, NULL, -1, 0, (key_t key, int number, int flags), (key, number, flags))
/* Not the release of dmix's semaphore, which Linux does not refuse: nobody could take it any more. */
int semop(int id, struct sembuf *operations, size_t number)
{
    NEXT(semop);
    bool takes = operations[0].sem_op == 0;
    return takes && fails("semop", NULL, -1, 0) ? -1 : next(id, operations, number);
}

CALL(int, pthread_create, error, NULL, -1, 0,
    (pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument),
    (thread, attributes, body, argument))

int ioctl(int file, unsigned long request, ...)
{
    NEXT(ioctl);
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    /* Whose failure alsa-lib 1.2.8 answers by losing the descriptor, and with it the PCM. Linux fails neither. */
    if (request == SNDRV_PCM_IOCTL_USER_PVERSION || request == SNDRV_PCM_IOCTL_TTSTAMP)
        return next(file, request, argument);
    return fails("ioctl", NULL, file, request) ? -1 : next(file, request, argument);
}

#define FCNTL(function)                                                             \
    int function(int file, int request, ...)                                        \
    {                                                                               \
        NEXT(function);                                                             \
        va_list list;                                                               \
        va_start(list, request);                                                    \
        void *argument = va_arg(list, void *);                                      \
        va_end(list);                                                               \
        return fails("fcntl", NULL, file, request) ? -1 : next(file, request, argument); \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

/* Linux frees the descriptor whatever it returns. */
int close(int file)
{
    NEXT(close);
    bool does_fail = fails("close", NULL, file, 0);
    int result = next(file);
    if (!does_fail) return result;
    errno = error;
    return -1;
}
