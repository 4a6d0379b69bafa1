/* Core Foundation's objects as structures with a reference count. */
#include <AudioToolbox/AudioSession.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entry_points.h"

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
static const void *as(CFTypeRef reference, enum type type)
{
    const struct object *object = reference;

    return object && object->type == type ? object : NULL;
}

static void *create(enum type type, size_t size)
{
    struct object *object = malloc(size);

    if (object) {
        object->type = type;
        atomic_init(&object->references, 1);
    }
    return object;
}

/* MARK: objects */

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

/* MARK: strings */

CFTypeID CFStringGetTypeID(void)
{
    return STRING;
}

/* The characters of MacRoman's bytes from 0x80 on, all of them below 0x10000. */
static const uint16_t mac_roman[] = {
    0x00C4, 0x00C5, 0x00C7, 0x00C9, 0x00D1, 0x00D6, 0x00DC, 0x00E1, 0x00E0, 0x00E2, 0x00E4, 0x00E3,
    0x00E5, 0x00E7, 0x00E9, 0x00E8, 0x00EA, 0x00EB, 0x00ED, 0x00EC, 0x00EE, 0x00EF, 0x00F1, 0x00F3,
    0x00F2, 0x00F4, 0x00F6, 0x00F5, 0x00FA, 0x00F9, 0x00FB, 0x00FC, 0x2020, 0x00B0, 0x00A2, 0x00A3,
    0x00A7, 0x2022, 0x00B6, 0x00DF, 0x00AE, 0x00A9, 0x2122, 0x00B4, 0x00A8, 0x2260, 0x00C6, 0x00D8,
    0x221E, 0x00B1, 0x2264, 0x2265, 0x00A5, 0x00B5, 0x2202, 0x2211, 0x220F, 0x03C0, 0x222B, 0x00AA,
    0x00BA, 0x03A9, 0x00E6, 0x00F8, 0x00BF, 0x00A1, 0x00AC, 0x221A, 0x0192, 0x2248, 0x2206, 0x00AB,
    0x00BB, 0x2026, 0x00A0, 0x00C0, 0x00C3, 0x00D5, 0x0152, 0x0153, 0x2013, 0x2014, 0x201C, 0x201D,
    0x2018, 0x2019, 0x00F7, 0x25CA, 0x00FF, 0x0178, 0x2044, 0x20AC, 0x2039, 0x203A, 0xFB01, 0xFB02,
    0x2021, 0x00B7, 0x201A, 0x201E, 0x2030, 0x00C2, 0x00CA, 0x00C1, 0x00CB, 0x00C8, 0x00CD, 0x00CE,
    0x00CF, 0x00CC, 0x00D3, 0x00D4, 0xF8FF, 0x00D2, 0x00DA, 0x00DB, 0x00D9, 0x0131, 0x02C6, 0x02DC,
    0x00AF, 0x02D8, 0x02D9, 0x02DA, 0x00B8, 0x02DD, 0x02DB, 0x02C7
};

