/*
 * How long ringer-pipewire waits, and for whom: the whole program with a clock, a loop and objects of PipeWire that are this test's,
 * beside a service at a real socket. No time passes: the clock moves to the next timer when nothing is left to do. So no verdict
 * depends on the machine's load.
 *
 *     waits
 *
 * It ends at the first wait that is another, and says which. ./test builds it, with --wrap for what it replaces.
 */
#define main program_main
#include "main.c"
#undef main

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>

#define CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "waits: line %d: ", __LINE__); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            exit(1); \
        } \
    } while (0)

/* MARK: the clock and the loop */

static int64_t time_now = 1000000 * MILLISECOND;

int __wrap_clock_gettime(clockid_t number, struct timespec *time);
int __wrap_clock_gettime(clockid_t number, struct timespec *time)
{
    (void)number;
    *time = (struct timespec){.tv_sec = time_now / (1000 * MILLISECOND), .tv_nsec = time_now % (1000 * MILLISECOND)};
    return 0;
}

struct source {
    struct spa_source source;
    struct spa_list link;
    spa_source_io_func_t on_readable;
    spa_source_timer_func_t on_due;
    void *data;
    int descriptor;
    int64_t due, interval; /* 0 if never */
};
static struct spa_list sources;

static struct spa_source *add(struct source values)
{
    struct source *source = calloc(1, sizeof *source);
    *source = values;
    spa_list_append(&sources, &source->link);
    return &source->source;
}

static struct spa_source *add_io(void *loop, int descriptor, uint32_t mask, bool close, spa_source_io_func_t on_readable, void *data)
{
    (void)loop, (void)mask, (void)close;
    return add((struct source){.descriptor = descriptor, .on_readable = on_readable, .data = data});
}

static struct spa_source *add_timer(void *loop, spa_source_timer_func_t on_due, void *data)
{
    (void)loop;
    return add((struct source){.descriptor = -1, .on_due = on_due, .data = data});
}

static int64_t nanoseconds(const struct timespec *time)
{
    return time != NULL ? time->tv_sec * 1000 * MILLISECOND + time->tv_nsec : 0;
}

static int update_timer(void *loop, struct spa_source *given, struct timespec *value, struct timespec *interval, bool absolute)
{
    (void)loop, (void)absolute;
    struct source *source = SPA_CONTAINER_OF(given, struct source, source);
    source->due = nanoseconds(value) != 0 ? time_now + nanoseconds(value) : 0;
    source->interval = nanoseconds(interval);
    return 0;
}

static void destroy_source(void *loop, struct spa_source *given)
{
    (void)loop;
    struct source *source = SPA_CONTAINER_OF(given, struct source, source);
    spa_list_remove(&source->link);
    free(source);
}

static const struct spa_loop_utils_methods loop_methods = {SPA_VERSION_LOOP_UTILS_METHODS, .add_io = add_io, .add_timer = add_timer,
    .update_timer = update_timer, .destroy_source = destroy_source};
static struct spa_loop_utils utils = {{SPA_TYPE_INTERFACE_LoopUtils, SPA_VERSION_LOOP_UTILS, {&loop_methods, NULL}}};
static struct pw_loop loop = {.utils = &utils};

/* MARK: the service */

static struct {
    int listener; /* -1: it is not there */
    enum { REFUSES, ACCEPTS, HANGS } does;
    int refusal;
    uint8_t flags, state;
    uint32_t gain;
    int connection; /* the newest that was accepted; -1 */
    int64_t attempts[512];
    unsigned int count;
    struct ringer_pcm_packet hello; /* the newest */
} service = {.listener = -1, .connection = -1, .gain = RINGER_PCM_FULL_GAIN};

static void say(uint8_t kind)
{
    struct ringer_pcm_packet packet = {.version = RINGER_PCM_VERSION, .kind = kind, .gain = service.gain, .flags = service.flags};
    packet.value = kind == RINGER_PCM_REFUSED ? (uint8_t)service.refusal : service.state;
    CHECK(send(service.connection, &packet, sizeof packet, MSG_NOSIGNAL) == sizeof packet, "send: %s", strerror(errno));
}

static void leave(void)
{
    if (service.connection >= 0)
        close(service.connection);
    service.connection = -1;
}

