/* What the functions under Apple's names call, on plain types: Swift must not see Apple's header, since its importer knows
 * some of the types by name and makes classes of them. */
#ifndef RINGER_ENTRY_POINTS_H
#define RINGER_ENTRY_POINTS_H

#include <stdint.h>

/* MARK: System Sound Services, in Swift; the results are OSStatus */

int32_t ringer_apple_create_sound(const char *path, uint32_t *sound);
int32_t ringer_apple_dispose_sound(uint32_t sound);
void ringer_apple_play_sound(uint32_t sound, int is_alert, void (*completion)(void *context), void *context);
int32_t ringer_apple_add_completion(
    uint32_t sound, void (*completion)(uint32_t sound, void *client_data), void *client_data);
void ringer_apple_remove_completion(uint32_t sound);
int32_t ringer_apple_get_sound_property_info(uint32_t property, uint32_t specifier_size, const void *specifier,
    uint32_t *size, unsigned char *is_writable);
int32_t ringer_apple_get_sound_property(
    uint32_t property, uint32_t specifier_size, const void *specifier, uint32_t *size, void *data);
int32_t ringer_apple_set_sound_property(
    uint32_t property, uint32_t specifier_size, const void *specifier, uint32_t size, const void *data);

/* MARK: Audio Session Services, in Swift; the results are OSStatus */

int32_t ringer_apple_initialize_session(void (*listener)(void *client_data, uint32_t state), void *client_data);
int32_t ringer_apple_set_session_active(int is_active, int notifies_others);
int32_t ringer_apple_get_session_property(uint32_t property, uint32_t *size, void *data);
int32_t ringer_apple_get_session_property_size(uint32_t property, uint32_t *size);
int32_t ringer_apple_set_session_property(uint32_t property, uint32_t size, const void *data);
int32_t ringer_apple_add_session_listener(uint32_t property,
    void (*listener)(void *client_data, uint32_t property, uint32_t size, const void *data), void *client_data);
int32_t ringer_apple_remove_session_listener(uint32_t property, void *client_data);
int32_t ringer_apple_remove_session_listeners(uint32_t property);

/* MARK: the run loop, in Swift */

/* The descriptor of ringer_callbacks_get_fd(), for a run of the run loop, or a negative errno. Callbacks wait for
 * ringer_callbacks_dispatch() until the run ends. */
int ringer_apple_begin_run(void);

/* Ends a run that began. */
void ringer_apple_end_run(void);

/* MARK: Core Foundation's objects, in C, for Swift */

/* The string of a text in UTF-8; it is never freed. */
const void *ringer_apple_constant_string(const char *text);

/* The dictionary of a change of the route, which the caller releases. */
const void *ringer_apple_create_route_change(uint32_t reason, const char *old_route);

void ringer_apple_release(const void *object);

#endif
