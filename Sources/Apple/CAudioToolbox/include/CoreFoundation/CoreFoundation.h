/*
 * The part of Core Foundation that <AudioToolbox/AudioToolbox.h> needs.
 *
 * Objects have a reference count. Functions with Create or Copy in their names return an object that the caller releases;
 * the caller does not own what others return. They return NULL for bad input and without memory. NULL may be passed for an
 * object and has no effect. Objects do not change, and any thread may use them. Allocators are ignored.
 */
#ifndef RINGER_COREFOUNDATION_H
#define RINGER_COREFOUNDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char Boolean;
typedef uint8_t UInt8;
typedef int8_t SInt8;
typedef uint16_t UInt16;
typedef int16_t SInt16;
typedef uint32_t UInt32;
typedef int32_t SInt32;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef float Float32;
typedef double Float64;
typedef SInt32 OSStatus;
typedef UInt32 FourCharCode;
typedef FourCharCode OSType;

enum { noErr = 0 };

/* The library's name of a function. Core Foundation's own would take the place of those of a Foundation that the program, or
 * a library of it, uses besides. */
#define RINGER_CF(name) __asm__("ringer_" #name)

typedef const void *CFTypeRef;
typedef unsigned long CFTypeID;
typedef signed long CFIndex;
typedef double CFTimeInterval;
typedef CFTimeInterval CFAbsoluteTime;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFString *CFStringRef;
typedef const struct __CFNumber *CFNumberRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef const struct __CFURL *CFURLRef;
typedef struct __CFBundle *CFBundleRef;
typedef struct __CFRunLoop *CFRunLoopRef;
typedef CFStringRef CFRunLoopMode;

#define kCFAllocatorDefault ((CFAllocatorRef)0)

/* MARK: objects */

/* Adds a reference, and returns the object. */
CFTypeRef CFRetain(CFTypeRef object) RINGER_CF(CFRetain);

/* Removes a reference; the last one frees the object. */
void CFRelease(CFTypeRef object) RINGER_CF(CFRelease);

/* How many references there are; a large number for an object that is never freed. */
CFIndex CFGetRetainCount(CFTypeRef object) RINGER_CF(CFGetRetainCount);

/* The type of an object; 0 for NULL. */
CFTypeID CFGetTypeID(CFTypeRef object) RINGER_CF(CFGetTypeID);

/* Whether two objects are of one type and have one value. */
Boolean CFEqual(CFTypeRef one, CFTypeRef other) RINGER_CF(CFEqual);

/* MARK: strings */

typedef UInt32 CFStringEncoding;

/* Other encodings are not known. */
enum {
    kCFStringEncodingMacRoman = 0,
    kCFStringEncodingASCII = 0x0600,
    kCFStringEncodingUTF8 = 0x08000100
};

typedef enum {
    kCFCompareLessThan = -1,
    kCFCompareEqualTo = 0,
    kCFCompareGreaterThan = 1
} CFComparisonResult;

/* No options are known. */
typedef UInt32 CFStringCompareFlags;

/* The string of a literal. It is never freed. */
#define CFSTR(literal) __CFStringMakeConstantString("" literal "")
CFStringRef __CFStringMakeConstantString(const char *text) RINGER_CF(__CFStringMakeConstantString);

CFTypeID CFStringGetTypeID(void) RINGER_CF(CFStringGetTypeID);

/* A string of the text's bytes. NULL if they are not of the encoding. */
CFStringRef CFStringCreateWithCString(CFAllocatorRef allocator, const char *text, CFStringEncoding encoding)
    RINGER_CF(CFStringCreateWithCString);

/* The length in UTF-16 units. */
CFIndex CFStringGetLength(CFStringRef string) RINGER_CF(CFStringGetLength);

/* Copies the text with a zero at its end. False if the buffer is too small, or the encoding has not all characters. */
Boolean CFStringGetCString(CFStringRef string, char *buffer, CFIndex size, CFStringEncoding encoding)
    RINGER_CF(CFStringGetCString);

/* The text, valid as long as the string; NULL if the encoding has not all characters. */
const char *CFStringGetCStringPtr(CFStringRef string, CFStringEncoding encoding) RINGER_CF(CFStringGetCStringPtr);

/* The most bytes that a string of so many UTF-16 units has, without the zero at the end. */
CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding)
    RINGER_CF(CFStringGetMaximumSizeForEncoding);

/* Compares strings by their characters. */
CFComparisonResult CFStringCompare(CFStringRef one, CFStringRef other, CFStringCompareFlags options)
    RINGER_CF(CFStringCompare);

/* MARK: numbers */

typedef CFIndex CFNumberType;

enum {
    kCFNumberSInt8Type = 1,
    kCFNumberSInt16Type = 2,
    kCFNumberSInt32Type = 3,
    kCFNumberSInt64Type = 4,
    kCFNumberFloat32Type = 5,
    kCFNumberFloat64Type = 6,
    kCFNumberCharType = 7,
    kCFNumberShortType = 8,
    kCFNumberIntType = 9,
    kCFNumberLongType = 10,
    kCFNumberLongLongType = 11,
    kCFNumberFloatType = 12,
    kCFNumberDoubleType = 13,
    kCFNumberCFIndexType = 14
};

CFTypeID CFNumberGetTypeID(void) RINGER_CF(CFNumberGetTypeID);

/* A number from a value of the type. */
CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type, const void *value) RINGER_CF(CFNumberCreate);