static void serve(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    service.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
    unlink(path);
    CHECK(bind(service.listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(service.listener, 8) == 0, "%s: %s", path,
        strerror(errno));
}

static bool attend(void)
{
    int connection = service.listener >= 0 ? accept(service.listener, NULL, NULL) : -1;
    if (connection < 0)
        return false;
    leave();
    service.connection = connection;
    service.attempts[service.count++ % SPA_N_ELEMENTS(service.attempts)] = time_now;
    CHECK(recv(connection, &service.hello, sizeof service.hello, 0) == sizeof service.hello, "no greeting");
    if (service.does != HANGS)
        say(service.does == ACCEPTS ? RINGER_PCM_ACCEPTED : RINGER_PCM_REFUSED);
    if (service.does == REFUSES)
        leave();
    return true;
}

/* MARK: PipeWire */

struct object {
    struct spa_interface interface;
    struct spa_hook_list listeners;
    uint32_t id;
};
static struct object *node, *client; /* the newest */
static unsigned int destroyed;

/* What was written to the node. */
static struct {
    float max;     /* of the last that had one */
    bool has_soft; /* the last had soft volumes */
    unsigned int count, soft_count;
    int64_t times[512];
} written;

static int add_listener(void *object, struct spa_hook *listener, const void *events, void *data)
{
    spa_hook_list_append(&((struct object *)object)->listeners, listener, events, data);
    return 0;
}

static int add_node_listener(void *object, struct spa_hook *listener, const struct pw_node_events *events, void *data)
{
    return add_listener(object, listener, events, data);
}

static int add_client_listener(void *object, struct spa_hook *listener, const struct pw_client_events *events, void *data)
{
    return add_listener(object, listener, events, data);
}

static int subscribe_params(void *object, uint32_t *ids, uint32_t count)
{
    (void)object, (void)ids, (void)count;
    return 0;
}

static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *param)
{
    (void)object, (void)id, (void)flags;
    const struct spa_pod_prop *params = spa_pod_find_prop(param, NULL, SPA_PROP_params);
    written.has_soft = spa_pod_find_prop(param, NULL, SPA_PROP_softVolumes) != NULL;
    written.soft_count += written.has_soft;
    if (params != NULL) {
        const struct spa_pod *key = SPA_POD_BODY_CONST(&params->value);
        spa_pod_get_float(spa_pod_next(key), &written.max);
    }
    written.times[written.count++ % SPA_N_ELEMENTS(written.times)] = time_now;
    return 0;
}

static const struct pw_node_methods node_methods = {
    PW_VERSION_NODE_METHODS, .add_listener = add_node_listener, .subscribe_params = subscribe_params, .set_param = set_param};
static const struct pw_client_methods client_methods = {PW_VERSION_CLIENT_METHODS, .add_listener = add_client_listener};

static void *bind_object(void *object, uint32_t id, const char *type, uint32_t version, size_t size)
{
    (void)object, (void)version, (void)size;
    bool is_node = strcmp(type, PW_TYPE_INTERFACE_Node) == 0;
    struct object *made = calloc(1, sizeof *made);
    made->interface = is_node ? SPA_INTERFACE_INIT(PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, &node_methods, made)
                              : SPA_INTERFACE_INIT(PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, &client_methods, made);
    made->id = id;
    spa_hook_list_init(&made->listeners);
    *(is_node ? &node : &client) = made;
    return made;
}

void __wrap_pw_proxy_destroy(struct pw_proxy *proxy);
void __wrap_pw_proxy_destroy(struct pw_proxy *proxy)
{
    destroyed++;
    free(proxy);
}

static const struct pw_registry_methods registry_methods = {PW_VERSION_REGISTRY_METHODS, .bind = bind_object};
static struct spa_interface registry = {PW_TYPE_INTERFACE_Registry, PW_VERSION_REGISTRY, {&registry_methods, NULL}};

/* MARK: what happens */

static struct program program = {.context = {.loop = &loop, .registry = (struct pw_registry *)&registry, .reschedule = reschedule}};

