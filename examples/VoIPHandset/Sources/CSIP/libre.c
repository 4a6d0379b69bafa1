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

// Milliseconds for libre's timers, and so for RTP and the retransmissions of SIP. libre's own are of the wall clock: set back, as
// after a start without a network, it would stop them all for as long.
uint64_t tmr_jiffies(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