/* Writes the number as a value of the type. False if that cannot hold it exactly. */
Boolean CFNumberGetValue(CFNumberRef number, CFNumberType type, void *value) RINGER_CF(CFNumberGetValue);

/* MARK: dictionaries */

CFTypeID CFDictionaryGetTypeID(void) RINGER_CF(CFDictionaryGetTypeID);
CFIndex CFDictionaryGetCount(CFDictionaryRef dictionary) RINGER_CF(CFDictionaryGetCount);
Boolean CFDictionaryContainsKey(CFDictionaryRef dictionary, const void *key) RINGER_CF(CFDictionaryContainsKey);

/* The value of a key; NULL if there is none. */
const void *CFDictionaryGetValue(CFDictionaryRef dictionary, const void *key) RINGER_CF(CFDictionaryGetValue);

/* Whether there is a value of a key, which is written to *value unless that is NULL. */
Boolean CFDictionaryGetValueIfPresent(CFDictionaryRef dictionary, const void *key, const void **value)
    RINGER_CF(CFDictionaryGetValueIfPresent);

/* MARK: URLs of files */

typedef CFIndex CFURLPathStyle;

enum { kCFURLPOSIXPathStyle = 0 };

CFTypeID CFURLGetTypeID(void) RINGER_CF(CFURLGetTypeID);

/* The URL of a file's path; a relative path is one of the current directory. */
CFURLRef CFURLCreateWithFileSystemPath(
    CFAllocatorRef allocator, CFStringRef path, CFURLPathStyle style, Boolean isDirectory)
    RINGER_CF(CFURLCreateWithFileSystemPath);

/* The URL of a file's path, which may have any bytes. */
CFURLRef CFURLCreateFromFileSystemRepresentation(
    CFAllocatorRef allocator, const UInt8 *path, CFIndex length, Boolean isDirectory)
    RINGER_CF(CFURLCreateFromFileSystemRepresentation);

/* The URL "file:///PATH". NULL for one of another scheme, and where base is not NULL. */
CFURLRef CFURLCreateWithString(CFAllocatorRef allocator, CFStringRef string, CFURLRef base)
    RINGER_CF(CFURLCreateWithString);

/* Copies the path with a zero at its end. False if the buffer is too small. */
Boolean CFURLGetFileSystemRepresentation(CFURLRef url, Boolean resolveAgainstBase, UInt8 *buffer, CFIndex size)
    RINGER_CF(CFURLGetFileSystemRepresentation);

/* The path. NULL if it is not UTF-8. */
CFStringRef CFURLCopyFileSystemPath(CFURLRef url, CFURLPathStyle style) RINGER_CF(CFURLCopyFileSystemPath);

/* MARK: the bundle: the folder of the program's executable */

CFBundleRef CFBundleGetMainBundle(void) RINGER_CF(CFBundleGetMainBundle);

/* The URL of FOLDER/NAME.TYPE beside the executable; type and folder may be NULL. NULL if there is no such file. */
CFURLRef CFBundleCopyResourceURL(CFBundleRef bundle, CFStringRef name, CFStringRef type, CFStringRef folder)
    RINGER_CF(CFBundleCopyResourceURL);

/* MARK: times */

#define kCFAbsoluteTimeIntervalSince1970 978307200.0

/* Seconds since 2001-01-01 00:00 UTC, by a clock that can be set. */
CFAbsoluteTime CFAbsoluteTimeGetCurrent(void) RINGER_CF(CFAbsoluteTimeGetCurrent);

/* Seconds by a clock that is never set, and stands still while the machine sleeps. Apple has it in QuartzCore. */
CFTimeInterval CACurrentMediaTime(void) RINGER_CF(CACurrentMediaTime);

/* MARK: the run loop
 *
 * There is one, the main one, which a NULL run loop means too. It carries the callbacks of System Sound Services and of audio
 * sessions, and nothing else. Before it first runs, and unless the program dispatches callbacks itself
 * (ringer-audiotoolbox.h), a thread of the library's carries them. Between two runs they wait for the next one, for 1 s: then
 * that thread carries them until it runs again. */

extern const CFRunLoopMode kCFRunLoopDefaultMode RINGER_CF(kCFRunLoopDefaultMode);
extern const CFRunLoopMode kCFRunLoopCommonModes RINGER_CF(kCFRunLoopCommonModes);

enum {
    kCFRunLoopRunFinished = 1,      /* it could not run */
    kCFRunLoopRunStopped = 2,
    kCFRunLoopRunTimedOut = 3,
    kCFRunLoopRunHandledSource = 4
};

CFRunLoopRef CFRunLoopGetMain(void) RINGER_CF(CFRunLoopGetMain);
CFRunLoopRef CFRunLoopGetCurrent(void) RINGER_CF(CFRunLoopGetCurrent);

/* Calls callbacks on this thread until CFRunLoopStop(). */
void CFRunLoopRun(void) RINGER_CF(CFRunLoopRun);

/* Calls callbacks on this thread for so many seconds, or until CFRunLoopStop(), or, if the last argument says so, until some
 * were called. */
SInt32 CFRunLoopRunInMode(CFRunLoopMode mode, CFTimeInterval seconds, Boolean returnAfterSourceHandled)
    RINGER_CF(CFRunLoopRunInMode);

/* Lets the run loop return; if it does not run, its next run returns at once. */
void CFRunLoopStop(CFRunLoopRef loop) RINGER_CF(CFRunLoopStop);

#ifdef __cplusplus
}
#endif

#endif
