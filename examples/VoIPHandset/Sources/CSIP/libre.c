// Functions of libre that the endpoint replaces: the dynamic linker prefers them to libre's own.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <re.h>

// libre prints what it cannot read to standard error: what a stranger sent, which neither the terminal nor the journal is to
// show, and which would block this thread where nobody reads.
int re_fprintf(FILE *stream, const char *format, ...)
{
    (void)stream;
    (void)format;
    return 0;
}

// libre answers a re-INVITE that is refused with 488 and this text, the reason phrase of 488 in RFC 3261; its own is one of the
// system's, such as "No such file or directory". Else it only prints such texts, with the function above.
const char *str_error(int error, char *buffer, size_t size)
{
    (void)error;
    (void)buffer;
    (void)size;
    return "Not Acceptable Here";
}

// Milliseconds for libre's timers, and so for RTP and the retransmissions of SIP. libre's own are of the wall clock: set back, as
// after a start without a network, it would stop them all for as long.
uint64_t tmr_jiffies(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
