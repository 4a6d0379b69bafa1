// Descriptors that are kept for the calls that there may be: strangers' connections leave them these.
#include "endpoint.h"

#include <fcntl.h>
#include <unistd.h>

void reserve_fill(struct handset_sip *sip)
{
    uint32_t wanted = (sip->options.calls - list_count(&sip->calls)) * CALL_DESCRIPTORS, i;

    for (i = 0; i < wanted && i < MOST_RESERVED; i++)
        if (sip->reserve[i] < 0)
            sip->reserve[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void reserve_empty(struct handset_sip *sip, uint32_t count)
{
    uint32_t i;

    for (i = MOST_RESERVED; i > 0 && count > 0; i--) {
        if (sip->reserve[i - 1] < 0)
            continue;
        close(sip->reserve[i - 1]);
        sip->reserve[i - 1] = -1;
        count--;
    }
}