/* All that can be done now; then the clock moves to the next timer, until that many milliseconds have passed. */
static void pass(int64_t milliseconds)
{
    int64_t end = time_now + milliseconds * MILLISECOND;
    for (;;) {
        struct source *source, *next = NULL;
        bool did = attend();
        spa_list_for_each(source, &sources, link) {
            struct pollfd readable = {.fd = source->descriptor, .events = POLLIN};
            if (source->descriptor >= 0 && poll(&readable, 1, 0) > 0) {
                /* It may remove sources. */
                source->on_readable(source->data, source->descriptor, SPA_IO_IN);
                did = true;
                break;
            }
            if (source->due != 0 && (next == NULL || source->due < next->due))
                next = source;
        }
        if (did)
            continue;
        if (next == NULL || next->due > end)
            break;
        time_now = SPA_MAX(time_now, next->due);
        next->due = next->interval != 0 ? time_now + next->interval : 0;
        next->on_due(next->data, 1);
    }
    time_now = end;
}

static void say_state(enum pw_node_state state)
{
    struct pw_node_info info = {.change_mask = PW_NODE_CHANGE_MASK_STATE, .state = state};
    spa_hook_list_call(&node->listeners, struct pw_node_events, info, 0, &info);
}

/* A stream with no other properties than these, and its program's. */
static void appear(bool runs, const struct spa_dict *properties)
{
    static uint32_t id = 100;
    service.count = written.count = written.soft_count = 0;
    written.max = -1;
    on_global(&program, ++id, 0, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
        &SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{PW_KEY_MEDIA_CLASS, "Stream/Output/Audio"}})));
    if (runs)
        say_state(PW_NODE_STATE_RUNNING);
    struct pw_node_info info = {.change_mask = PW_NODE_CHANGE_MASK_PROPS, .props = (struct spa_dict *)properties};
    spa_hook_list_call(&node->listeners, struct pw_node_events, info, 0, &info);
}

static void disappear(void)
{
    on_global_remove(&program, node->id);
    leave();
    CHECK(spa_list_is_empty(&program.context.streams), "a stream is left");
}

/* The converter of the stream says what it has: this max-volume, the user's volume, and soft volumes that nobody wrote. */
static void say_props(float max, float volume)
{
    uint8_t buffer[1024];
    float volumes[] = {volume, volume}, softs[] = {1, 1};
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    struct spa_pod_frame object, params;
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    spa_pod_builder_add(&builder, SPA_PROP_mute, SPA_POD_Bool(false), SPA_PROP_channelVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, 2, volumes), SPA_PROP_softMute, SPA_POD_Bool(false), SPA_PROP_softVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, 2, softs), 0);
    spa_pod_builder_prop(&builder, SPA_PROP_params, 0);
    spa_pod_builder_push_struct(&builder, &params);
    spa_pod_builder_string(&builder, "channelmix.max-volume");
    spa_pod_builder_float(&builder, max);
    spa_pod_builder_pop(&builder, &params);
    const struct spa_pod *pod = spa_pod_builder_pop(&builder, &object);
    spa_hook_list_call(&node->listeners, struct pw_node_events, param, 0, 0, SPA_PARAM_Props, 0, 0, pod);
}

/* That what happened so often happened with these pauses, in milliseconds. */
static void check_pauses(const char *what, const int64_t *times, unsigned int count, const int64_t *pauses, unsigned int wanted)
{
    CHECK(count > wanted, "%s: %u, not more than %u", what, count, wanted);
    for (unsigned int i = 0; i < wanted; i++)
        CHECK(times[i + 1] - times[i] == pauses[i] * MILLISECOND, "%s: pause %u is %.3f ms, not %lld", what, i,
            (double)(times[i + 1] - times[i]) / MILLISECOND, (long long)pauses[i]);
}
#define PAUSES(what, times, count, ...) \
    check_pauses(what, times, count, (int64_t[]){__VA_ARGS__}, SPA_N_ELEMENTS(((int64_t[]){__VA_ARGS__})))

/* MARK: the waits */

static const struct spa_dict_item plain_items[] = {{PW_KEY_CLIENT_ID, "7"}, {PW_KEY_APP_NAME, "Player"}, {PW_KEY_MEDIA_ROLE, "Music"}};
static const struct spa_dict plain = {0, SPA_N_ELEMENTS(plain_items), plain_items};

/* A service that refuses for a reason that stays is asked ever more seldom, down to once in half a minute. */
static void wait_for_a_refusal(void)
{
    service.does = REFUSES;
    service.refusal = RINGER_PCM_NOT_PERMITTED;
    appear(true, &plain);
    pass(600000);
    PAUSES("refused", service.attempts, service.count, 1000, 1750, 3250, 6250, 12250, 24250, 30250, 30250, 30250, 30250);
    /* An answer ends that, and what comes after it begins anew. */
    service.does = ACCEPTS;
    pass(31000);
    CHECK(service.connection >= 0, "it has not asked again");
    service.does = REFUSES;
    service.count = 0;
    leave();
    pass(60000);
    PAUSES("refused anew", service.attempts, service.count, 1000, 1750, 3250, 6250);
    disappear();
}

