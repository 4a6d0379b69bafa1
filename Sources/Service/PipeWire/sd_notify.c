#include "sd_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (path == NULL || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path)
        return;
    memcpy(address.sun_path, path, strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return;
    /* Where this fails, or systemd does not read, its watchdog ends the process, which is started anew. */
    sendto(descriptor, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address,
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
    close(descriptor);
}

uint64_t notify_watchdog(void)
{
    const char *time = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
    if (time == NULL || (process != NULL && strtol(process, NULL, 10) != getpid()))
        return 0;
    return strtoull(time, NULL, 10);
}
