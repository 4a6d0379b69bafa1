#include "link.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Between two attempts to reach a service that was not there. */
#define RETRY_NANOSECONDS 250000000
/* Between two attempts where too many connections wait for it; the programs that do so are not all to try at once. */
#define FULL_NANOSECONDS (10000000 + now() % 10000000)
/* How long the service may say nothing before it is asked, and how long it may take to answer: longer in tests. */
#define QUIET_NANOSECONDS 1000000000
#ifndef ANSWER_NANOSECONDS
#define ANSWER_NANOSECONDS 2000000000
#endif

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void lose(struct link *link)
{
    if (link->socket >= 0)
        close(link->socket);
    link->socket = -1;
    link->accepted = link->announced = link->hangs = false;
    link->next_attempt = now() + RETRY_NANOSECONDS;
}

static void say(struct link *link, const struct ringer_pcm_packet *packet)
{
    if (send(link->socket, packet, sizeof *packet, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof *packet)
        return;
    /* A service that has refused closed the connection, and its reason is still to be read: by link_update. */
    if (errno == EPIPE || errno == ECONNRESET)
        return;
    /* A service that does not read has a full queue: the next connection begins with what holds then. */
    lose(link);
}

/* `since` is 0 for a stream that starts now. */
static void say_started(struct link *link, int64_t since)
{
    struct ringer_pcm_packet packet = {
        .version = RINGER_PCM_VERSION, .kind = link->started ? RINGER_PCM_STARTED : RINGER_PCM_STOPPED};
    packet.since = (uint64_t)since;
    link->announced = link->started != 0;
    say(link, &packet);
}

static int64_t waits_since(const struct link *link) { return link->waits != 0 ? link->waits : now(); }

static void attempt(struct link *link)
{
    link->process = getpid();
    link->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (link->socket < 0) {
        lose(link);
        return;
    }
    if (connect(link->socket, (struct sockaddr *)&link->address, sizeof link->address) != 0) {
        /* The service that was there is gone; with EAGAIN it has too many connections waiting. */
        if (errno != EAGAIN)
            link->refusal = 0;
        bool is_full = errno == EAGAIN;
        link->waits = is_full ? waits_since(link) : 0;
        lose(link);
        if (is_full)
            link->next_attempt = now() + FULL_NANOSECONDS;
        return;
    }
    link->waits = waits_since(link);
    struct ringer_pcm_packet hello = link->hello;
    bool runs = link->started && !link->over;
    hello.flags |= runs ? RINGER_PCM_RUNS : 0;
    say(link, &hello);
    if (link->socket >= 0 && runs)
        say_started(link, link->started);
}

void link_open(struct link *link, int milliseconds)
{
    attempt(link);
    int64_t end = now() + milliseconds * 1000000LL;
    while ((link->socket >= 0 || link->waits != 0) && !link->accepted) {
        int left = (int)((end - now() + 999999) / 1000000);
        /* Without a socket, which is not polled then, another attempt is due soon. */
        if (link->socket < 0 && left > 10)
            left = 10;
        struct pollfd descriptor = {.fd = link->socket, .events = POLLIN};
        if (left <= 0 || (poll(&descriptor, 1, left) < 0 && errno != EINTR))
            break;
        link_update(link);
    }
}

static ssize_t receive(struct link *link, struct ringer_pcm_packet *packet)
{
    ssize_t count = recv(link->socket, packet, sizeof *packet, MSG_DONTWAIT | MSG_TRUNC);
    /* A service that refused without reading HELLO: the error comes once, before what it sent. */
    if (count < 0 && errno == ECONNRESET)
        count = recv(link->socket, packet, sizeof *packet, MSG_DONTWAIT | MSG_TRUNC);
    return count;
}

void link_update(struct link *link)
{
    if (link->socket >= 0 && link->process != getpid()) {
        /* The connection is the parent's: reading it would take the service's words from there. */
        lose(link);
        link->next_attempt = 0;
        /* The child's sound is not its parent's, which goes on beside it. */
        link->started = link->started ? now() : 0;
    }
    if (link->socket < 0) {
        if (now() >= link->next_attempt)
            attempt(link);
        if (link->socket < 0)
            return;
    }
    struct ringer_pcm_packet packet;
    ssize_t count;
    while ((count = receive(link, &packet)) == sizeof packet) {
        if (packet.version != RINGER_PCM_VERSION || packet.kind == RINGER_PCM_REFUSED) {
            link->refusal = packet.kind == RINGER_PCM_REFUSED ? packet.value : RINGER_PCM_VERSION_UNKNOWN;
            memcpy(link->why, packet.why, sizeof link->why - 1);
            // It is printed on a terminal.
            for (char *end = link->why; *end != '\0'; end++)
                if ((unsigned char)*end < ' ' || *end == 0x7f)
                    *end = '\0';
            link->waits = 0;
            lose(link);
            return;
        }
        if (packet.kind != RINGER_PCM_ACCEPTED && packet.kind != RINGER_PCM_STATE)
            continue;
        link->accepted = true;
        link->refusal = 0;
        link->hangs = false;
        link->asked = link->waits = 0;
        link->heard = now();
        if (packet.kind == RINGER_PCM_ACCEPTED)
            link->flags = packet.flags;
        if (link->announced) {
            link->over = packet.flags & RINGER_PCM_OVER;
            if (packet.since != 0)
                link->started = (int64_t)packet.since;
        }
        link->state = packet.value;
        uint32_t gain = packet.gain < RINGER_PCM_FULL_GAIN ? packet.gain : RINGER_PCM_FULL_GAIN;
        /* A packet that leaves the gain as it is has no say in how long the change before it takes. */
        if (gain != link->gain)
            link->ramp = packet.ramp != 0 ? packet.ramp - 1U : RINGER_PCM_RAMP_MILLISECONDS;
        link->gain = gain;
    }
    if (count >= 0 || (errno != EAGAIN && errno != EINTR))
        lose(link);
}

void link_ask(struct link *link)
{
    int64_t time = now();
    if (link->waits != 0)
        link->hangs = time - link->waits >= ANSWER_NANOSECONDS;
    if (!link->accepted || !link->started || !(link->flags & RINGER_PCM_ANSWERS))
        return;
    if (link->asked != 0) {
        link->hangs = link->hangs || time - link->asked >= ANSWER_NANOSECONDS;
    } else if (time - link->heard >= QUIET_NANOSECONDS) {
        struct ringer_pcm_packet packet = {.version = RINGER_PCM_VERSION, .kind = RINGER_PCM_PING};
        link->asked = time;
        say(link, &packet);
    }
}

void link_tell(struct link *link, bool started)
{
    if ((link->started != 0) == started)
        return;
    link->started = started ? now() : 0;
    link->over = false;
    /* A child that closes what it inherited does not stop the parent's stream. */
    if (link->socket >= 0 && link->process == getpid())
        say_started(link, 0);
}

void link_close(struct link *link)
{
    if (link->socket >= 0)
        close(link->socket);
    link->socket = -1;
}
