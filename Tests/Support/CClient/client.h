#ifndef CLIENT_H
#define CLIENT_H

#include <ringer.h>

/* Waits for an event of a type; a negative errno if there is none. */
int client_wait_for(struct ringer_device *device, enum ringer_event_type type, struct ringer_event *event);

/* Forks while a device is open; see fork.c. Returns the program's exit status. */
int client_fork(void);

#endif
