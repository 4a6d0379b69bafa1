#include "messages.h"

#include <stdio.h>

static _Thread_local char message[256];

void ringer_keep_message(
    const char *file, int line, const char *function, int error, const char *format, va_list arguments) {
    (void)file;
    (void)line;
    (void)function;
    (void)error; // the call that failed returns it
    // The first message names the cause; later ones report what failed because of it.
    if (message[0] == '\0') vsnprintf(message, sizeof message, format, arguments);
}

const char *ringer_kept_message(void) { return message; }

void ringer_forget_message(void) { message[0] = '\0'; }
