#ifndef RINGER_CSDBUS_H
#define RINGER_CSDBUS_H

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

#endif