/* Where others' end makes room, it is asked every second for as long as it lasts. */
static void wait_for_room(void)
{
    service.does = REFUSES;
    service.refusal = RINGER_PCM_TOO_MANY;
    appear(true, &plain);
    pass(300000);
    CHECK(service.count == 301, "%u attempts in 300 s", service.count);
    PAUSES("too many", service.attempts, service.count, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000);
    disappear();
}

/* Of a stream that does not run it is asked more seldom, but as soon as it runs. */
static void wait_without_running(void)
{
    service.does = REFUSES;
    service.refusal = RINGER_PCM_TOO_MANY;
    appear(false, &plain);
    pass(60000);
    PAUSES("idle", service.attempts, service.count, 11000, 11000, 11000, 11000);
    service.count = 0;
    service.does = ACCEPTS;
    say_state(PW_NODE_STATE_RUNNING);
    pass(1);
    CHECK(service.count == 1 && service.connection >= 0, "it runs, and the service was not asked");
    disappear();
}

/* A service that is not there is looked for four times a second, of a stream that does not run every 10 s. */
static void wait_for_the_service(void)
{
    const char *path = program.context.rules.socket;
    close(service.listener);
    service.listener = -1;
    service.does = ACCEPTS;
    appear(true, &plain);
    pass(100000);
    serve(path);
    pass(250);
    CHECK(service.count == 1, "a service that is back is not found");
    disappear();
    close(service.listener);
    service.listener = -1;
    appear(false, &plain);
    pass(11000);
    serve(path);
    pass(9499);
    CHECK(service.count == 0, "it was looked for early");
    pass(1);
    CHECK(service.count == 1, "a service that is back is not found for a stream that does not run");
    disappear();
}

/* What a rule asks the stream's client for is waited for, and no longer than 200 ms; one that answers later is judged anew. */
static void wait_for_the_client(void)
{
    const struct spa_dict nameless = SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{PW_KEY_CLIENT_ID, "7"}}));
    struct spa_dict named = SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{PW_KEY_APP_NAME, "Sonata"}}));
    struct pw_client_info info = {.change_mask = PW_CLIENT_CHANGE_MASK_PROPS, .props = &named};
    service.does = ACCEPTS;
    appear(true, &nameless);
    CHECK(client != NULL && client->id == 7, "the client is not asked");
    say_props(0, 1);
    pass(199);
    CHECK(service.count == 0 && written.count == 0, "it is judged before the client has answered");
    pass(1);
    CHECK(service.count == 1 && strcmp(service.hello.category, "ambient") == 0, "a client that says nothing: %u, %s", service.count,
        service.hello.category);
    spa_hook_list_call(&client->listeners, struct pw_client_events, info, 0, &info);
    pass(1);
    CHECK(service.count == 2 && strcmp(service.hello.category, "playback") == 0, "a client that is late: %u, %s", service.count,
        service.hello.category);
    /* What it says of something else has no properties. */
    struct pw_client_info other = {.props = &(struct spa_dict){0}};
    spa_hook_list_call(&client->listeners, struct pw_client_events, info, 0, &other);
    pass(1);
    CHECK(service.count == 2, "it is judged anew without its client's properties");
    disappear();
    appear(true, &nameless);
    pass(150);
    spa_hook_list_call(&client->listeners, struct pw_client_events, info, 0, &info);
    pass(0);
    CHECK(service.count == 1 && strcmp(service.hello.category, "playback") == 0, "a client that answers: %u, %s", service.count,
        service.hello.category);
    pass(1000);
    CHECK(service.count == 1, "it was judged twice");
    disappear();
}

/* A service that does not accept: what obeys the switch is silent, by `if-unreachable = play` too, and it is said. */
static void wait_for_an_answer(void)
{
    service.does = HANGS;
    program.context.rules.plays_unreachable = true;
    appear(true, &SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{PW_KEY_APP_NAME, "Player"}, {PW_KEY_MEDIA_ROLE, "Game"}})));
    say_props(0, 1);
    pass(60000);
    CHECK(written.count == 0, "%u writes for a service that is there and hangs", written.count);
    program.context.rules.plays_unreachable = false;
    disappear();
}

