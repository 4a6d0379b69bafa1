/*
 * What the service says of a stream is written to its converter, and nothing that the user sees: `mute`, `volume` and
 * `channelVolumes`, which WirePlumber stores, are not written.
 *
 * Silence is channelmix.max-volume 0, which no other volume overrides. A stream is born so, by stream.rules, and is given the
 * default when the service lets it be heard. Before PipeWire 0.3.72, which has no such property, it is softMute.
 *
 * Ducking is softVolumes: the user's volumes times the gain. Soft values are in force only until somebody writes `mute` or
 * `channelVolumes`, and Props does not say whether they are. So each write has another last digit, which is not heard, to know its
 * echo by, and any change that is no echo is answered by a write; so is an echo that comes twice, for others wrote what was there. Two
 * changes may come as one: it is written a few times. All of this ends, whatever a converter says: see `MOST_`.
 */
#include "stream.h"

#include <math.h>
#include <string.h>

/* Of soft volumes, to a converter that has echoed none of them. */
#define MOST_UNECHOED 64
/* Of second echoes in a row that are answered: a converter may say all twice. */
#define MOST_REPEATS 8
#define ROW_NANOSECONDS (1000 * MILLISECOND)
/* How many seconds a converter has at most to confirm its max-volume, before it is written again. */
#define MOST_PATIENCE 32

static const unsigned int again_milliseconds[] = {2, 6, 20, 60, 200};

/* Without soft values the converter does what the user says: nothing is to be written for that, but after others, and for a
   stream that was born with softMute. At silent, max-volume alone holds. */
static bool needs_soft(const struct stream *s)
{
    return s->silent ? !s->converter.has_max : s->gain != 1;
}

/* The user's volumes and mute are those with which the newest soft volumes were computed. */
static bool is_unchanged(const struct stream *s)
{
    const struct converter *c = &s->converter;
    return c->mute == s->written_mute && memcmp(c->volumes, s->written_volumes, c->channels * sizeof *c->volumes) == 0;
}

/* How many writes ago the soft volume that the converter says was written; MARKS if it is no such one. */
static unsigned int age(const struct stream *s)
{
    unsigned int age = 0;
    while (age < SPA_MIN(s->writes, MARKS) &&
        fabsf(s->converter.soft - s->marks[(s->writes - age) % MARKS]) > 2e-6f * s->converter.soft)
        age++;
    return age < SPA_MIN(s->writes, MARKS) ? age : MARKS;
}

void stream_apply(struct stream *s, bool anew)
{
    struct converter *c = &s->converter;
    if (!c->known || !s->judged)
        return;
    bool mutes = s->silent && !c->has_max;
    struct setting setting = {.max = s->silent ? 0 : CONVERTER_LOUDEST, .soft_mute = c->mute || mutes, .gain = s->gain};
    /* What was written and not confirmed is on its way. */
    setting.sets_max = c->has_max && (s->confirmed ? c->max : s->written_max) != setting.max;
    bool ends_soft = !s->silent && (s->soft_in_force || (c->soft_mute && !c->mute));
    setting.sets_soft = anew && (needs_soft(s) || ends_soft) && c->channels > 0;
    if (setting.sets_soft && s->unechoed >= MOST_UNECHOED) {
        if (!s->holds)
            stream_report(s, "its converter does not say that it takes soft volumes: it is not written to until it does");
        s->holds = true;
        setting.sets_soft = false;
    }
    if (!setting.sets_max && !setting.sets_soft)
        return;
    if (setting.sets_soft) {
        float mark = 1 - 1e-5f * (float)(++s->writes % MARKS);
        setting.gain *= mark;
        setting.marker = mutes ? mark : 0;
        s->soft_in_force = needs_soft(s);
        memcpy(s->written_volumes, c->volumes, sizeof s->written_volumes);
        s->written_mute = c->mute;
        s->echoed = false;
        s->unechoed++;
    }
    if (setting.sets_max) {
        s->written_max = setting.max;
        s->confirmed = false;
        s->unconfirmed = stream_now();
    }
    float soft = converter_write(c, s->node, &setting);
    if (setting.sets_soft)
        s->marks[s->writes % MARKS] = soft;
    if (s->context->verbose)
        stream_report(s, "%s, gain %.3f", s->silent ? "silent" : "heard", (double)s->gain);
}

void stream_step(void *data, uint64_t expirations)
{
    struct stream *s = data;
    float left = s->target - s->gain, moved = s->step * (float)expirations;
    bool arrives = fabsf(left) <= fabsf(moved) || moved * left <= 0;
    s->gain = arrives ? s->target : s->gain + moved;
    stream_apply(s, true);
    if (!arrives)
        stream_set_timer(s, s->ramp, STEP_MILLISECONDS);
}

void stream_write_again(void *data, uint64_t expirations)
{
    struct stream *s = data;
    if (!s->soft_in_force || !needs_soft(s))
        return;
    if (expirations > 0)
        stream_apply(s, true);
    if (s->agains < SPA_N_ELEMENTS(again_milliseconds))
        stream_set_timer(s, s->again, again_milliseconds[s->agains++]);
}

/* The max-volume of a converter that plays and has not said that it has it. */
void stream_confirm(struct stream *s)
{
    if (s->confirmed || !s->running || stream_now() - s->unconfirmed < s->patience * 1000 * MILLISECOND)
        return;
    if (s->patience == 1)
        stream_report(s, "its converter has not said for 1 s that it is %s: it is written again", s->silent ? "silent" : "heard");
    s->patience = SPA_MIN(2 * s->patience, (unsigned int)MOST_PATIENCE);
    s->written_max = -1;
    stream_apply(s, false);
}

/* Others have written what was there, or the converter says all twice: so often in a row, and it is not answered. */
static bool repeats_seldom(struct stream *s)
{
    int64_t time = stream_now();
    s->repeats = time - s->repeated < ROW_NANOSECONDS ? s->repeats + 1 : 1;
    s->repeated = time;
    return s->repeats <= MOST_REPEATS;
}

void stream_on_param(
    void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *param)
{
    (void)sequence, (void)index, (void)next;
    struct stream *s = data;
    struct converter *c = &s->converter;
    if (id != SPA_PARAM_Props || !converter_read(c, param))
        return;
    if (c->has_max && c->max == s->written_max) {
        s->confirmed = true;
        s->patience = 1;
    }
    unsigned int writes_ago = age(s);
    bool held = s->holds;
    if (writes_ago < MARKS) {
        s->unechoed = 0;
        s->holds = false;
    }
    if (writes_ago < MARKS && s->soft_in_force && is_unchanged(s) && !held) {
        bool repeats = writes_ago == 0 && s->echoed;
        s->echoed = s->echoed || writes_ago == 0;
        stream_apply(s, repeats && repeats_seldom(s));
        return;
    }
    /* What was written and has not been echoed is on its way, and is the last. */
    bool others = s->echoed || !is_unchanged(s);
    stream_apply(s, !s->soft_in_force || s->echoed || held);
    if (s->soft_in_force && others) {
        s->agains = 0;
        stream_write_again(s, 0);
    }
}
