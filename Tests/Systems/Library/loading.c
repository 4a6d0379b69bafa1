/*
 * Loads the library, opens a device whose thread waits for hardware, plays, closes the device and unloads the library, 50
 * times:
 *
 *     loading LIBRARY SOUND PCM
 *
 * The device's threads may still be on their way out when the library is unloaded.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <poll.h>
#include <ringer.h>
#include <stdio.h>

/* C has no conversion from an object's address to a function's; POSIX has. */
#define FIND(name)                                                                                                     \
    do {                                                                                                               \
        *(void **)&functions.name = dlsym(library, #name);                                                             \
        if (!functions.name)                                                                                           \
            return fprintf(stderr, "%s\n", dlerror());                                                                 \
    } while (0)

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((call) < 0)                                                                                                \
            return fprintf(stderr, "%s: %s\n", #call, functions.ringer_last_error());                                  \
    } while (0)

static struct {
    struct ringer_config *(*ringer_config_new)(void);
    void (*ringer_config_free)(struct ringer_config *config);
    int (*ringer_config_set_motor)(struct ringer_config *config, const char *specification);
    int (*ringer_config_set_pcm)(struct ringer_config *config, const char *pcm);
    int (*ringer_device_open)(const struct ringer_config *config, struct ringer_device **device);
    void (*ringer_device_close)(struct ringer_device *device);
    int (*ringer_device_get_fd)(const struct ringer_device *device);
    int (*ringer_device_read_event)(struct ringer_device *device, struct ringer_event *event, size_t size);
    int (*ringer_device_play_file)(struct ringer_device *device, const char *path, enum ringer_category category,
        uint32_t options, uint64_t *id);
    const char *(*ringer_last_error)(void);
} functions;

static int use(void *library, const char *sound, const char *pcm, int round)
{
    struct ringer_config *config;
    struct ringer_device *device;
    struct ringer_event event;
    struct pollfd descriptor = {.events = POLLIN};

    FIND(ringer_config_new);
    FIND(ringer_config_free);
    FIND(ringer_config_set_motor);
    FIND(ringer_config_set_pcm);
    FIND(ringer_device_open);
    FIND(ringer_device_close);
    FIND(ringer_device_get_fd);
    FIND(ringer_device_read_event);
    FIND(ringer_device_play_file);
    FIND(ringer_last_error);
    config = functions.ringer_config_new();
    CHECK(functions.ringer_config_set_motor(config, "none"));
    CHECK(functions.ringer_config_set_pcm(config, pcm));
    CHECK(functions.ringer_device_open(config, &device));
    functions.ringer_config_free(config);
    CHECK(functions.ringer_device_play_file(device, sound, RINGER_CATEGORY_PLAYBACK, 0, NULL));
    /* The sound goes on for 0 to 9 ms: it is opened, begins, or has not begun. */
    descriptor.fd = functions.ringer_device_get_fd(device);
    CHECK(functions.ringer_device_read_event(device, &event, sizeof event));
    if (poll(&descriptor, 1, round % 10) == 1 && functions.ringer_device_read_event(device, &event, sizeof event) == 1 &&
        event.type == RINGER_EVENT_SOUND_ENDED && event.u.result.outcome != RINGER_OUTCOME_FINISHED)
        return fprintf(stderr, "the sound has ended: outcome %d, error %d\n", (int)event.u.result.outcome,
            (int)event.u.result.error);
    functions.ringer_device_close(device);
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 64;
    for (int round = 0; round < 50; round++) {
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);

        if (!library)
            return fprintf(stderr, "%s\n", dlerror()) > 0;
        if (use(library, arguments[2], arguments[3], round))
            return 1;
        dlclose(library);
    }
    return 0;
}
