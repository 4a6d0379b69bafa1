#include "CSndfile.h"

#include <dlfcn.h>
#include <library_loader.h>
#include <stdlib.h>

// What is used of sndfile.h, whose package is not needed to build. libsndfile.so.1 has had Opus since 1.0.29 (2020).
typedef struct ringer_sndfile_handle SNDFILE;
typedef int64_t sf_count_t;

typedef struct {
    sf_count_t frames;
    int samplerate, channels, format, sections, seekable;
} SF_INFO;

typedef struct {
    sf_count_t (*get_filelen)(void *);
    sf_count_t (*seek)(sf_count_t, int, void *);
    sf_count_t (*read)(void *, sf_count_t, void *);
    sf_count_t (*write)(const void *, sf_count_t, void *);
    sf_count_t (*tell)(void *);
} SF_VIRTUAL_IO;

enum { SFM_READ = 0x10, SFC_GET_CLIPPING = 0x10C1, CONTAINERS = 0x0FFF0000, CODECS = 0xFFFF, FLAC = 0x170000, OGG = 0x200000, VORBIS = 0x60, OPUS = 0x64 };

SNDFILE *sf_open_virtual(SF_VIRTUAL_IO *source, int mode, SF_INFO *info, void *context);
sf_count_t sf_readf_int(SNDFILE *file, int *samples, sf_count_t frames);
sf_count_t sf_readf_float(SNDFILE *file, float *samples, sf_count_t frames);
int sf_error(SNDFILE *file);
int sf_command(SNDFILE *file, int command, void *data, int size);
int sf_close(SNDFILE *file);

static struct ringer_library library;

static void load(void)
{
    library.handle = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
}

static struct ringer_library library = {.load = load, .once = PTHREAD_ONCE_INIT};

FORWARD(SNDFILE *, sf_open_virtual, (SF_VIRTUAL_IO *source, int mode, SF_INFO *info, void *context),
    (source, mode, info, context), NULL)
FORWARD(sf_count_t, sf_readf_int, (SNDFILE *file, int *samples, sf_count_t frames), (file, samples, frames), 0)
FORWARD(sf_count_t, sf_readf_float, (SNDFILE *file, float *samples, sf_count_t frames), (file, samples, frames), 0)
FORWARD(int, sf_error, (SNDFILE *file), (file), 0)
FORWARD(int, sf_command, (SNDFILE *file, int command, void *data, int size), (file, command, data, size), 0)
FORWARD(int, sf_close, (SNDFILE *file), (file), 0)

struct ringer_sndfile {
    SNDFILE *file;
    ringer_sndfile_read read;
    void *context;
    int64_t size, offset;
    bool is_flac, is_damaged;
    // How many errors were found, and where the last call of the library began to read.
    int errors;
    int64_t start;
};

// libsndfile lets FLAC go on behind a damaged place unless its error is still set when it reads or seeks. Most calls clear it.
static void clear_error(struct ringer_sndfile *decoder)
{
    if (!decoder->is_flac || !sf_error(decoder->file)) return;
    decoder->is_damaged = true;
    decoder->errors++;
    sf_command(decoder->file, SFC_GET_CLIPPING, NULL, 0);
}

static sf_count_t length(void *decoder)
{
    return ((struct ringer_sndfile *)decoder)->size;
}

static sf_count_t tell(void *decoder)
{
    clear_error(decoder);
    return ((struct ringer_sndfile *)decoder)->offset;
}

static sf_count_t seek(sf_count_t offset, int whence, void *context)
{
    struct ringer_sndfile *decoder = context;
    int64_t from = whence == 0 ? 0 : whence == 1 ? decoder->offset : decoder->size;
    int64_t to;

    clear_error(decoder);
    if (__builtin_add_overflow(from, offset, &to) || to < 0 || to > decoder->size) return -1;
    decoder->offset = to;
    return to;
}

static sf_count_t read_source(void *buffer, sf_count_t count, void *context)
{
    struct ringer_sndfile *decoder = context;
    int64_t left = decoder->size - decoder->offset;

    clear_error(decoder);
    if (count > left) count = left;
    if (count <= 0) return 0;
    count = decoder->read(decoder->context, decoder->offset, buffer, count, decoder->is_damaged ? decoder->errors : 0,
        decoder->is_damaged ? decoder->offset - decoder->start : 0);
    decoder->offset += count;
    return count;
}

static sf_count_t write_nothing(const void *buffer, sf_count_t count, void *context)
{
    (void)buffer, (void)count, (void)context;
    return 0;
}

bool ringer_sndfile_is_present(void)
{
    static void *_Atomic known;
    return ringer_library_function(&library, "sf_open_virtual", &known);
}

struct ringer_sndfile *ringer_sndfile_open(ringer_sndfile_read read, void *context, int64_t size,
    struct ringer_sndfile_info *info)
{
    SF_VIRTUAL_IO source = {length, seek, read_source, write_nothing, tell};
    SF_INFO found = {0};
    struct ringer_sndfile *decoder = calloc(1, sizeof *decoder);
    int container, codec;

    if (!decoder) return NULL;
    decoder->read = read;
    decoder->context = context;
    decoder->size = size;
    decoder->file = sf_open_virtual(&source, SFM_READ, &found, decoder);
    if (!decoder->file) {
        free(decoder);
        return NULL;
    }
    container = found.format & CONTAINERS;
    codec = found.format & CODECS;
    decoder->is_flac = container == FLAC;
    *info = (struct ringer_sndfile_info){.frames = found.frames, .rate = found.samplerate, .channels = found.channels, .bits = 16};
    if (container == FLAC) {
        info->codec = RINGER_SNDFILE_FLAC;
        // 1 is 8 bits, 2 is 16, 3 is 24, 4 is 32.
        if (codec >= 1 && codec <= 4) info->bits = 8 * codec;
    } else if (container == OGG) {
        info->codec = codec == VORBIS ? RINGER_SNDFILE_VORBIS : codec == OPUS ? RINGER_SNDFILE_OPUS : RINGER_SNDFILE_OTHER;
    }
    return decoder;
}

void ringer_sndfile_close(struct ringer_sndfile *decoder)
{
    sf_close(decoder->file);
    free(decoder);
}

int64_t ringer_sndfile_decode(struct ringer_sndfile *decoder, void *samples, int64_t frames, bool *is_damaged)
{
    int64_t count;

    decoder->is_damaged = false;
    decoder->start = decoder->offset;
    count = decoder->is_flac ? sf_readf_int(decoder->file, samples, frames) : sf_readf_float(decoder->file, samples, frames);
    clear_error(decoder);
    *is_damaged = decoder->is_damaged;
    return count;
}
