#include "CMPG123.h"

#include <dlfcn.h>
#include <library_loader.h>

// What is used of mpg123.h, whose package is not needed to build. libmpg123.so.0 has had it since 2008.
typedef struct ringer_mpg123 mpg123_handle;

enum {
    MPG123_OK = 0,
    MPG123_NEED_MORE = -10,
    MPG123_ADD_FLAGS = 2,
    MPG123_REMOVE_FLAGS = 13,
    MPG123_QUIET = 0x20,
    MPG123_GAPLESS = 0x40,
    MPG123_ENC_SIGNED_16 = 0xD0,
};

int mpg123_init(void);
mpg123_handle *mpg123_new(const char *decoder, int *error);
void mpg123_delete(mpg123_handle *handle);
int mpg123_param(mpg123_handle *handle, int type, long value, double fraction);
int mpg123_format_none(mpg123_handle *handle);
int mpg123_format(mpg123_handle *handle, long rate, int channels, int encodings);
int mpg123_open_feed(mpg123_handle *handle);
int mpg123_decode(mpg123_handle *handle, const unsigned char *input, size_t size, void *output, size_t room, size_t *done);

static struct ringer_library library;

static void load(void)
{
    library.handle = dlopen("libmpg123.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library.handle) {
        // Old versions need it once, before the first decoder.
        int (*init)(void) = (int (*)(void))dlsym(library.handle, "mpg123_init");
        if (init) init();
    }
}

static struct ringer_library library = {.load = load, .once = PTHREAD_ONCE_INIT};

FORWARD(mpg123_handle *, mpg123_new, (const char *decoder, int *error), (decoder, error), NULL)
FORWARD_VOID(mpg123_delete, (mpg123_handle *handle), (handle))
FORWARD(int, mpg123_param, (mpg123_handle *handle, int type, long value, double fraction),
    (handle, type, value, fraction), -1)
FORWARD(int, mpg123_format_none, (mpg123_handle *handle), (handle), -1)
FORWARD(int, mpg123_format, (mpg123_handle *handle, long rate, int channels, int encodings),
    (handle, rate, channels, encodings), -1)
FORWARD(int, mpg123_open_feed, (mpg123_handle *handle), (handle), -1)
FORWARD(int, mpg123_decode,
    (mpg123_handle *handle, const unsigned char *input, size_t size, void *output, size_t room, size_t *done),
    (handle, input, size, output, room, done), -1)

struct ringer_mpg123 *ringer_mpg123_new(long rate, int channels)
{
    int error;
    mpg123_handle *handle = mpg123_new(NULL, &error);

    // What encoders add at the beginning and the end is counted, and left out, by the reader of the headers.
    if (!handle) return NULL;
    if (mpg123_param(handle, MPG123_ADD_FLAGS, MPG123_QUIET, 0) == MPG123_OK &&
        mpg123_param(handle, MPG123_REMOVE_FLAGS, MPG123_GAPLESS, 0) == MPG123_OK &&
        mpg123_format_none(handle) == MPG123_OK &&
        mpg123_format(handle, rate, channels, MPG123_ENC_SIGNED_16) == MPG123_OK &&
        mpg123_open_feed(handle) == MPG123_OK)
        return handle;
    mpg123_delete(handle);
    return NULL;
}

void ringer_mpg123_delete(struct ringer_mpg123 *decoder)
{
    mpg123_delete(decoder);
}

bool ringer_mpg123_decode(struct ringer_mpg123 *decoder, const uint8_t *input, size_t size, int16_t *samples,
    size_t capacity, size_t *decoded)
{
    size_t bytes = 0;
    int result = mpg123_decode(decoder, input, size, samples, capacity * sizeof *samples, &bytes);

    *decoded = bytes / sizeof *samples;
    return result == MPG123_NEED_MORE;
}
