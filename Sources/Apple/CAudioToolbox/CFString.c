/* Strings: UTF-8, as CFString. */
#include <AudioToolbox/AudioSession.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "entry_points.h"
#include "objects.h"

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
    struct __CFString *string = ringer_apple_create(STRING, sizeof *string + size + 1);

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
    const struct __CFString *string = ringer_apple_as(reference, STRING);
    CFIndex length = 0;

    /* A character of four bytes is a pair in UTF-16. */
    for (size_t index = 0; string && index < string->size; index++)
        length += ((unsigned char)string->text[index] & 0xC0) != 0x80 ? 1 + ((unsigned char)string->text[index] >= 0xF0) : 0;
    return length;
}

const char *CFStringGetCStringPtr(CFStringRef reference, CFStringEncoding encoding)
{
    const struct __CFString *string = ringer_apple_as(reference, STRING);

    return string && is_encoded(string->text, encoding) ? string->text : NULL;
}

static Boolean get_mac_roman(CFStringRef reference, char *buffer, CFIndex size)
{
    const struct __CFString *string = ringer_apple_as(reference, STRING);
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
    const struct __CFString *first = ringer_apple_as(one, STRING), *second = ringer_apple_as(other, STRING);
    /* The order of UTF-8's bytes is that of the characters. */
    int result = first && second ? strcmp(first->text, second->text) : !!first - !!second;

    (void)options;
    return result < 0 ? kCFCompareLessThan : result > 0 ? kCFCompareGreaterThan : kCFCompareEqualTo;
}
