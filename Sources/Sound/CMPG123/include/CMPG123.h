// MP3 with libmpg123, which is loaded when the first decoder is made.
#ifndef RINGER_CMPG123_H
#define RINGER_CMPG123_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Debian's package of the library. Debian 13 for processors of 32 bits has times of 64 bits, and this package by its new name alone.
#if defined(_TIME_BITS) && _TIME_BITS == 64 && !defined(__LP64__)
#define RINGER_MPG123_PACKAGE "libmpg123-0t64"
#else
#define RINGER_MPG123_PACKAGE "libmpg123-0"
#endif

/// A decoder of one sound. One thread at a time.
struct ringer_mpg123;

/// Makes a decoder, which the caller deletes. A null pointer if the library is missing, or there is no memory.
///
/// @param rate the sound's rate in hertz, which it gives
/// @param channels 1 or 2
struct ringer_mpg123 *ringer_mpg123_new(long rate, int channels);

void ringer_mpg123_delete(struct ringer_mpg123 *decoder);

/// Decodes some more input, which is copied; none where the decoder needs nothing.
///
/// @param samples gets interleaved samples
/// @param capacity how many there may be
/// @param decoded gets how many there are
/// @return whether it needs more input for more samples
bool ringer_mpg123_decode(struct ringer_mpg123 *decoder, const uint8_t *input, size_t size,
    int16_t *samples, size_t capacity, size_t *decoded);

#endif
