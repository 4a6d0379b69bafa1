/* Notifications to systemd: sd_notify(3), without libsystemd. */
#ifndef RINGER_SD_NOTIFY_H
#define RINGER_SD_NOTIFY_H

#include <stdint.h>

/* Sends lines of the form KEY=VALUE, if systemd started this process and wants them. */
void notify(const char *state);
/* Microseconds within which systemd's watchdog wants a word; 0 without one. Source: sd_watchdog_enabled(3). */
uint64_t notify_watchdog(void);

#endif
