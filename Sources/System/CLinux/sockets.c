#define _GNU_SOURCE
#include "sockets.h"

#include "fail.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// Returns 0, or -1 with errno.
static int address_of(const char *path, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

int ringer_connect(const char *path) {
    struct sockaddr_un address;
    if (address_of(path, &address) < 0) return -1;
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0) return -1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) return fail(connection);
    return connection;
}

int ringer_listen(const char *path) {
    struct sockaddr_un address;
    if (address_of(path, &address) < 0) return -1;
    // Nobody listens on a socket that was left behind; what is no socket is not removed.
    struct stat left;
    if (lstat(path, &left) == 0 && S_ISSOCK(left.st_mode)) {
        int other = ringer_connect(path);
        if (other >= 0) {
            close(other);
            errno = EADDRINUSE;
            return -1;
        }
        if (errno == ECONNREFUSED) unlink(path);
    }
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, 0666) < 0 ||
        listen(listener, SOMAXCONN) < 0)
        return fail(listener);
    return listener;
}

int ringer_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

ssize_t ringer_receive(int socket, void *packet, size_t size) {
    return recv(socket, packet, size, MSG_DONTWAIT | MSG_TRUNC);
}

ssize_t ringer_send(int socket, const void *packet, size_t size) {
    return send(socket, packet, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int ringer_peer(int socket, pid_t *process, uid_t *user, gid_t *group, gid_t *groups, int count) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -1;
    *process = credentials.pid;
    *user = credentials.uid;
    *group = credentials.gid;
    size = (socklen_t)(count * (int)sizeof *groups);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0) return -1;
    return (int)(size / sizeof *groups);
}
