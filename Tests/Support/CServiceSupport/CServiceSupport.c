#define _GNU_SOURCE
#include "CServiceSupport.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int test_begin_user(uid_t user, gid_t group, const gid_t *groups, size_t count)
{
    if (syscall(SYS_setgroups, count, groups) != 0 || syscall(SYS_setresgid, -1, group, -1) != 0)
        return -1;
    return (int)syscall(SYS_setresuid, -1, user, -1);
}

int test_end_user(void)
{
    if (syscall(SYS_setresuid, -1, 0, -1) != 0 || syscall(SYS_setresgid, -1, 0, -1) != 0)
        return -1;
    return (int)syscall(SYS_setgroups, 0, (void *)0);
}

int test_connect(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made >= 0 && connect(made, (struct sockaddr *)&address, sizeof address) != 0) {
        int reason = errno;
        close(made);
        errno = reason;
        return -1;
    }
    return made;
}

ssize_t test_send(int socket, const void *bytes, size_t size, const int *descriptors, size_t count)
{
    union {
        char space[CMSG_SPACE(253 * sizeof(int))];
        struct cmsghdr aligned;
    } control = { 0 };
    struct iovec data = { .iov_base = (void *)bytes, .iov_len = size };
    struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
    if (count > 253) {
        errno = EINVAL;
        return -1;
    }
    if (count > 0) {
        message.msg_control = control.space;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int test_close_from(posix_spawn_file_actions_t *actions, int first)
{
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
