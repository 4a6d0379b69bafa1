// Local sockets that keep the boundaries of packets: unix(7), SOCK_SEQPACKET. Every descriptor is close-on-exec and does not
// block.
#ifndef RINGER_CLINUX_SOCKETS_H
#define RINGER_CLINUX_SOCKETS_H

#include <stddef.h>
#include <sys/types.h>

/// A new socket that listens at `path`, which everybody may connect to, or -1 with errno: EADDRINUSE if another process
/// listens there. What a process that has ended left there is replaced. The corresponding C functions are `socket`, `bind`
/// and `listen`.
int ringer_listen(const char *path);

/// The next connection that `socket` has, or -1 with errno. The corresponding C function is `accept4`.
int ringer_accept(int socket);

/// A new connection to the socket at `path`, or -1 with errno. The corresponding C function is `connect`.
int ringer_connect(const char *path);

/// Reads one packet of at most `size` bytes. Returns the packet's whole size, 0 at the end, -1 with errno. The corresponding
/// C function is `recv` with MSG_TRUNC.
ssize_t ringer_receive(int socket, void *packet, size_t size);

/// Sends one packet, without SIGPIPE. Returns its size, or -1 with errno. The corresponding C function is `send`.
ssize_t ringer_send(int socket, const void *packet, size_t size);

/// The process, user and group that connected, and its other groups, of which there are at most `count`. Returns how many
/// those are, or -1 with errno: ERANGE if they are more. The corresponding socket options are SO_PEERCRED and SO_PEERGROUPS.
int ringer_peer(int socket, pid_t *process, uid_t *user, gid_t *group, gid_t *groups, int count);

#endif
