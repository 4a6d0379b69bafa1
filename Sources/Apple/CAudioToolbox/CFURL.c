/* URLs of files: paths. */
#include <limits.h>
#include <string.h>

#include "objects.h"

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
    url = ringer_apple_create(URL, sizeof *url + (size_t)length + 1);
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
    const struct __CFString *string = ringer_apple_as(path, STRING);

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
    const struct __CFString *string = ringer_apple_as(reference, STRING);
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
    const struct __CFURL *url = ringer_apple_as(reference, URL);

    (void)resolveAgainstBase;
    if (!url || !buffer || size < 1 || url->size >= (size_t)size)
        return false;
    memcpy(buffer, url->path, url->size + 1);
    return true;
}

CFStringRef CFURLCopyFileSystemPath(CFURLRef reference, CFURLPathStyle style)
{
    const struct __CFURL *url = ringer_apple_as(reference, URL);

    return url && style == kCFURLPOSIXPathStyle ? CFStringCreateWithCString(NULL, url->path, kCFStringEncodingUTF8) : NULL;
}
