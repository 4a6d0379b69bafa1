/* What all objects of Core Foundation have; the main bundle, and the run loop that RunLoop.c runs. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"

const void *ringer_apple_as(CFTypeRef reference, enum type type)
{
    const struct object *object = reference;

    return object && object->type == type ? object : NULL;
}

void *ringer_apple_create(enum type type, size_t size)
{
    struct object *object = malloc(size);

    if (object) {
        object->type = type;
        atomic_init(&object->references, 1);
    }
    return object;
}

CFTypeRef CFRetain(CFTypeRef reference)
{
    struct object *object = (struct object *)reference;

    if (object && atomic_load_explicit(&object->references, memory_order_relaxed) > 0)
        atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    return reference;
}

void CFRelease(CFTypeRef reference)
{
    struct object *object = (struct object *)reference;

    if (!object || atomic_load_explicit(&object->references, memory_order_relaxed) == 0)
        return;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) > 1)
        return;
    if (object->type == DICTIONARY) {
        const struct __CFDictionary *dictionary = reference;
        for (CFIndex index = 0; index < dictionary->count; index++) {
            CFRelease(dictionary->entries[index].key);
            CFRelease(dictionary->entries[index].value);
        }
    }
    free(object);
}

CFIndex CFGetRetainCount(CFTypeRef reference)
{
    struct object *object = (struct object *)reference;
    CFIndex count = object ? atomic_load_explicit(&object->references, memory_order_relaxed) : 0;

    return object && count == 0 ? LONG_MAX : count;
}

CFTypeID CFGetTypeID(CFTypeRef reference)
{
    const struct object *object = reference;

    return object ? object->type : 0;
}

Boolean CFEqual(CFTypeRef one, CFTypeRef other)
{
    if (one == other)
        return true;
    if (!one || !other || CFGetTypeID(one) != CFGetTypeID(other))
        return false;
    switch (CFGetTypeID(one)) {
    case STRING:
        return CFStringCompare(one, other, 0) == kCFCompareEqualTo;
    case NUMBER: {
        const struct __CFNumber *first = one, *second = other;
        if (first->isFloat || second->isFloat)
            return first->real == second->real;
        return first->integer == second->integer;
    }
    case URL:
        return strcmp(((CFURLRef)one)->path, ((CFURLRef)other)->path) == 0;
    default:
        return false;
    }
}

CFBundleRef CFBundleGetMainBundle(void)
{
    static struct __CFBundle bundle = {{BUNDLE, 0}};

    return &bundle;
}

CFURLRef CFBundleCopyResourceURL(CFBundleRef bundle, CFStringRef name, CFStringRef type, CFStringRef folder)
{
    const struct __CFString *parts[] = {ringer_apple_as(folder, STRING), ringer_apple_as(name, STRING), ringer_apple_as(type, STRING)};
    static const char *const separators[] = {"/", "/", "."};
    char path[PATH_MAX];
    ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);

    if (!ringer_apple_as(bundle, BUNDLE) || !parts[1] || count <= 0)
        return NULL;
    path[count] = 0;
    *strrchr(path, '/') = 0;
    count = (ssize_t)strlen(path);
    for (int index = 0; index < 3; index++) {
        if (!parts[index])
            continue;
        if ((size_t)count + 1 + parts[index]->size >= sizeof path)
            return NULL;
        path[count++] = separators[index][0];
        memcpy(path + count, parts[index]->text, parts[index]->size + 1);
        count += (ssize_t)parts[index]->size;
    }
    if (access(path, F_OK) != 0)
        return NULL;
    return CFURLCreateFromFileSystemRepresentation(NULL, (const UInt8 *)path, (CFIndex)count, false);
}

static const struct __CFString default_mode = {{STRING, 0}, sizeof "kCFRunLoopDefaultMode" - 1, "kCFRunLoopDefaultMode"};
static const struct __CFString common_modes = {{STRING, 0}, sizeof "kCFRunLoopCommonModes" - 1, "kCFRunLoopCommonModes"};
const CFRunLoopMode kCFRunLoopDefaultMode = &default_mode;
const CFRunLoopMode kCFRunLoopCommonModes = &common_modes;

CFRunLoopRef CFRunLoopGetMain(void)
{
    static struct __CFRunLoop loop = {{RUN_LOOP, 0}};

    return &loop;
}

CFRunLoopRef CFRunLoopGetCurrent(void)
{
    return CFRunLoopGetMain();
}
