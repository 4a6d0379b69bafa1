#ifndef ENDURANCE_LIBRARY_H
#define ENDURANCE_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

// Kinds of calls of ringer.h. A round returns NULL, or what failed.
struct endurance_library_kind {
    const char *name;
    int share;
    const char *(*round)(unsigned int number);
};

// NULL behind the last one.
const struct endurance_library_kind *endurance_library_kind(size_t index);

#endif
