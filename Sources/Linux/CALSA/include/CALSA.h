#ifndef RINGER_CALSA_H
#define RINGER_CALSA_H

#include <alsa/asoundlib.h>
#include <alsa/use-case.h>
#include <messages.h>

/// Stores alsa-lib's messages of the calling thread instead of printing them: see ringer_kept_message. It is here
/// because Swift imports the type of a function with a va_list in two incompatible ways. The corresponding C function
/// is `snd_lib_error_set_local`.
static inline void ringer_alsa_keep_messages(void) { snd_lib_error_set_local(ringer_keep_message); }

#endif
