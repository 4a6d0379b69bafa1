/* Core Foundation's objects as structures with a reference count. */
#ifndef RINGER_APPLE_OBJECTS_H
#define RINGER_APPLE_OBJECTS_H

#include <CoreFoundation/CoreFoundation.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* CFTypeID. */
enum type { STRING = 1, NUMBER, DICTIONARY, URL, BUNDLE, RUN_LOOP };

struct object {
    enum type type;
    /* 0 for an object that is never freed. */
    _Atomic CFIndex references;
};

struct __CFString {
    struct object object;
    size_t size;
    /* UTF-8 with a zero at the end, behind the structure or constant. */
    const char *text;
};

struct __CFNumber {
    struct object object;
    bool isFloat;
    SInt64 integer;
    double real;
};

struct entry {
    CFTypeRef key, value;
};

/* Owns the keys and values. */
struct __CFDictionary {
    struct object object;
    CFIndex count;
    struct entry entries[2];
};

/* A path with a zero at the end. */
struct __CFURL {
    struct object object;
    size_t size;
    char path[];
};

struct __CFBundle {
    struct object object;
};

struct __CFRunLoop {
    struct object object;
};

/* The object as one of the type; NULL if it is another. */
const void *ringer_apple_as(CFTypeRef reference, enum type type);
/* An object with one reference; NULL without memory. */
void *ringer_apple_create(enum type type, size_t size);

#endif
