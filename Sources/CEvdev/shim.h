#ifndef RINGER_CEVDEV_SHIM_H
#define RINGER_CEVDEV_SHIM_H

#include <libevdev/libevdev.h>
#include <linux/input.h>

#endif
