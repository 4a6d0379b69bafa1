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

// The codec of a format. A static number says it, whatever name stands beside it; so does libre compare them.
static enum codec codec_of(const struct sdp_format *format)
{
    if (format->pt == 0)
        return CODEC_PCMU;
    if (format->pt == 8)
        return CODEC_PCMA;
    if (format->pt < 0 || format->pt >= PAYLOAD_TYPES || !format->sup || !format->name)
        return CODEC_NONE;
    return str_casecmp(format->name, "PCMA") ? CODEC_PCMU : CODEC_PCMA;
}

static void list_codecs(enum codec *codecs, const struct list *formats)
{
    const struct le *le;

    for (le = list_head(formats); le; le = le->next) {
        const struct sdp_format *format = le->data;
        enum codec codec = codec_of(format);
        if (codec != CODEC_NONE)
            codecs[format->pt] = codec;
    }
}

static int negotiate(struct call *call)
{
    const struct sdp_format *format = sdp_media_rformat(call->audio, NULL);
    // An address of zeros is hold as RFC 2543 says it.
    bool is_held = !sa_isset(sdp_media_raddr(call->audio), SA_ADDR);
    enum codec codecs[PAYLOAD_TYPES] = {CODEC_NONE};
    enum sdp_dir direction = is_held ? SDP_INACTIVE : sdp_media_dir(call->audio);

    if (!format || !sa_isset(sdp_media_raddr(call->audio), SA_PORT))
        return ENOENT;
    // The caller sends by the numbers that it was told, and is sent its own: in an answer to an offer from here, they may differ.
    list_codecs(codecs, sdp_media_format_lst(call->audio, false));
    list_codecs(codecs, sdp_media_format_lst(call->audio, true));
    if (codec_of(format) == CODEC_NONE)
        return ENOENT;
    sound_set_peer(call->sound, sdp_media_raddr(call->audio), &call->source, (uint8_t)format->pt, codecs,
        (direction & SDP_SENDONLY) != 0, (direction & SDP_RECVONLY) != 0);
    return 0;
}

static int take(struct call *call, const struct sip_msg *message, bool is_offer)
{
    struct mbuf *description = NULL;
    int error = description_read(&description, message);

    if (error)
        return error;
    error = sdp_decode(call->sdp, description, is_offer);
    mem_deref(description);
    // Not as a missing description.
    if (!error && negotiate(call))
        error = EBADMSG;
    return error;
}

int call_take_offer(struct call *call, const struct sip_msg *message)
{
    return take(call, message, true);
}

static int offered(struct mbuf **answer, const struct sip_msg *message, void *arg)
{
    struct call *call = arg;
    int error = call_take_offer(call, message);
    bool has_offer = error != ENOENT;

    return error && has_offer ? error : sdp_encode(answer, call->sdp, !has_offer);
}

static int answered(const struct sip_msg *message, void *arg)
{
    struct call *call = arg;

    return take(call, message, false);
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

static void expired(void *arg)
{
    call_refuse(arg, 487, "Request Terminated");
}

int call_accept(struct call *call, const struct sip_msg *message)
{
    int error = sipsess_accept(&call->session, call->sip->sessions, message, 180, "Ringing", "handset",
        "application/sdp", NULL, NULL, NULL, false, offered, answered, established, NULL, NULL, session_closed, call,
        NULL);

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
        error = sound_alloc(&call->sound, &sound, &sip->local, audio_silent, audio_failed, call);
    if (!error)
        error = sdp_session_alloc(&call->sdp, &sip->local);
    if (!error)
        error = sdp_media_add(&call->audio, call->sdp, sdp_media_audio, sound_port(call->sound), sdp_proto_rtpavp);
    if (!error)
        error = sdp_format_add(NULL, call->audio, false, "0", "PCMU", 8000, 1, NULL, NULL, NULL, false, NULL);
    if (!error)
        error = sdp_format_add(NULL, call->audio, false, "8", "PCMA", 8000, 1, NULL, NULL, NULL, false, NULL);
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
        error = sipsess_answer(call->session, 200, "OK", description, NULL);
    mem_deref(description);
    if (error)
        call_refuse(call, 500, "Server Internal Error");
    else
        call->answered = true;
}
