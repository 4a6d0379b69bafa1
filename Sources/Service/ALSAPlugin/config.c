/* The configuration of a PCM of type `ringer`; the keys are in docs/alsa.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcm_ringer.h"

static int read_text(snd_config_t *node, char *text, size_t size)
{
    const char *value;
    if (snd_config_get_string(node, &value) < 0 || strlen(value) >= size)
        return -EINVAL;
    strcpy(text, value);
    return 0;
}

/* Whether the value is the second of two words. */
static int read_choice(snd_config_t *node, const char *first, const char *second, bool *is_second)
{
    const char *value;
    if (snd_config_get_string(node, &value) < 0)
        return -EINVAL;
    *is_second = strcmp(value, second) == 0;
    return *is_second || strcmp(value, first) == 0 ? 0 : -EINVAL;
}

static int read_count(snd_config_t *node, unsigned int *count)
{
    long value;
    if (snd_config_get_integer(node, &value) < 0 || value <= 0 || value > 1000000)
        return -EINVAL;
    *count = (unsigned int)value;
    return 0;
}

static int read_format(snd_config_t *node, snd_pcm_format_t *format)
{
    const char *value;
    if (snd_config_get_string(node, &value) < 0)
        return -EINVAL;
    *format = snd_pcm_format_value(value);
    return gain_has_format(*format) ? 0 : -EINVAL;
}

static int read_key(struct ringer *ringer, const char *key, snd_config_t *node)
{
    struct ringer_pcm_packet *hello = &ringer->link.hello;
    if (strcmp(key, "comment") == 0 || strcmp(key, "type") == 0 || strcmp(key, "hint") == 0)
        return 0;
    if (strcmp(key, "slave") == 0) {
        free(ringer->slave_name);
        ringer->slave_name = NULL;
        return snd_config_get_ascii(node, &ringer->slave_name);
    }
    if (strcmp(key, "category") == 0)
        return read_text(node, hello->category, sizeof hello->category);
    if (strcmp(key, "options") == 0)
        return read_text(node, hello->options, sizeof hello->options);
    if (strcmp(key, "when_silenced") == 0)
        return read_choice(node, "silence", "skip", &ringer->skips);
    if (strcmp(key, "if_unreachable") == 0)
        return read_choice(node, "silence", "play", &ringer->plays_unreachable);
    if (strcmp(key, "socket") == 0)
        return read_text(node, ringer->link.address.sun_path, sizeof ringer->link.address.sun_path);
    if (strcmp(key, "format") == 0)
        return read_format(node, &ringer->format);
    if (strcmp(key, "rate") == 0)
        return read_count(node, &ringer->rate);
    if (strcmp(key, "channels") == 0)
        return read_count(node, &ringer->channels);
    return -EINVAL;
}

int ringer_configure(struct ringer *ringer, snd_config_t *conf)
{
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        snd_config_t *node = snd_config_iterator_entry(i);
        const char *key;
        if (snd_config_get_id(node, &key) < 0)
            continue;
        int error = read_key(ringer, key, node);
        if (error < 0) {
            SNDERR("ringer: the key %s is unknown, or cannot have this value", key);
            return error;
        }
    }
    if (ringer->slave_name == NULL) {
        SNDERR("ringer: the key slave is missing: the name of a PCM");
        return -EINVAL;
    }
    return 0;
}
