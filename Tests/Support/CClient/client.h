#ifndef CLIENT_H
#define CLIENT_H

#include <ringer.h>

/* Plays samples at 48,000 Hz: in a session, or in the category playback with these options where it is NULL. */
int client_play(struct ringer_device *device, struct ringer_session *session, const int16_t *samples, size_t frames,
    uint32_t options, uint64_t *id);

/* Waits for an event of a type; a negative errno if there is none. */
int client_wait_for(struct ringer_device *device, enum ringer_event_type type, struct ringer_event *event);

/* Eight threads use a device while it is closed; see threads.c. Returns the program's exit status. */
int client_threads(struct ringer_config *config);

/* Closes many devices whose events another thread has read; see threads.c. Returns the program's exit status. */
int client_readers(void);

/* Forks while a device is open; see fork.c. Returns the program's exit status. */
int client_fork(void);

#endif
