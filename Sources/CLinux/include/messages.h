// What a C library says of its failures, kept instead of printed.
#ifndef RINGER_CLINUX_MESSAGES_H
#define RINGER_CLINUX_MESSAGES_H

#include <stdarg.h>

/// Keeps the first message since ringer_forget_message, on the calling thread. It is a callback of the type of alsa-lib's
/// `snd_local_error_handler_t`.
void ringer_keep_message(
    const char *file, int line, const char *function, int error, const char *format, va_list arguments);

/// The message kept on the calling thread, empty where there is none. It stays valid until the thread keeps another.
const char *ringer_kept_message(void);

/// Forgets the message kept on the calling thread.
void ringer_forget_message(void);

#endif
