// The options' strings.
#include "endpoint.h"

#include <stdlib.h>
#include <string.h>

// The string of that index; NULL if there are no more.
static const char **strings(struct handset_sip_options *options, size_t index)
{
    const char **all[] = {&options->address, &options->playback, &options->capture, &options->address_of_record,
        &options->user, &options->password, &options->registrars[0], &options->registrars[1],
        &options->certificate, &options->authorities};

    return index < ARRAY_SIZE(all) ? all[index] : NULL;
}

bool options_copy(struct handset_sip_options *options)
{
    bool is_whole = true;
    const char **string;

    for (size_t i = 0; (string = strings(options, i)); i++) {
        if (!*string)
            continue;
        *string = strdup(*string);
        is_whole = is_whole && *string;
    }
    return is_whole;
}

void options_free(struct handset_sip_options *options)
{
    const char **string;

    for (size_t i = 0; (string = strings(options, i)); i++)
        free((void *)*string);
}
