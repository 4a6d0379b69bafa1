#include "list_release.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spa/param/format.h>
#include <spa/param/port-config.h>
#include <spa/pod/iter.h>
#include <spa/utils/list.h>

#include "converter.h"

/* How long PipeWire may take for all. */
#define END_SECONDS 5

struct node {
    struct spa_list link;
    struct stream_list *state;
    uint32_t id;
    struct pw_node *node;
    struct spa_hook listener;
    struct converter converter;
    struct pw_properties *properties;
    uint32_t ports;
    bool plays_samples, plays_encoded; /* of the formats that it has */
    bool bypasses;                     /* its converter is not between it and the graph */
};

struct client {
    struct spa_list link;
    uint32_t id;
    struct pw_client *client;
    struct spa_hook listener;
    struct pw_properties *properties;
};

struct stream_list {
    struct pw_main_loop *loop;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_list nodes, clients;
    char version[32]; /* PipeWire's */
    bool obeys;       /* ringer-pipewire runs */
    int sync, error;
};

static void on_info(void *data, const struct pw_node_info *info)
{
    struct node *n = data;
    n->ports = info->n_output_ports;
    /* Without the flag they are empty, as of a node whose state alone has changed. */
    if (!(info->change_mask & PW_NODE_CHANGE_MASK_PROPS) || info->props == NULL)
        return;
    pw_properties_free(n->properties);
    n->properties = pw_properties_new_dict(info->props);
}

/* What an object says for this key; 0 if nothing. */
static uint32_t read_id(const struct spa_pod *object, uint32_t key)
{
    const struct spa_pod_prop *prop = spa_pod_find_prop(object, NULL, key);
    uint32_t count, choice, value = 0;
    if (prop != NULL)
        spa_pod_get_id(spa_pod_get_values(&prop->value, &count, &choice), &value);
    return value;
}

static void on_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    (void)sequence, (void)index, (void)next;
    struct node *n = data;
    if (param == NULL)
        return;
    if (id == SPA_PARAM_Props)
        converter_read(&n->converter, param);
    if (id == SPA_PARAM_PortConfig)
        n->bypasses = read_id(param, SPA_PARAM_PORT_CONFIG_mode) == SPA_PARAM_PORT_CONFIG_MODE_passthrough;
    if (id == SPA_PARAM_EnumFormat) {
        bool has_samples = read_id(param, SPA_FORMAT_mediaSubtype) == SPA_MEDIA_SUBTYPE_raw;
        n->plays_samples = n->plays_samples || has_samples;
        n->plays_encoded = n->plays_encoded || !has_samples;
    }
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_info, .param = on_param};

static void on_client_info(void *data, const struct pw_client_info *info)
{
    struct client *c = data;
    if (!(info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS) || info->props == NULL)
        return;
    pw_properties_free(c->properties);
    c->properties = pw_properties_new_dict(info->props);
}

static const struct pw_client_events client_events = {PW_VERSION_CLIENT_EVENTS, .info = on_client_info};

static void follow_client(struct stream_list *state, uint32_t id)
{
    struct client *c = calloc(1, sizeof *c);
    if (c == NULL)
        return;
    c->id = id;
    c->client = pw_registry_bind(state->registry, id, PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, 0);
    if (c->client == NULL) {
        free(c);
        return;
    }
    spa_list_append(&state->clients, &c->link);
    pw_client_add_listener(c->client, &c->listener, &client_events, c);
}

static void on_global(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties)
{
    (void)permissions, (void)version;
    struct stream_list *state = data;
    struct node *n;
    const char *name = properties != NULL ? spa_dict_lookup(properties, PW_KEY_APP_NAME) : NULL;
    if (strcmp(type, PW_TYPE_INTERFACE_Client) == 0) {
        state->obeys = state->obeys || (name != NULL && strcmp(name, PROGRAM_NAME) == 0);
        follow_client(state, id);
    }
    if (strcmp(type, PW_TYPE_INTERFACE_Node) != 0 || (n = calloc(1, sizeof *n)) == NULL)
        return;
    n->state = state;
    n->id = id;
    n->node = pw_registry_bind(state->registry, id, type, PW_VERSION_NODE, 0);
    if (n->node == NULL) {
        free(n);
        return;
    }
    spa_list_append(&state->nodes, &n->link);
    pw_node_add_listener(n->node, &n->listener, &node_events, n);
    uint32_t ids[] = {SPA_PARAM_Props, SPA_PARAM_PortConfig, SPA_PARAM_EnumFormat};
    pw_node_subscribe_params(n->node, ids, SPA_N_ELEMENTS(ids));
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = on_global};

static void on_core_info(void *data, const struct pw_core_info *info)
{
    struct stream_list *state = data;
    snprintf(state->version, sizeof state->version, "%s", info->version != NULL ? info->version : "");
}

static void on_done(void *data, uint32_t id, int sequence)
{
    struct stream_list *state = data;
    if (id == PW_ID_CORE && sequence == state->sync)
        pw_main_loop_quit(state->loop);
}

static void on_error(void *data, uint32_t id, int sequence, int error, const char *message)
{
    (void)sequence;
    struct stream_list *state = data;
    if (id != PW_ID_CORE || error == -ENOENT)
        return; /* a node that has gone */
    fprintf(stderr, "ringer-pipewire: %s: %s\n", message, strerror(-error));
    state->error = error;
    pw_main_loop_quit(state->loop);
}

