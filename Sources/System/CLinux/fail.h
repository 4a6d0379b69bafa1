#ifndef RINGER_CLINUX_FAIL_H
#define RINGER_CLINUX_FAIL_H

#include <errno.h>
#include <unistd.h>

/// Closes `descriptor`. Returns -1, with the errno of before.
static inline int fail(int descriptor) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

#endif
