#ifndef RINGER_CALSA_SHIM_H
#define RINGER_CALSA_SHIM_H

#include <alsa/asoundlib.h>

#endif
