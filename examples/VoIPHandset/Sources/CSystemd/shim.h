// RingerClient defines the functions, and loads libsystemd when one is called.
#include <systemd/sd-daemon.h>