/* Reads the UTF-8 character at text, and returns the number of its bytes; 0 if there is none. */
static size_t read_character(const unsigned char *text, uint32_t *result)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80 ? 1 : text[0] < 0xC0 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : text[0] < 0xF8 ? 4 : 0;
    uint32_t character;

    *result = text[0];
    if (size < 2)
        return size;
    character = text[0] & (0x7Fu >> size);
    for (size_t index = 1; index < size; index++) {
        if ((text[index] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (text[index] & 0x3F);
    }
    /* Longer than need be, half of a UTF-16 pair, or beyond the last character. */
    if (character < least[size] || (character >= 0xD800 && character < 0xE000) || character > 0x10FFFF)
        return 0;
    *result = character;
    return size;
}

static bool is_encoded(const char *text, CFStringEncoding encoding)
{
    const unsigned char *next = (const unsigned char *)text;
    uint32_t character;
    size_t size;

    if (encoding != kCFStringEncodingUTF8 && encoding != kCFStringEncodingASCII && encoding != kCFStringEncodingMacRoman)
        return false;
    for (; *next; next += size) {
        size = read_character(next, &character);
        if (size == 0 || (size > 1 && encoding != kCFStringEncodingUTF8))
            return false;
    }
    return true;
}

static struct __CFString *create_string(const char *text, size_t size)
{
    struct __CFString *string = create(STRING, sizeof *string + size + 1);

    if (string) {
        char *copy = (char *)(string + 1);
        memcpy(copy, text, size);
        copy[size] = 0;
        string->size = size;
        string->text = copy;
    }
    return string;
}

static CFStringRef create_from_mac_roman(const char *text)
{
    size_t size = 0;
    /* At most three bytes for each. */
    char *converted = malloc(3 * strlen(text) + 1);
    CFStringRef string;

    if (!converted)
        return NULL;
    for (const unsigned char *next = (const unsigned char *)text; *next; next++) {
        uint32_t character = *next < 0x80 ? *next : mac_roman[*next - 0x80];
        if (character >= 0x800)
            converted[size++] = (char)(0xE0 | character >> 12);
        if (character >= 0x80)
            converted[size++] = (char)(character >= 0x800 ? 0x80 | (character >> 6 & 0x3F) : 0xC0 | character >> 6);
        converted[size++] = (char)(character < 0x80 ? character : 0x80 | (character & 0x3F));
    }
    string = create_string(converted, size);
    free(converted);
    return string;
}

CFStringRef CFStringCreateWithCString(CFAllocatorRef allocator, const char *text, CFStringEncoding encoding)
{
    (void)allocator;
    if (text && encoding == kCFStringEncodingMacRoman)
        return create_from_mac_roman(text);
    return text && is_encoded(text, encoding) ? create_string(text, strlen(text)) : NULL;
}

CFStringRef __CFStringMakeConstantString(const char *text)
{
    struct constant {
        struct constant *next;
        struct __CFString *string;
    };
    static struct constant *constants;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct constant *constant;

    if (!text || !is_encoded(text, kCFStringEncodingUTF8))
        return NULL;
    pthread_mutex_lock(&lock);
    for (constant = constants; constant && strcmp(constant->string->text, text); constant = constant->next)
        ;
    if (!constant && (constant = malloc(sizeof *constant))) {
        constant->string = create_string(text, strlen(text));
        if (constant->string) {
            atomic_init(&constant->string->object.references, 0);
            constant->next = constants;
            constants = constant;
        } else {
            free(constant);
            constant = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return constant ? constant->string : NULL;
}

const void *ringer_apple_constant_string(const char *text)
{
    return __CFStringMakeConstantString(text);
}

CFIndex CFStringGetLength(CFStringRef reference)
{
    const struct __CFString *string = as(reference, STRING);
    CFIndex length = 0;

    /* A character of four bytes is a pair in UTF-16. */
    for (size_t index = 0; string && index < string->size; index++)
        length += ((unsigned char)string->text[index] & 0xC0) != 0x80 ? 1 + ((unsigned char)string->text[index] >= 0xF0) : 0;
    return length;
}

const char *CFStringGetCStringPtr(CFStringRef reference, CFStringEncoding encoding)
{
    const struct __CFString *string = as(reference, STRING);

    return string && is_encoded(string->text, encoding) ? string->text : NULL;
}

static Boolean get_mac_roman(CFStringRef reference, char *buffer, CFIndex size)
{
    const struct __CFString *string = as(reference, STRING);
    const unsigned char *next = string ? (const unsigned char *)string->text : NULL;

    for (; next && buffer && size > 1 && *next; size--) {
        uint32_t character, byte = 0;
        next += read_character(next, &character);
        while (character >= 0x80 && byte < 0x80 && mac_roman[byte] != character)
            byte++;
        if (byte == 0x80)
            return false;
        *buffer++ = (char)(character < 0x80 ? character : 0x80 + byte);
    }
    if (!next || !buffer || size < 1 || *next)
        return false;
    *buffer = 0;
    return true;
}

Boolean CFStringGetCString(CFStringRef reference, char *buffer, CFIndex size, CFStringEncoding encoding)
{
    const char *text = CFStringGetCStringPtr(reference, encoding);

    if (encoding == kCFStringEncodingMacRoman)
        return get_mac_roman(reference, buffer, size);
    if (!text || !buffer || size < 1 || strlen(text) >= (size_t)size)
        return false;
    memcpy(buffer, text, strlen(text) + 1);
    return true;
}

CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding)
{
    CFIndex most = encoding == kCFStringEncodingUTF8 ? 3 : 1;

    return length < 0 || length > LONG_MAX / most ? -1 : length * most;
}

CFComparisonResult CFStringCompare(CFStringRef one, CFStringRef other, CFStringCompareFlags options)
{
    const struct __CFString *first = as(one, STRING), *second = as(other, STRING);
    /* The order of UTF-8's bytes is that of the characters. */
    int result = first && second ? strcmp(first->text, second->text) : !!first - !!second;

    (void)options;
    return result < 0 ? kCFCompareLessThan : result > 0 ? kCFCompareGreaterThan : kCFCompareEqualTo;
}

/* MARK: numbers */

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
    struct __CFNumber *number = size != 0 && value ? create(NUMBER, sizeof *number) : NULL;

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
    const struct __CFNumber *number = as(reference, NUMBER);
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

/* MARK: dictionaries */

CFTypeID CFDictionaryGetTypeID(void)
{
    return DICTIONARY;
}

const void *ringer_apple_create_route_change(uint32_t reason, const char *old_route)
{
    struct __CFDictionary *dictionary = create(DICTIONARY, sizeof *dictionary);

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
    const struct __CFDictionary *dictionary = as(reference, DICTIONARY);

    for (CFIndex index = 0; dictionary && index < dictionary->count; index++) {
        if (CFEqual(dictionary->entries[index].key, key))
            return &dictionary->entries[index];
    }
    return NULL;
}

CFIndex CFDictionaryGetCount(CFDictionaryRef reference)
{
    const struct __CFDictionary *dictionary = as(reference, DICTIONARY);

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

/* MARK: URLs of files */

CFTypeID CFURLGetTypeID(void)
{
    return URL;
}

CFURLRef CFURLCreateFromFileSystemRepresentation(
    CFAllocatorRef allocator, const UInt8 *path, CFIndex length, Boolean isDirectory)
{
    struct __CFURL *url;

    (void)allocator, (void)isDirectory;
    /* A zero would cut the path short: another file. */
    if (!path || length < 1 || length >= PATH_MAX || memchr(path, 0, (size_t)length))
        return NULL;
    url = create(URL, sizeof *url + (size_t)length + 1);
    if (url) {
        url->size = (size_t)length;
        memcpy(url->path, path, url->size);
        url->path[url->size] = 0;
    }
    return url;
}

CFURLRef CFURLCreateWithFileSystemPath(
    CFAllocatorRef allocator, CFStringRef path, CFURLPathStyle style, Boolean isDirectory)
{
    const struct __CFString *string = as(path, STRING);

    if (!string || style != kCFURLPOSIXPathStyle)
        return NULL;
    return CFURLCreateFromFileSystemRepresentation(
        allocator, (const UInt8 *)string->text, (CFIndex)string->size, isDirectory);
}

static int digit(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    character |= 0x20;
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

CFURLRef CFURLCreateWithString(CFAllocatorRef allocator, CFStringRef reference, CFURLRef base)
{
    static const char *const starts[] = {"file:///", "file://localhost/"};
    const struct __CFString *string = as(reference, STRING);
    const char *next = NULL;
    UInt8 path[PATH_MAX];
    CFIndex count = 0;

    for (size_t index = 0; string && !base && index < 2; index++) {
        if (strncmp(string->text, starts[index], strlen(starts[index])) == 0)
            next = string->text + strlen(starts[index]) - 1;
    }
    if (!next)
        return NULL;
    for (; *next; next++) {
        if (count == PATH_MAX - 1)
            return NULL;
        if (*next == '%') {
            if (digit(next[1]) < 0 || digit(next[2]) < 0)
                return NULL;
            path[count++] = (UInt8)(digit(next[1]) << 4 | digit(next[2]));
            next += 2;
        } else {
            path[count++] = (UInt8)*next;
        }
    }
    return CFURLCreateFromFileSystemRepresentation(allocator, path, count, false);
}

Boolean CFURLGetFileSystemRepresentation(CFURLRef reference, Boolean resolveAgainstBase, UInt8 *buffer, CFIndex size)
{
    const struct __CFURL *url = as(reference, URL);

    (void)resolveAgainstBase;
    if (!url || !buffer || size < 1 || url->size >= (size_t)size)
        return false;
    memcpy(buffer, url->path, url->size + 1);
    return true;
}

CFStringRef CFURLCopyFileSystemPath(CFURLRef reference, CFURLPathStyle style)
{
    const struct __CFURL *url = as(reference, URL);

    return url && style == kCFURLPOSIXPathStyle ? CFStringCreateWithCString(NULL, url->path, kCFStringEncodingUTF8) : NULL;
}

/* MARK: the bundle */

CFBundleRef CFBundleGetMainBundle(void)
{
    static struct __CFBundle bundle = {{BUNDLE, 0}};

    return &bundle;
}

CFURLRef CFBundleCopyResourceURL(CFBundleRef bundle, CFStringRef name, CFStringRef type, CFStringRef folder)
{
    const struct __CFString *parts[] = {as(folder, STRING), as(name, STRING), as(type, STRING)};
    static const char *const separators[] = {"/", "/", "."};
    char path[PATH_MAX];
    ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);

    if (!as(bundle, BUNDLE) || !parts[1] || count <= 0)
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

/* MARK: the run loop, which RunLoop.c runs */

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
