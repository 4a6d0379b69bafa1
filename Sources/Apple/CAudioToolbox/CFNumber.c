/* Numbers, and the dictionary of a route change. */
#include <AudioToolbox/AudioSession.h>

#include "entry_points.h"
#include "objects.h"

CFTypeID CFNumberGetTypeID(void)
{
    return NUMBER;
}

/* The size of a value of the type, negative for floating point; 0 if there is no such type. */
static int number_size(CFNumberType type)
{
    switch (type) {
    case kCFNumberSInt8Type: return 1;
    case kCFNumberSInt16Type: return 2;
    case kCFNumberSInt32Type: return 4;
    case kCFNumberSInt64Type: return 8;
    case kCFNumberCharType: return sizeof(char);
    case kCFNumberShortType: return sizeof(short);
    case kCFNumberIntType: return sizeof(int);
    case kCFNumberLongType: return sizeof(long);
    case kCFNumberLongLongType: return sizeof(long long);
    case kCFNumberCFIndexType: return sizeof(CFIndex);
    case kCFNumberFloat32Type:
    case kCFNumberFloatType: return -4;
    case kCFNumberFloat64Type:
    case kCFNumberDoubleType: return -8;
    default: return 0;
    }
}

CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type, const void *value)
{
    int size = number_size(type);
    struct __CFNumber *number = size != 0 && value ? ringer_apple_create(NUMBER, sizeof *number) : NULL;

    (void)allocator;
    if (!number)
        return NULL;
    number->isFloat = size < 0;
    number->integer = 0;
    switch (size) {
    case 1: number->integer = *(const SInt8 *)value; break;
    case 2: number->integer = *(const SInt16 *)value; break;
    case 4: number->integer = *(const SInt32 *)value; break;
    case 8: number->integer = *(const SInt64 *)value; break;
    case -4: number->real = *(const Float32 *)value; break;
    default: number->real = *(const Float64 *)value; break;
    }
    if (!number->isFloat)
        number->real = (double)number->integer;
    return number;
}

Boolean CFNumberGetValue(CFNumberRef reference, CFNumberType type, void *value)
{
    const struct __CFNumber *number = ringer_apple_as(reference, NUMBER);
    int size = number_size(type);
    SInt64 integer, limit;

    if (!number || !value || size == 0)
        return false;
    if (size == -8) {
        *(Float64 *)value = number->real;
        return number->isFloat || ((number->real < 9.2e18) && (SInt64)number->real == number->integer);
    }
    if (size == -4) {
        *(Float32 *)value = (Float32)number->real;
        return *(Float32 *)value == number->real || number->real != number->real;
    }
    integer = number->integer;
    if (number->isFloat) {
        if (!(number->real >= -9.2e18 && number->real <= 9.2e18))
            return false;
        integer = (SInt64)number->real;
        if ((double)integer != number->real)
            return false;
    }
    limit = size == 8 ? INT64_MAX : ((SInt64)1 << (8 * size - 1)) - 1;
    if (integer > limit || integer < -limit - 1)
        return false;
    switch (size) {
    case 1: *(SInt8 *)value = (SInt8)integer; break;
    case 2: *(SInt16 *)value = (SInt16)integer; break;
    case 4: *(SInt32 *)value = (SInt32)integer; break;
    default: *(SInt64 *)value = integer; break;
    }
    return true;
}

CFTypeID CFDictionaryGetTypeID(void)
{
    return DICTIONARY;
}

const void *ringer_apple_create_route_change(uint32_t reason, const char *old_route)
{
    struct __CFDictionary *dictionary = ringer_apple_create(DICTIONARY, sizeof *dictionary);

    if (!dictionary)
        return NULL;
    dictionary->count = 2;
    dictionary->entries[0].key = CFSTR(kAudioSession_AudioRouteChangeKey_Reason);
    dictionary->entries[0].value = CFNumberCreate(NULL, kCFNumberSInt32Type, &reason);
    dictionary->entries[1].key = CFSTR(kAudioSession_AudioRouteChangeKey_OldRoute);
    dictionary->entries[1].value = __CFStringMakeConstantString(old_route);
    return dictionary;
}

void ringer_apple_release(const void *object)
{
    CFRelease(object);
}

static const struct entry *find(CFDictionaryRef reference, const void *key)
{
    const struct __CFDictionary *dictionary = ringer_apple_as(reference, DICTIONARY);

    for (CFIndex index = 0; dictionary && index < dictionary->count; index++) {
        if (CFEqual(dictionary->entries[index].key, key))
            return &dictionary->entries[index];
    }
    return NULL;
}

CFIndex CFDictionaryGetCount(CFDictionaryRef reference)
{
    const struct __CFDictionary *dictionary = ringer_apple_as(reference, DICTIONARY);

    return dictionary ? dictionary->count : 0;
}

Boolean CFDictionaryContainsKey(CFDictionaryRef dictionary, const void *key)
{
    return find(dictionary, key) != NULL;
}

const void *CFDictionaryGetValue(CFDictionaryRef dictionary, const void *key)
{
    const struct entry *entry = find(dictionary, key);

    return entry ? entry->value : NULL;
}

Boolean CFDictionaryGetValueIfPresent(CFDictionaryRef dictionary, const void *key, const void **value)
{
    const struct entry *entry = find(dictionary, key);

    if (entry && value)
        *value = entry->value;
    return entry != NULL;
}