/* A converter that does not confirm is written to again after 1 s, 2 s, and so on to 32 s. */
static void wait_for_the_converter(void)
{
    service.does = ACCEPTS;
    appear(true, &plain);
    say_props(0, 1);
    pass(1);
    CHECK(written.count == 1 && written.max == CONVERTER_LOUDEST, "it is not released");
    pass(200000);
    CHECK(written.count >= 9, "%u writes in 200 s", written.count);
    static const int64_t wanted[] = {1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000};
    for (unsigned int i = 0; i < SPA_N_ELEMENTS(wanted); i++) {
        /* It is looked at every 500 ms. */
        int64_t pause = (written.times[i + 1] - written.times[i]) / MILLISECOND;
        CHECK(pause >= wanted[i] && pause <= wanted[i] + 501, "pause %u is %lld ms, not %lld", i, (long long)pause, (long long)wanted[i]);
    }
    say_props(CONVERTER_LOUDEST, 1);
    written.count = 0;
    pass(200000);
    CHECK(written.count == 0, "%u writes to one that has confirmed", written.count);
    disappear();
}

/* A converter that takes no soft volumes, and whose user moves the volume without end, is given up; it is silenced all the same. */
static void wait_for_no_echo(void)
{
    service.does = ACCEPTS;
    service.gain = RINGER_PCM_FULL_GAIN / 5;
    appear(true, &plain);
    say_props(0, 1);
    for (unsigned int i = 1; i <= 200; i++) {
        pass(100);
        say_props(CONVERTER_LOUDEST, (float)i / 200);
    }
    CHECK(written.soft_count == 64, "%u soft volumes", written.soft_count);
    service.state = RINGER_PCM_SILENCED;
    say(RINGER_PCM_STATE);
    pass(1);
    CHECK(written.max == 0, "it is not silenced");
    service.state = RINGER_PCM_HEARD;
    service.gain = RINGER_PCM_FULL_GAIN;
    disappear();
}

/* After an interruption that ended without leave to resume it is silent, also with the next service, until it starts anew. */
static void wait_for_a_start(void)
{
    service.does = ACCEPTS;
    appear(true, &plain);
    say_props(0, 1);
    pass(1);
    say_props(CONVERTER_LOUDEST, 1);
    service.flags = RINGER_PCM_OVER;
    say(RINGER_PCM_STATE);
    pass(60000);
    CHECK(written.max == 0, "it is heard");
    say_props(0, 1);
    service.flags = 0;
    leave();
    pass(60000);
    CHECK(service.count == 2 && !(service.hello.flags & RINGER_PCM_RUNS), "the hello to the next service reports the stream as running");
    CHECK(written.max == 0, "it is heard with the next service");
    say_state(PW_NODE_STATE_IDLE);
    say_state(PW_NODE_STATE_RUNNING);
    pass(1);
    CHECK(written.max == CONVERTER_LOUDEST, "it is silent though it started anew");
    disappear();
}

int main(void)
{
    char folder[] = "/tmp/waits.XXXXXX", rules[64];
    CHECK(mkdtemp(folder) != NULL, "%s: %s", folder, strerror(errno));
    snprintf(rules, sizeof rules, "%s/rules", folder);
    FILE *file = fopen(rules, "w");
    fprintf(file, "socket = %s/pcm\napplication.name:Sonata = playback\n", folder);
    fclose(file);
    pw_init(NULL, NULL);
    spa_list_init(&sources);
    rules_read(&program.context.rules, rules);
    spa_list_init(&program.context.streams);
    spa_list_init(&program.context.sinks);
    program.timer = pw_loop_add_timer(&loop, look, &program);
    program.due = INT64_MAX;
    serve(program.context.rules.socket);
    static void (*const waits[])(void) = {wait_for_a_refusal, wait_for_room, wait_without_running, wait_for_the_service,
        wait_for_the_client, wait_for_an_answer, wait_for_the_converter, wait_for_no_echo, wait_for_a_start};
    for (size_t i = 0; i < SPA_N_ELEMENTS(waits); i++)
        waits[i]();
    CHECK(destroyed > 0, "no object was destroyed");
    unlink(program.context.rules.socket);
    unlink(rules);
    rmdir(folder);
    printf("%zu waits\n", SPA_N_ELEMENTS(waits));
    return 0;
}
