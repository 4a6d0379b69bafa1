// A call: its session, its description, and what its session reports.
#include "endpoint.h"

#include <string.h>

struct call *call_find(const struct handset_sip *sip, uint32_t number)
{
    const struct le *le;

    for (le = sip->calls.head; le; le = le->next) {
        struct call *call = le->data;
        if (call->number == number)
            return call;
    }
    return NULL;
}

static void destroy_call(void *arg)
{
    struct call *call = arg;

    tmr_cancel(&call->closing);
    tmr_cancel(&call->expiry);
    list_unlink(&call->le);
    mem_deref(call->session);
    mem_deref(call->sdp);
    mem_deref(call->secure);
    mem_deref(call->sound);
    mem_deref(call->identity);
    reserve_fill(call->sip);
}

void call_close(struct call *call, int status)
{
    struct handset_sip *sip = call->sip;
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_CLOSED,
        .call = call->number,
        .status = status,
        .heard = sound_heard(call->sound),
    };

    mem_deref(call);
    endpoint_report(sip, &event);
}

static void close_later(void *arg)
{
    call_close(arg, 0);
}

static void session_closed(int error, const struct sip_msg *message, void *arg)
{
    (void)error;
    call_close(arg, message ? message->scode : 0);
}

static void audio_silent(void *arg)
{
    struct call *call = arg;

    // Not from within the sound's own timer.
    if (!tmr_isrunning(&call->closing))
        tmr_start(&call->closing, 0, close_later, call);
}

static void audio_failed(const char *pcm, const char *reason, void *arg)
{
    struct call *call = arg;
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_AUDIO_FAILED, .call = call->number, .peer = pcm, .reason = reason};

    endpoint_report(call->sip, &event);
}

static void established(const struct sip_msg *message, void *arg)
{
    (void)message;
    (void)arg;
}

static int identify(char **identity, const struct sip_msg *message)
{
    return re_sdprintf(identity, "%r\n%r\n%u", &message->callid, &message->from.tag, message->cseq.num);
}

bool call_is_merged(const struct handset_sip *sip, const struct sip_msg *message)
{
    bool is_merged = false;
    const struct le *le;
    char *identity = NULL;

    if (identify(&identity, message))
        return false;
    for (le = sip->calls.head; le && !is_merged; le = le->next)
        is_merged = !str_cmp(((const struct call *)le->data)->identity, identity);
    mem_deref(identity);
    return is_merged;
}

int call_replace(struct call *call, const struct sip_msg *message)
{
    struct sdp_session *sdp = call->sdp;
    struct sdp_media *audio = call->audio;
    struct secure *secure = call->secure;
    const struct sa source = call->source;
    struct sipsess *session = NULL;
    struct mbuf *description = NULL;
    char *identity = NULL;
    bool has_offer = true;
    int error = identify(&identity, message);

    call->source = message->src;
    call->sdp = NULL;
    // With a key of its own: the caller before knows the other one.
    call->secure = NULL;
    if (!error)
        error = call_describe(call);
    if (!error)
        error = call_take_offer(call, message);
    if (error == ENOENT) {
        has_offer = false;
        error = 0;
    }
    if (!error)
        error = sdp_encode(&description, call->sdp, !has_offer);
    if (!error)
        error = sipsess_accept(&session, call->sip->sessions, message, 200, "OK", "handset", "application/sdp",
            description, NULL, NULL, false, call_offered, call_completed, established, call_informed, NULL, session_closed,
            call, CALL_HEADERS);
    mem_deref(description);
    if (error) {
        // It goes on as it was.
        mem_deref(identity);
        mem_deref(call->sdp);
        mem_deref(call->secure);
        call->sdp = sdp;
        call->secure = secure;
        call->audio = audio;
        call->source = source;
        (void)call_negotiate(call);
        return error;
    }
    mem_deref(sdp);
    mem_deref(secure);
    mem_deref(call->identity);
    call->identity = identity;
    // The caller before gets BYE.
    mem_deref(call->session);
    call->session = session;
    return 0;
}

static void expired(void *arg)
{
    call_refuse(arg, 487, "Request Terminated");
}

int call_accept(struct call *call, const struct sip_msg *message)
{
    int error = sipsess_accept(&call->session, call->sip->sessions, message, 180, "Ringing", "handset",
        "application/sdp", NULL, NULL, NULL, false, call_offered, call_completed, established, call_informed, NULL,
        session_closed, call, CALL_HEADERS);

    if (!error && request_is_number(&message->expires, UINT32_MAX))
        tmr_start(&call->expiry, pl_u32(&message->expires) * (uint64_t)1000, expired, call);
    return error;
}

int call_make(struct call **callp, struct handset_sip *sip, const struct sip_msg *message)
{
    struct sound_options sound = {
        .playback = sip->options.playback,
        .capture = sip->options.capture,
        .silence_limit = sip->options.silence_limit,
        .hold_limit = sip->options.hold_limit,
    };
    struct call *call = mem_zalloc(sizeof(*call), destroy_call);
    int error;

    if (!call)
        return ENOMEM;
    call->sip = sip;
    call->source = message->src;
    tmr_init(&call->closing);
    tmr_init(&call->expiry);
    list_append(&sip->calls, &call->le, call);
    // The sockets take their place.
    reserve_empty(sip, CALL_DESCRIPTORS);
    error = identify(&call->identity, message);
    if (!error)
        error = sound_alloc(&call->sound, &sound, &sip->local, audio_silent, audio_failed, call_dialled, call);
    if (!error)
        error = call_describe(call);
    if (error) {
        mem_deref(call);
        return error;
    }
    *callp = call;
    return 0;
}

void call_refuse(struct call *call, uint16_t status, const char *reason)
{
    if (call->answered)
        return;
    (void)sipsess_reject(call->session, status, reason, NULL);
    call_close(call, status);
}

void call_answer(struct call *call)
{
    struct mbuf *description = NULL;
    // Without an offer in the INVITE, this is one.
    bool has_offer = sdp_media_rformat(call->audio, NULL) != NULL;
    int error;

    if (call->answered)
        return;
    tmr_cancel(&call->expiry);
    error = sdp_encode(&description, call->sdp, !has_offer);
    if (!error)
        error = sipsess_answer(call->session, 200, "OK", description, CALL_HEADERS);
    mem_deref(description);
    if (error)
        call_refuse(call, 500, "Server Internal Error");
    else
        call->answered = true;
}
