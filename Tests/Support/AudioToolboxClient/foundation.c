/* Core Foundation's objects. */
#include <AudioToolbox/AudioToolbox.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client.h"

static int failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static void check_strings(void)
{
    char buffer[16];
    CFStringRef string = CFStringCreateWithCString(NULL, "Tür \xF0\x9F\x94\x94", kCFStringEncodingUTF8);

    CHECK(CFGetRetainCount(string) == 1 && CFGetTypeID(string) == CFStringGetTypeID());
    CHECK(CFStringGetLength(string) == 6);
    CHECK(CFStringGetCString(string, buffer, sizeof buffer, kCFStringEncodingUTF8) && strlen(buffer) == 9);
    CHECK(CFStringGetCString(string, buffer, 10, kCFStringEncodingUTF8));
    CHECK(!CFStringGetCString(string, buffer, 9, kCFStringEncodingUTF8));
    CHECK(!CFStringGetCString(string, buffer, sizeof buffer, kCFStringEncodingASCII));
    CHECK(CFStringGetCStringPtr(string, kCFStringEncodingASCII) == NULL);
    CHECK(CFStringGetMaximumSizeForEncoding(6, kCFStringEncodingUTF8) >= 9);
    CHECK(CFRetain(string) == string && CFGetRetainCount(string) == 2);
    CFRelease(string);
    CHECK(!CFEqual(string, CFSTR("route")) && !CFEqual(string, NULL) && CFEqual(string, string));
    CFRelease(string);
    CHECK(CFSTR("route") == CFSTR("route") && CFSTR("route") != CFSTR("routes"));
    CFRelease(CFSTR("route"));
    CHECK(CFGetRetainCount(CFSTR("route")) > 1000);
    string = CFStringCreateWithCString(NULL, "route", kCFStringEncodingASCII);
    CHECK(string != CFSTR("route") && CFEqual(string, CFSTR("route")));
    CFRelease(string);
    CHECK(CFStringCompare(CFSTR("a"), CFSTR("b"), 0) == kCFCompareLessThan);
    CHECK(CFStringCompare(CFSTR("b"), CFSTR("a"), 0) == kCFCompareGreaterThan);
    CHECK(CFEqual(kCFRunLoopDefaultMode, CFSTR("kCFRunLoopDefaultMode")));
    string = CFStringCreateWithCString(NULL, "T\x9Fr \xDB", kCFStringEncodingMacRoman);
    CHECK(CFEqual(string, CFSTR("Tür €")) && CFStringGetLength(string) == 5);
    CHECK(CFStringGetCString(string, buffer, 6, kCFStringEncodingMacRoman) && strcmp(buffer, "T\x9Fr \xDB") == 0);
    CHECK(!CFStringGetCString(string, buffer, 5, kCFStringEncodingMacRoman));
    CHECK(!CFStringGetCStringPtr(string, kCFStringEncodingMacRoman));
    CFRelease(string);
    CHECK(!CFStringGetCString(CFSTR("Ω Ж"), buffer, sizeof buffer, kCFStringEncodingMacRoman));
    CHECK(strcmp(CFStringGetCStringPtr(CFSTR("route"), kCFStringEncodingMacRoman), "route") == 0);
    /* No UTF-8: a byte alone, too long, half of a pair, beyond the last, cut short. */
    CHECK(!CFStringCreateWithCString(NULL, "\x80", kCFStringEncodingUTF8));
    CHECK(!CFStringCreateWithCString(NULL, "\xC0\x80", kCFStringEncodingUTF8));
    CHECK(!CFStringCreateWithCString(NULL, "\xE0\x80\x80", kCFStringEncodingUTF8));
    CHECK(!CFStringCreateWithCString(NULL, "\xED\xA0\x80", kCFStringEncodingUTF8));
    CHECK(!CFStringCreateWithCString(NULL, "\xF4\x90\x80\x80", kCFStringEncodingUTF8));
    CHECK(!CFStringCreateWithCString(NULL, "\xE2\x82", kCFStringEncodingUTF8));
    CHECK(!CFStringCreateWithCString(NULL, "T\xC3\xBCr", kCFStringEncodingASCII));
    CHECK(!CFStringCreateWithCString(NULL, "a", 4) && !CFStringCreateWithCString(NULL, NULL, kCFStringEncodingUTF8));
}