static void on_end(void *data, uint64_t expirations)
{
    (void)expirations;
    struct stream_list *state = data;
    fprintf(stderr, "ringer-pipewire: PipeWire has not answered for %d s\n", END_SECONDS);
    state->error = -ETIMEDOUT;
    pw_main_loop_quit(state->loop);
}

static const struct pw_core_events core_events = {
    PW_VERSION_CORE_EVENTS, .info = on_core_info, .done = on_done, .error = on_error};

/* Waits until PipeWire has done what it was asked. */
static bool settle(struct stream_list *state)
{
    state->sync = pw_core_sync(state->core, PW_ID_CORE, 0);
    pw_main_loop_run(state->loop);
    return state->error == 0;
}

static const char *of(const struct node *n, const char *key)
{
    const char *value = n->properties != NULL ? pw_properties_get(n->properties, key) : NULL;
    return value != NULL ? value : "";
}

/* As the streams' own judgement: what goes into a loopback's or filter's sink was judged. */
static bool comes_from_sink(const struct node *n)
{
    const struct node *other;
    const char *group = of(n, PW_KEY_NODE_LINK_GROUP);
    spa_list_for_each(other, &n->state->nodes, link)
        if (*group != '\0' && strcmp(of(other, PW_KEY_MEDIA_CLASS), "Audio/Sink") == 0 && strcmp(of(other, PW_KEY_NODE_LINK_GROUP), group) == 0)
            return true;
    return false;
}

static void list(const struct node *n, const struct rules *rules)
{
    const struct client *c;
    const char *id = of(n, PW_KEY_CLIENT_ID);
    spa_list_for_each(c, &n->state->clients, link)
        if (c->properties != NULL && *id != '\0' && c->id == strtoul(id, NULL, 10))
            add_client(n->properties, &c->properties->dict);
    const char *class = of(n, PW_KEY_MEDIA_CLASS), *name = of(n, PW_KEY_APP_NAME);
    bool is_stream = strcmp(class, "Stream/Output/Audio") == 0;
    /* A filter or a program of JACK has ports and neither a class nor a converter; PipeWire's own drivers have none of these. */
    bool is_filter = *class == '\0' && n->ports > 0 && *of(n, PW_KEY_CLIENT_ID) != '\0' &&
        strstr(of(n, PW_KEY_MEDIA_TYPE), "Audio") != NULL;
    if (!is_stream && !is_filter)
        return;
    if (*name == '\0')
        name = of(n, PW_KEY_NODE_NAME);
    printf("%u %s: ", n->id, name);
    struct category category = categorize(rules, &n->properties->dict);
    if (is_filter)
        printf("cannot be silenced: it has no converter (JACK, or a filter)\n");
    else if (n->bypasses || (n->plays_encoded && !n->plays_samples))
        printf("cannot be silenced: no converter reads what it plays (passthrough)\n");
    else if (!n->converter.known || n->converter.channels == 0)
        printf("cannot be silenced: it has no converter\n");
    else if (category.passes || comes_from_sink(n))
        printf("passes: what it plays was judged before\n");
    else
        printf("%s%s%s\n", category.name, category.options[0] != '\0' ? " " : "", category.options);
}

static void release(struct node *n)
{
    struct converter *c = &n->converter;
    if (strcmp(of(n, PW_KEY_MEDIA_CLASS), "Stream/Output/Audio") != 0 || !c->known)
        return;
    struct setting setting = {.sets_max = c->has_max, .max = CONVERTER_LOUDEST, .sets_soft = c->channels > 0,
        .soft_mute = c->mute, .gain = 1};
    converter_write(c, n->node, &setting);
}

int list_release(struct pw_main_loop *loop, struct pw_core *core, const struct rules *rules, enum list_release what)
{
    struct stream_list state = {.loop = loop, .core = core};
    struct spa_hook core_hook, registry_hook;
    struct node *n;
    spa_list_init(&state.nodes);
    spa_list_init(&state.clients);
    pw_core_add_listener(core, &core_hook, &core_events, &state);
    state.registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(state.registry, &registry_hook, &registry_events, &state);
    struct pw_loop *events = pw_main_loop_get_loop(loop);
    struct spa_source *end = pw_loop_add_timer(events, on_end, &state);
    struct timespec time = {.tv_sec = END_SECONDS};
    pw_loop_update_timer(events, end, &time, NULL, false);
    /* The globals, then what each node says of itself, then its Props, for which PipeWire may ask the program. */
    bool settled = settle(&state) && settle(&state) && settle(&state);
    if (settled && what == LIST_STREAMS)
        printf("PipeWire %s\nringer-pipewire %s\n", state.version, state.obeys ? "runs" : "does not run");
    spa_list_for_each(n, &state.nodes, link) {
        if (!settled || n->properties == NULL)
            continue;
        if (what == LIST_STREAMS)
            list(n, rules);
        else
            release(n);
    }
    settled = settled && settle(&state);
    spa_list_consume(n, &state.nodes, link) {
        spa_list_remove(&n->link);
        spa_hook_remove(&n->listener);
        pw_proxy_destroy((struct pw_proxy *)n->node);
        pw_properties_free(n->properties);
        free(n);
    }
    struct client *c;
    spa_list_consume(c, &state.clients, link) {
        spa_list_remove(&c->link);
        spa_hook_remove(&c->listener);
        pw_proxy_destroy((struct pw_proxy *)c->client);
        pw_properties_free(c->properties);
        free(c);
    }
    pw_loop_destroy_source(events, end);
    spa_hook_remove(&registry_hook);
    spa_hook_remove(&core_hook);
    pw_proxy_destroy((struct pw_proxy *)state.registry);
    return settled ? 0 : 1;
}
