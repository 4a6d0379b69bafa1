// What Swift cannot call: system calls that change the credentials of one thread, and sockets that send descriptors.
#ifndef RINGER_CSERVICESUPPORT_H
#define RINGER_CSERVICESUPPORT_H

#include <spawn.h>
#include <sys/types.h>

/// Gives the calling thread, and no other, an effective user and group and these supplementary groups. A socket that it
/// connects has them for ever. Returns 0, or -1 with errno: the thread must be root's. The corresponding system calls are
/// setgroups(2), setresgid(2) and setresuid(2); the C library's functions would change every thread.
int test_begin_user(uid_t user, gid_t group, const gid_t *groups, size_t count);

/// Makes the calling thread root's again, without supplementary groups.
int test_end_user(void);

/// A new connection to the stream socket at `path`, or -1 with errno. It waits for the other end.
int test_connect(const char *path);

/// Sends bytes and with them descriptors, at most 253. Returns how many bytes were sent, or -1 with errno.
ssize_t test_send(int socket, const void *bytes, size_t size, const int *descriptors, size_t count);

/* Closes all descriptors from `first` on in a program that is spawned with these actions: pipes of other tests would not end
 * while it runs. */
int test_close_from(posix_spawn_file_actions_t *actions, int first);

#endif
