/* The sizes of the structures of ringer.h, which programs have compiled in: on every processor so many pointers, and bytes
 * besides. */
#include <ringer.h>

#define SIZE(name, pointers, bytes) \
    _Static_assert(sizeof(struct name) == (pointers) * sizeof(void *) + (bytes), "the size of " #name)

SIZE(ringer_behaviour, 0, 40);
SIZE(ringer_part, 0, 512);
SIZE(ringer_state, 0, 64);
SIZE(ringer_effective_position, 0, 16);
SIZE(ringer_preferences, 0, 48);
SIZE(ringer_decision, 0, 16);
SIZE(ringer_playback, 5, 32);
SIZE(ringer_notification, 3, 8);
SIZE(ringer_announcement, 2, 24);
SIZE(ringer_alert, 2, 24);
SIZE(ringer_session_state, 0, 40);
SIZE(ringer_session_event, 0, 48);
SIZE(ringer_result, 0, 488);
SIZE(ringer_event, 0, 512);
SIZE(ringer_recording, 0, 48);
