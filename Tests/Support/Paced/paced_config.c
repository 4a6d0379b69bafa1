/* The configuration of the paced sink, from the keys that paced.h lists. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "paced.h"

struct named_number {
    const char *name;
    int number;
};

static const struct named_number fault_types[] = {{"none", FAULT_NONE}, {"xrun", FAULT_XRUN},
    {"suspend", FAULT_SUSPEND}, {"gone", FAULT_GONE}, {"stall", FAULT_STALL}, {"unpaced", FAULT_UNPACED},
    {"absurd", FAULT_ABSURD}, {NULL, 0}};

static const struct named_number open_errors[] = {{"none", 0}, {"EBUSY", EBUSY}, {"ENODEV", ENODEV},
    {"ENOENT", ENOENT}, {"EACCES", EACCES}, {"EIO", EIO}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE},
    {"ENOMEM", ENOMEM}, {NULL, 0}};

static int read_name(const snd_config_t *node, const struct named_number *names, int *number)
{
    const char *text;
    if (snd_config_get_string(node, &text) < 0)
        return -EINVAL;
    for (; names->name != NULL; names++) {
        if (strcmp(text, names->name) == 0) {
            *number = names->number;
            return 0;
        }
    }
    return -EINVAL;
}

static int read_count(const snd_config_t *node, long *count)
{
    return snd_config_get_integer(node, count) < 0 || *count < 0 ? -EINVAL : 0;
}

static int read_flag(const snd_config_t *node, bool *flag)
{
    int value = snd_config_get_bool(node);
    *flag = value > 0;
    return value < 0 ? -EINVAL : 0;
}

static int read_file(const snd_config_t *node, int *descriptor)
{
    const char *path;
    if (snd_config_get_string(node, &path) < 0)
        return -EINVAL;
    if (*path == '\0')
        return 0;
    *descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (*descriptor < 0) {
        int error = -errno;
        SYSERR("paced: %s", path);
        return error;
    }
    return 0;
}

/* A lock of the open file, not of the process: two streams of one process exclude each other too. */
static int read_lock(const snd_config_t *node, struct paced *p)
{
    int error = read_file(node, &p->lock_file);
    if (error < 0 || p->lock_file < 0 || flock(p->lock_file, LOCK_EX | LOCK_NB) == 0)
        return error;
    if (errno != EWOULDBLOCK)
        return -errno;
    return p->lock_error != 0 ? -p->lock_error : -EBUSY;
}

/* Waits until nobody else has the file locked. */
static int read_gate(const snd_config_t *node)
{
    int descriptor = -1;
    int error = read_file(node, &descriptor);
    if (error < 0 || descriptor < 0)
        return error;
    while (flock(descriptor, LOCK_SH) != 0 && errno == EINTR)
        continue;
    close(descriptor);
    return 0;
}

typedef int read_key(struct paced *p, const char *key, snd_config_t *node);

static int read_keys(struct paced *p, snd_config_t *conf, read_key *read)
{
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        snd_config_t *node = snd_config_iterator_entry(i);
        const char *key;
        if (snd_config_get_id(node, &key) < 0)
            continue;
        int error = read(p, key, node);
        if (error < 0) {
            SNDERR("paced: %s: %s", key, snd_strerror(error));
            return error;
        }
    }
    return 0;
}

static int read_fault_key(struct paced *p, const char *key, snd_config_t *node)
{
    long count;
    int number = 0, error;
    if (strcmp(key, "type") == 0) {
        error = read_name(node, fault_types, &number);
        p->fault.type = number;
    } else if (strcmp(key, "frame") == 0) {
        error = read_count(node, &count);
        p->fault.frame = count;
    } else if (strcmp(key, "times") == 0) {
        error = read_count(node, &count);
        p->fault.times = count == 0 ? -1 : count;
    } else if (strcmp(key, "resume") == 0) {
        error = read_flag(node, &p->fault.resumes);
    } else {
        error = -EINVAL;
    }
    return error;
}

static int read_top_key(struct paced *p, const char *key, snd_config_t *node)
{
    if (strcmp(key, "comment") == 0 || strcmp(key, "type") == 0 || strcmp(key, "hint") == 0)
        return 0;
    if (strcmp(key, "latency_ms") == 0)
        return read_count(node, &p->latency_ms);
    if (strcmp(key, "underruns") == 0)
        return read_flag(node, &p->underruns);
    if (strcmp(key, "rate") == 0)
        return read_count(node, &p->rate);
    if (strcmp(key, "channels") == 0)
        return read_count(node, &p->channels);
    if (strcmp(key, "capture_file") == 0)
        return read_file(node, &p->capture);
    if (strcmp(key, "starts_file") == 0)
        return read_file(node, &p->starts);
    if (strcmp(key, "lock_file") == 0)
        return read_lock(node, p);
    if (strcmp(key, "lock_error") == 0)
        return read_name(node, open_errors, &p->lock_error);
    if (strcmp(key, "open_error") == 0)
        return read_name(node, open_errors, &p->open_error);
    if (strcmp(key, "open_gate") == 0)
        return read_gate(node);
    if (strcmp(key, "descriptors") == 0)
        return read_count(node, &p->descriptors);
    if (strcmp(key, "fault") == 0)
        return read_keys(p, node, read_fault_key);
    return -EINVAL;
}

int paced_configure(struct paced *p, snd_config_t *conf)
{
    return read_keys(p, conf, read_top_key);
}
