// The messages of a C library, stored instead of printed.
#ifndef RINGER_CLINUX_MESSAGES_H
#define RINGER_CLINUX_MESSAGES_H

#include <stdarg.h>

/// Stores the first message since ringer_forget_message on the calling thread. It is a callback of alsa-lib's type
/// `snd_local_error_handler_t`.
void ringer_keep_message(
    const char *file, int line, const char *function, int error, const char *format, va_list arguments);

/// The calling thread's stored message; empty if there is none. Valid until the thread stores another one.
const char *ringer_kept_message(void);

/// Drops the calling thread's stored message.
void ringer_forget_message(void);

#endif
