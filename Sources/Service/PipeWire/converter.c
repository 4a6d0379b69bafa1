#include "converter.h"

#include <string.h>

#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>

#define MAX_VOLUME "channelmix.max-volume"

static void read_params(struct converter *converter, const struct spa_pod *params)
{
    struct spa_pod_parser parser;
    struct spa_pod_frame frame;
    const char *key;
    struct spa_pod *value;
    spa_pod_parser_pod(&parser, params);
    if (spa_pod_parser_push_struct(&parser, &frame) < 0)
        return;
    while (spa_pod_parser_get_string(&parser, &key) >= 0 && spa_pod_parser_get_pod(&parser, &value) >= 0)
        if (strcmp(key, MAX_VOLUME) == 0)
            converter->has_max = spa_pod_get_float(value, &converter->max) >= 0;
}

bool converter_read(struct converter *converter, const struct spa_pod *props)
{
    if (props == NULL || !spa_pod_is_object_type(props, SPA_TYPE_OBJECT_Props))
        return false;
    /* Others are the program's own, which has no volumes. */
    if (spa_pod_find_prop(props, NULL, SPA_PROP_channelVolumes) == NULL)
        return false;
    const struct spa_pod_prop *prop;
    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)props, prop) {
        float soft[SPA_AUDIO_MAX_CHANNELS];
        switch (prop->key) {
        case SPA_PROP_mute: spa_pod_get_bool(&prop->value, &converter->mute); break;
        case SPA_PROP_softMute: spa_pod_get_bool(&prop->value, &converter->soft_mute); break;
        case SPA_PROP_channelVolumes:
            converter->channels =
                spa_pod_copy_array(&prop->value, SPA_TYPE_Float, converter->volumes, SPA_AUDIO_MAX_CHANNELS);
            break;
        case SPA_PROP_softVolumes:
            if (spa_pod_copy_array(&prop->value, SPA_TYPE_Float, soft, SPA_AUDIO_MAX_CHANNELS) > 0)
                converter->soft = soft[0];
            break;
        case SPA_PROP_params: read_params(converter, &prop->value); break;
        }
    }
    converter->known = true;
    return true;
}

float converter_write(const struct converter *converter, struct pw_node *node, const struct setting *setting)
{
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod_frame object, params;
    float soft[SPA_AUDIO_MAX_CHANNELS] = {0};
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    if (setting->sets_max) {
        spa_pod_builder_prop(&builder, SPA_PROP_params, 0);
        spa_pod_builder_push_struct(&builder, &params);
        spa_pod_builder_string(&builder, MAX_VOLUME);
        spa_pod_builder_float(&builder, setting->max);
        spa_pod_builder_pop(&builder, &params);
    }
    if (setting->sets_soft) {
        for (uint32_t i = 0; i < converter->channels; i++)
            soft[i] = converter->volumes[i] * setting->gain;
        if (setting->marker != 0)
            soft[0] = setting->marker;
        spa_pod_builder_add(&builder, SPA_PROP_softMute, SPA_POD_Bool(setting->soft_mute), SPA_PROP_softVolumes,
            SPA_POD_Array(sizeof(float), SPA_TYPE_Float, converter->channels, soft), 0);
    }
    pw_node_set_param(node, SPA_PARAM_Props, 0, spa_pod_builder_pop(&builder, &object));
    return soft[0];
}
