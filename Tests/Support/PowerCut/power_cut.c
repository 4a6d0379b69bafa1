/*
 * Preloaded into a program whose machine loses power while it replaces a small file, as TextFile.replace does: by a new file beside
 * it, which is synced and renamed, and whose folder is synced.
 *
 * CUT_FILE is the file. Before the system call on it of the number CUT the power goes: the process is killed, and what a disk may not
 * have is lost. That is, by CUT_LOSES, "names", a rename whose folder was not synced, or "data", what is in a file that was not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define NEXT(function)                      \
    static __typeof__(function) *next;      \
    if (next == NULL) next = (__typeof__(function) *)dlsym(RTLD_NEXT, #function)

static int new_file = -1, folder = -1, count;
static bool is_synced, is_renamed;
static char old[256];
static ssize_t old_size = -1;

static const char *file(void) { return getenv("CUT_FILE"); }

static bool is_new(const char *path)
{
    size_t length = file() == NULL ? 0 : strlen(file());
    return length > 0 && strncmp(path, file(), length) == 0 && strcmp(path + length, ".new") == 0;
}

static bool is_folder(const char *path)
{
    size_t length = file() == NULL ? 0 : (size_t)(strrchr(file(), '/') - file());
    return length > 0 && strlen(path) == length && strncmp(path, file(), length) == 0;
}

static void step(void)
{
    char path[300];

    if (++count != atoi(getenv("CUT"))) return;
    if (strcmp(getenv("CUT_LOSES"), "data") == 0) {
        snprintf(path, sizeof path, "%s%s", file(), is_renamed ? "" : ".new");
        if (!is_synced && truncate(path, 0) != 0 && is_renamed) abort();
    } else if (is_renamed) {
        int descriptor = -1;
        if (old_size < 0) {
            unlink(file());
        } else {
            descriptor = creat(file(), 0644);
            if (pwrite(descriptor, old, (size_t)old_size, 0) != old_size) abort();
        }
    }
    kill(getpid(), SIGKILL);
}

static int opened(const char *path, int flags, int (*next)(const char *, int, ...), mode_t mode)
{
    bool isNew = is_new(path) && (flags & O_ACCMODE) == O_WRONLY, isFolder = is_renamed && is_folder(path);

    if (isNew || isFolder) step();
    int descriptor = next(path, flags, mode);
    if (isNew) {
        new_file = descriptor;
        is_synced = is_renamed = false;
    }
    if (isFolder) folder = descriptor;
    return descriptor;
}

#define OPEN(function)                                              \
    int function(const char *path, int flags, ...)                  \
    {                                                               \
        NEXT(function);                                             \
        va_list list;                                               \
        va_start(list, flags);                                      \
        mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;   \
        va_end(list);                                               \
        return opened(path, flags, next, mode);                     \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    NEXT(write);
    if (descriptor == new_file && new_file >= 0) step();
    return next(descriptor, bytes, size);
}

int fsync(int descriptor)
{
    NEXT(fsync);
    bool isNew = descriptor == new_file && new_file >= 0, isFolder = descriptor == folder && folder >= 0;

    if (isNew || isFolder) step();
    int result = next(descriptor);
    if (isNew) is_synced = true;
    if (isFolder) is_renamed = false;
    if (isFolder) folder = -1;
    return result;
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    if (!is_new(from)) return next(from, to);
    step();
    int descriptor = open(to, O_RDONLY | O_CLOEXEC);
    old_size = descriptor < 0 ? -1 : read(descriptor, old, sizeof old);
    if (descriptor >= 0) close(descriptor);
    int result = next(from, to);
    is_renamed = result == 0;
    /* Its number may be another file's from now on. */
    new_file = -1;
    return result;
}