static void check_numbers(void)
{
    SInt32 small = -7;
    SInt64 large = INT64_MAX, whole = 0;
    double half = 0.5, real = 0;
    SInt8 byte = 0;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt32Type, &small);
    CFNumberRef other = CFNumberCreate(NULL, kCFNumberSInt64Type, &large);
    CFNumberRef fraction = CFNumberCreate(NULL, kCFNumberDoubleType, &half);

    CHECK(CFGetTypeID(number) == CFNumberGetTypeID());
    CHECK(CFNumberGetValue(number, kCFNumberSInt8Type, &byte) && byte == -7);
    CHECK(CFNumberGetValue(number, kCFNumberFloat64Type, &real) && real == -7);
    CHECK(CFNumberGetValue(other, kCFNumberLongLongType, &whole) && whole == INT64_MAX);
    CHECK(!CFNumberGetValue(other, kCFNumberIntType, &small));
    CHECK(!CFNumberGetValue(other, kCFNumberDoubleType, &real));
    CHECK(CFNumberGetValue(fraction, kCFNumberDoubleType, &real) && real == 0.5);
    CHECK(!CFNumberGetValue(fraction, kCFNumberSInt64Type, &whole));
    CHECK(!CFNumberGetValue(fraction, 99, &whole) && !CFNumberGetValue(NULL, kCFNumberIntType, &small));
    CHECK(!CFNumberGetValue(fraction, kCFNumberIntType, NULL) && !CFNumberCreate(NULL, 99, &small));
    /* A string is no number. */
    CHECK(!CFNumberGetValue((CFNumberRef)(CFTypeRef)CFSTR("7"), kCFNumberIntType, &small));
    CHECK(!CFEqual(number, other) && !CFEqual(number, CFSTR("7")));
    CFRelease(number);
    number = CFNumberCreate(NULL, kCFNumberSInt64Type, &large);
    CHECK(CFEqual(number, other));
    CFRelease(number);
    CFRelease(other);
    CFRelease(fraction);
    half = NAN;
    fraction = CFNumberCreate(NULL, kCFNumberDoubleType, &half);
    CHECK(!CFNumberGetValue(fraction, kCFNumberSInt64Type, &whole));
    CFRelease(fraction);
}

static void check_urls(void)
{
    static const UInt8 bytes[] = {'/', 0xFF, 'x', 0, 'y'};
    UInt8 path[16];
    CFURLRef url = CFURLCreateFromFileSystemRepresentation(NULL, bytes, 3, false);
    CFURLRef escaped = CFURLCreateWithString(NULL, CFSTR("file:///%fFx"), NULL);
    CFStringRef string;

    CHECK(CFGetTypeID(url) == CFURLGetTypeID() && CFEqual(url, escaped));
    CHECK(CFURLGetFileSystemRepresentation(url, true, path, sizeof path) && path[1] == 0xFF && path[3] == 0);
    CHECK(!CFURLGetFileSystemRepresentation(url, true, path, 3));
    CHECK(!CFURLCopyFileSystemPath(url, kCFURLPOSIXPathStyle));
    CFRelease(url);
    CFRelease(escaped);
    /* A zero would cut the path short. */
    CHECK(!CFURLCreateFromFileSystemRepresentation(NULL, bytes, 5, false));
    CHECK(!CFURLCreateWithString(NULL, CFSTR("file:///a%00b"), NULL));
    CHECK(!CFURLCreateWithString(NULL, CFSTR("file:///a%4"), NULL));
    CHECK(!CFURLCreateWithString(NULL, CFSTR("https://a/b"), NULL));
    CHECK(!CFURLCreateWithString(NULL, CFSTR(""), NULL) && !CFURLCreateWithString(NULL, NULL, NULL));
    CHECK(!CFURLCreateFromFileSystemRepresentation(NULL, bytes, -1, false));
    CHECK(!CFURLCreateWithFileSystemPath(NULL, NULL, kCFURLPOSIXPathStyle, false));
    url = CFURLCreateWithFileSystemPath(NULL, CFSTR("/a b"), kCFURLPOSIXPathStyle, false);
    string = CFURLCopyFileSystemPath(url, kCFURLPOSIXPathStyle);
    CHECK(CFEqual(string, CFSTR("/a b")));
    CFRelease(string);
    CFRelease(url);
    /* This program is a file of its own folder. */
    url = CFBundleCopyResourceURL(CFBundleGetMainBundle(), CFSTR("audiotoolbox-client"), NULL, NULL);
    CHECK(url);
    CFRelease(url);
    CHECK(!CFBundleCopyResourceURL(CFBundleGetMainBundle(), CFSTR("audiotoolbox"), CFSTR("client"), CFSTR("none")));
    CHECK(!CFBundleCopyResourceURL(CFBundleGetMainBundle(), NULL, NULL, NULL));
}

int client_run_foundation(void)
{
    check_strings();
    check_numbers();
    check_urls();
    CHECK(CFDictionaryGetCount(NULL) == 0 && !CFDictionaryGetValue(NULL, CFSTR("a")));
    CHECK(!CFDictionaryContainsKey((CFDictionaryRef)(CFTypeRef)CFSTR("a"), CFSTR("a")));
    CHECK(!CFDictionaryGetValueIfPresent(NULL, CFSTR("a"), NULL));
    CHECK(fabs(CFAbsoluteTimeGetCurrent() + kCFAbsoluteTimeIntervalSince1970 - (double)time(NULL)) < 60);
    CHECK(CACurrentMediaTime() > 0);
    CFRelease(NULL);
    CHECK(!CFRetain(NULL) && CFGetTypeID(NULL) == 0 && CFGetRetainCount(NULL) == 0);
    CHECK(CFRunLoopGetMain() == CFRunLoopGetCurrent() && CFRetain(CFRunLoopGetMain()) == CFRunLoopGetMain());
    printf("%d failures\n", failures);
    return failures;
}
