// Ogg Vorbis, Ogg Opus and FLAC with libsndfile, which is loaded when the first decoder is made.
#ifndef RINGER_CSNDFILE_H
#define RINGER_CSNDFILE_H

#include <stdbool.h>
#include <stdint.h>

/// A decoder of one sound. One thread at a time.
struct ringer_sndfile;

enum ringer_sndfile_codec { RINGER_SNDFILE_OTHER, RINGER_SNDFILE_VORBIS, RINGER_SNDFILE_OPUS, RINGER_SNDFILE_FLAC };

struct ringer_sndfile_info {
    /// As the file's headers say; nonsense where they do.
    int64_t frames;
    int rate;
    int channels;
    enum ringer_sndfile_codec codec;
    /// Significant bits of a sample; 16 where the codec has none.
    int bits;
};

/// Reads bytes of the source at an offset, and returns how many there were; with 0 the sound ends.
///
/// @param damaged where the library searches FLAC for a frame behind damage: how many damaged places it has found by then; else 0
/// @param searched then: how many bytes behind the beginning of the call of the library the offset is
typedef int64_t (*ringer_sndfile_read)(void *context, int64_t offset, void *buffer, int64_t count, int damaged,
    int64_t searched);

/// Whether the library is there.
bool ringer_sndfile_is_present(void);

/// Makes a decoder, which the caller closes. A null pointer if the library is missing, or refuses the file.
struct ringer_sndfile *ringer_sndfile_open(ringer_sndfile_read read, void *context, int64_t size,
    struct ringer_sndfile_info *info);

void ringer_sndfile_close(struct ringer_sndfile *decoder);

/// Decodes the next frames: of FLAC to integers that fill 32 bits, else to floating point of full scale 1.
///
/// @param is_damaged gets whether FLAC has something else than frames there, which is skipped: damage, or what follows the sound
/// @return how many; 0 at the end, and where the rest is damaged
int64_t ringer_sndfile_decode(struct ringer_sndfile *decoder, void *samples, int64_t frames, bool *is_damaged);

#endif
