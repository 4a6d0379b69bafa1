/*
 * Counts the frames that a sink plays and that are not silent, at its monitor.
 *
 *     probe SINK
 *     probe --play | --unconverted | --encoded | --filter
 *
 * With --play it plays a level of 0.25 instead, and has the media.role that it reads, a line each; with --unconverted so without a
 * converter, and with --encoded as IEC 958 says that what is encoded is. With --filter it has the output of a filter, which is silent.
 *
 * Each line on standard input is answered by one: how many frames were not silent since the last, the highest level, how many
 * cycles there were, and the frames of the last one; then whether the last frame was heard, and when the last change between sound
 * and silence was, and when the last cycle began, in nanoseconds of CLOCK_MONOTONIC: on a busy machine cycles wait to be counted.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

static struct pw_main_loop *loop;
static struct pw_stream *stream;
static unsigned long heard, cycles;
static unsigned int frames;
static float peak;
static bool is_heard;
static long long changed, began;

static void on_process(void *data)
{
    (void)data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    struct pw_time time;
    if (buffer == NULL)
        return;
    pw_stream_get_time_n(stream, &time, sizeof time);
    struct spa_data *block = &buffer->buffer->datas[0];
    const float *samples = SPA_PTROFF(block->data, block->chunk->offset, float);
    cycles++;
    began = time.now;
    frames = block->chunk->size / 8;
    for (unsigned int i = 0; i < frames; i++) {
        float level = fmaxf(fabsf(samples[2 * i]), fabsf(samples[2 * i + 1]));
        bool now = level > 1e-5f;
        heard += now;
        peak = fmaxf(peak, level);
        if (now != is_heard)
            changed = time.now + i * 1000000000LL / 48000;
        is_heard = now;
    }
    pw_stream_queue_buffer(stream, buffer);
}

static void on_play(void *data)
{
    (void)data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    if (buffer == NULL)
        return;
    struct spa_data *block = &buffer->buffer->datas[0];
    unsigned int count = SPA_MIN(block->maxsize / 8, 1024U);
    float *samples = block->data;
    for (unsigned int i = 0; i < 2 * count; i++)
        samples[i] = 0.25f;
    *block->chunk = (struct spa_chunk){.size = count * 8, .stride = 8};
    pw_stream_queue_buffer(stream, buffer);
}

static void on_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error)
{
    (void)data, (void)old, (void)error;
    /* PipeWire has gone. */
    if (state == PW_STREAM_STATE_ERROR)
        pw_main_loop_quit(loop);
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .process = on_process, .state_changed = on_state};

static const struct pw_stream_events play_events = {
    PW_VERSION_STREAM_EVENTS, .process = on_play, .state_changed = on_state};

static void on_role(void *data, int descriptor, uint32_t mask)
{
    (void)data, (void)mask;
    char text[64];
    ssize_t count = read(descriptor, text, sizeof text);
    if (count <= 0) {
        pw_main_loop_quit(loop);
        return;
    }
    text[count - 1] = '\0';
    pw_stream_update_properties(stream, &SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{PW_KEY_MEDIA_ROLE, text}})));
}

static void on_input(void *data, int descriptor, uint32_t mask)
{
    (void)data, (void)mask;
    char text[64];
    if (read(descriptor, text, sizeof text) <= 0) {
        pw_main_loop_quit(loop);
        return;
    }
    printf("%lu %f %lu %u %d %lld %lld\n", heard, (double)peak, cycles, frames, is_heard, changed, began);
    fflush(stdout);
    heard = cycles = 0;
    peak = 0;
}

static void on_filter(void *data, struct spa_io_position *position)
{
    (void)data, (void)position;
}

static const struct pw_filter_events filter_events = {PW_VERSION_FILTER_EVENTS, .process = on_filter};

static int filter(void)
{
    struct pw_filter *made = pw_filter_new_simple(pw_main_loop_get_loop(loop), "filter", pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio",
        PW_KEY_MEDIA_CATEGORY, "Filter", PW_KEY_MEDIA_ROLE, "DSP", NULL), &filter_events, NULL);
    pw_filter_add_port(made, PW_DIRECTION_OUTPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, 0,
        pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, "out", NULL), NULL, 0);
    pw_filter_connect(made, PW_FILTER_FLAG_NONE, NULL, 0);
    pw_main_loop_run(loop);
    return 0;
}

int main(int argc, char **argv)
{
    pw_init(&argc, &argv);
    loop = pw_main_loop_new(NULL);
    const char *mode = argc > 1 ? argv[1] : "";
    bool converted = strcmp(mode, "--unconverted") != 0, encoded = strcmp(mode, "--encoded") == 0;
    bool plays = !converted || encoded || strcmp(mode, "--play") == 0;
    if (strcmp(mode, "--filter") == 0)
        return filter();
    struct pw_properties *properties = plays ? pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Playback",
        PW_KEY_NODE_NAME, "player", "state.restore-props", "false", NULL) : pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Capture",
        PW_KEY_NODE_NAME, "probe", PW_KEY_STREAM_CAPTURE_SINK, "true", PW_KEY_TARGET_OBJECT, argv[1],
        "state.restore-props", "false", NULL);
    stream = pw_stream_new_simple(pw_main_loop_get_loop(loop), "probe", properties, plays ? &play_events : &events, NULL);
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    const struct spa_pod *format = encoded ? spa_format_audio_iec958_build(&builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_IEC958_INIT(.codec = SPA_AUDIO_IEC958_CODEC_AC3, .rate = 48000)) : spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .channels = 2, .rate = 48000,
            .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}));
    /* Not of a real-time thread: what it counts is read where it is printed. */
    pw_stream_connect(stream, plays ? PW_DIRECTION_OUTPUT : PW_DIRECTION_INPUT, PW_ID_ANY, (encoded ? 0 : PW_STREAM_FLAG_AUTOCONNECT) | PW_STREAM_FLAG_MAP_BUFFERS | (converted ? 0 : PW_STREAM_FLAG_NO_CONVERT), &format, 1);
    pw_loop_add_io(pw_main_loop_get_loop(loop), 0, SPA_IO_IN, false, plays ? on_role : on_input, NULL);
    pw_main_loop_run(loop);
    return 0;
}
