#ifndef RINGER_CLIBGPIOD_SHIM_H
#define RINGER_CLIBGPIOD_SHIM_H

#include <gpiod.h>

#endif
