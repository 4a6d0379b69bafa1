#include "sink.h"

#include <stdlib.h>
#include <string.h>

struct sink {
    struct spa_list link;
    struct context *context;
    uint32_t id;
    struct pw_node *node;
    struct spa_hook listener;
    char *group; /* NULL of a sink that is none of a loopback or filter */
};

static void consider(struct context *context)
{
    struct stream *s;
    spa_list_for_each(s, &context->streams, link)
        stream_consider(s);
    context->reschedule(context);
}

static void on_info(void *data, const struct pw_node_info *info)
{
    struct sink *sink = data;
    const char *group = info->props != NULL ? spa_dict_lookup(info->props, PW_KEY_NODE_LINK_GROUP) : NULL;
    if (group == NULL || (sink->group != NULL && strcmp(group, sink->group) == 0))
        return;
    free(sink->group);
    sink->group = strdup(group);
    consider(sink->context);
}

static const struct pw_node_events events = {PW_VERSION_NODE_EVENTS, .info = on_info};

void sink_new(struct context *context, uint32_t id)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL)
        return;
    sink->context = context;
    sink->id = id;
    sink->node = pw_registry_bind(context->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (sink->node == NULL) {
        free(sink);
        return;
    }
    spa_list_append(&context->sinks, &sink->link);
    pw_node_add_listener(sink->node, &sink->listener, &events, sink);
}

void sink_remove(struct context *context, uint32_t id)
{
    struct sink *sink, *next;
    spa_list_for_each_safe(sink, next, &context->sinks, link) {
        if (sink->id != id)
            continue;
        bool had_group = sink->group != NULL;
        spa_list_remove(&sink->link);
        spa_hook_remove(&sink->listener);
        pw_proxy_destroy((struct pw_proxy *)sink->node);
        free(sink->group);
        free(sink);
        if (had_group)
            consider(context);
    }
}

bool sinks_have(const struct context *context, const char *group)
{
    const struct sink *sink;
    spa_list_for_each(sink, &context->sinks, link)
        if (group != NULL && sink->group != NULL && strcmp(group, sink->group) == 0)
            return true;
    return false;
}
