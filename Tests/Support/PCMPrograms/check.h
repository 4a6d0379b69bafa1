/* What the programs do where a function of alsa-lib fails: they name the operation with its reason, and end. */
#include <stdio.h>
#include <stdlib.h>

#include <alsa/asoundlib.h>

static void check(const char *operation, long result)
{
    if (result >= 0)
        return;
    fprintf(stderr, "%s: %s\n", operation, snd_strerror((int)result));
    exit(1);
}
