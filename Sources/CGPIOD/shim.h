#ifndef RINGER_CGPIOD_SHIM_H
#define RINGER_CGPIOD_SHIM_H

#include <gpiod.h>

#endif
