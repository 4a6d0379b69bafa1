/* A stream's node: its properties, and when it is judged. */
#include "stream.h"

#include "sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void stream_set_timer(struct stream *s, struct spa_source *timer, unsigned int milliseconds)
{
    struct timespec time = {.tv_nsec = milliseconds * MILLISECOND};
    pw_loop_update_timer(s->context->loop, timer, &time, NULL, false);
}

void stream_report(const struct stream *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "ringer-pipewire: %s (%u): ", s->name, s->id);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int64_t stream_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static const char *first_of(const struct spa_dict *properties, const char *const *keys)
{
    const char *value = NULL;
    while (*keys != NULL && value == NULL)
        value = spa_dict_lookup(properties, *keys++);
    return value != NULL ? value : "";
}

static void judge(struct stream *s, const struct spa_dict *properties)
{
    struct category category = categorize(&s->context->rules, properties);
    category.passes = category.passes || sinks_have(s->context, spa_dict_lookup(properties, PW_KEY_NODE_LINK_GROUP));
    if (s->judged && category.passes == s->category.passes && strcmp(category.name, s->category.name) == 0 &&
        strcmp(category.options, s->category.options) == 0)
        return;
    /* What was judged as something else begins anew with the service. */
    link_close(&s->service);
    stream_watch(s);
    s->service = (struct link){.socket = -1};
    s->planned = 0;
    s->refusals = 0;
    s->judged = true;
    s->category = category;
    s->passes = category.passes;
    snprintf(s->name, sizeof s->name, "%s",
        first_of(properties, (const char *const[]){PW_KEY_APP_NAME, PW_KEY_APP_PROCESS_BINARY, PW_KEY_NODE_NAME, NULL}));
    for (char *end = s->name; *end != '\0'; end++)
        if ((unsigned char)*end < ' ' || *end == 0x7f)
            *end = ' ';
    if (s->passes) {
        stream_decide(s);
        return;
    }
    stream_greet(s, properties);
    stream_apply(s, true);
    stream_update(s);
}

void stream_consider(struct stream *s)
{
    if (s->properties == NULL || stream_waits_for_client(s))
        return;
    struct pw_properties *all = pw_properties_copy(s->properties);
    if (all == NULL)
        return;
    if (s->client_properties != NULL)
        add_client(all, &s->client_properties->dict);
    judge(s, &all->dict);
    pw_properties_free(all);
}

static void on_info(void *data, const struct pw_node_info *info)
{
    struct stream *s = data;
    if (info->change_mask & PW_NODE_CHANGE_MASK_STATE) {
        bool running = info->state == PW_NODE_STATE_RUNNING;
        if (running != s->running) {
            s->running = running;
            if (running && s->service.socket < 0)
                s->service.next_attempt = s->planned = s->planned_running;
            link_tell(&s->service, running);
            stream_watch(s);
            if (s->judged && !s->passes)
                stream_decide(s);
        }
    }
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) && info->props != NULL) {
        pw_properties_free(s->properties);
        s->properties = pw_properties_new_dict(info->props);
        stream_consider(s);
    }
    s->context->reschedule(s->context);
}

static const struct pw_node_events events = {PW_VERSION_NODE_EVENTS, .info = on_info, .param = stream_on_param};

static void free_timers(struct stream *s)
{
    struct spa_source *timers[] = {s->ramp, s->again, s->wait};
    for (size_t i = 0; i < SPA_N_ELEMENTS(timers); i++)
        if (timers[i] != NULL)
            pw_loop_destroy_source(s->context->loop, timers[i]);
}

struct stream *stream_new(struct context *context, uint32_t id, struct pw_node *node)
{
    struct stream *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (struct stream){.context = context, .id = id, .node = node, .watched = -1, .silent = true, .target = 1, .gain = 1,
        .written_max = -1, .confirmed = true, .patience = 1};
    s->service.socket = -1;
    s->ramp = pw_loop_add_timer(context->loop, stream_step, s);
    s->again = pw_loop_add_timer(context->loop, stream_write_again, s);
    s->wait = pw_loop_add_timer(context->loop, stream_on_no_client, s);
    if (s->ramp == NULL || s->again == NULL || s->wait == NULL) {
        free_timers(s);
        free(s);
        return NULL;
    }
    spa_list_append(&context->streams, &s->link);
    pw_node_add_listener(node, &s->listener, &events, s);
    uint32_t ids[] = {SPA_PARAM_Props};
    pw_node_subscribe_params(node, ids, 1);
    return s;
}

void stream_free(struct stream *s)
{
    link_close(&s->service);
    stream_watch(s);
    free_timers(s);
    stream_close_client(s);
    pw_properties_free(s->properties);
    spa_hook_remove(&s->listener);
    pw_proxy_destroy((struct pw_proxy *)s->node);
    spa_list_remove(&s->link);
    free(s);
}
