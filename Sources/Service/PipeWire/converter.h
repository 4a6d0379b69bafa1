/* The converter of a stream (PipeWire's audioconvert), which runs in the program or in pipewire-pulse: its Props. */
#ifndef RINGER_CONVERTER_H
#define RINGER_CONVERTER_H

#include <stdbool.h>
#include <stdint.h>

#include <pipewire/pipewire.h>
#include <spa/param/audio/raw.h>

/* What a converter says of itself. */
struct converter {
    bool known;   /* it has said something; a program without a converter never does */
    bool has_max; /* it has channelmix.max-volume: PipeWire 0.3.72 and later */
    bool mute, soft_mute;
    uint32_t channels;
    float volumes[SPA_AUDIO_MAX_CHANNELS]; /* channelVolumes: the user's */
    float soft;                            /* the first of softVolumes */
    float max;
};

/* What is written to it at once. */
struct setting {
    bool sets_max, sets_soft;
    float max;
    bool soft_mute;
    float gain;   /* of the user's volumes, as soft volumes */
    float marker; /* not 0: the first soft volume is this instead, for a converter whose soft_mute silences it */
};

/* Reads an object Props. Returns whether it is the converter's. */
bool converter_read(struct converter *converter, const struct spa_pod *props);
/* Writes to it, without waiting. Returns the first soft volume. */
float converter_write(const struct converter *converter, struct pw_node *node, const struct setting *setting);

/* channelmix.max-volume of a converter that is heard: PipeWire's default. */
#define CONVERTER_LOUDEST 10.0f

#endif
