/* A stream's client, its program's connection to PipeWire: the properties that the stream itself does not say. */
#include "stream.h"

#include <stdlib.h>

/* How long a client may take to say its properties: then its stream is judged without. */
#define CLIENT_MILLISECONDS 200

static void on_client_info(void *data, const struct pw_client_info *info)
{
    struct stream *s = data;
    if (!(info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS) || info->props == NULL)
        return;
    pw_properties_free(s->client_properties);
    s->client_properties = pw_properties_new_dict(info->props);
    stream_consider(s);
    s->context->reschedule(s->context);
}

static const struct pw_client_events client_events = {PW_VERSION_CLIENT_EVENTS, .info = on_client_info};

void stream_on_no_client(void *data, uint64_t expirations)
{
    (void)expirations;
    struct stream *s = data;
    s->waited = true;
    stream_consider(s);
    s->context->reschedule(s->context);
}

bool stream_waits_for_client(struct stream *s)
{
    const char *client = pw_properties_get(s->properties, PW_KEY_CLIENT_ID);
    if (s->client_properties != NULL || s->waited || client == NULL || !rules_need_client(&s->context->rules, &s->properties->dict))
        return false;
    if (s->client == NULL) {
        s->client = pw_registry_bind(
            s->context->registry, (uint32_t)strtoul(client, NULL, 10), PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, 0);
        if (s->client == NULL)
            return false;
        pw_client_add_listener(s->client, &s->client_listener, &client_events, s);
        stream_set_timer(s, s->wait, CLIENT_MILLISECONDS);
    }
    return true;
}

void stream_close_client(struct stream *s)
{
    if (s->client != NULL) {
        spa_hook_remove(&s->client_listener);
        pw_proxy_destroy((struct pw_proxy *)s->client);
    }
    pw_properties_free(s->client_properties);
}
