#ifndef RINGER_CALSA_H
#define RINGER_CALSA_H

#include <stdarg.h>

#include <alsa/asoundlib.h>

// Defined in CLinux.
void ringer_keep_message(
    const char *file, int line, const char *function, int error, const char *format, va_list arguments);

/// Keeps what alsa-lib says on the calling thread, instead of printing it: see ringer_kept_message. Here because Swift
/// imports the type of a function with a va_list in two ways that do not meet. The corresponding C function is
/// `snd_lib_error_set_local`.
static inline void ringer_alsa_keep_messages(void) { snd_lib_error_set_local(ringer_keep_message); }

#endif
