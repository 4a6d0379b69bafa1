// What the two sides of a call agree upon: its description.
#include "endpoint.h"

#include <string.h>

enum { NOISE_TYPE = 13 };  // RFC 3551, 6

int call_describe(struct call *call)
{
    static const struct {
        const char *type, *name, *parameters;
    } formats[] = {{"0", "PCMU", NULL}, {"8", "PCMA", NULL}, {"101", "telephone-event", "0-15"}};
    struct rtp_sock *rtp = sound_rtp(call->sound);
    bool is_secure = call->sip->options.certificate != NULL;
    int error = sdp_session_alloc(&call->sdp, &call->sip->local);

    if (!error)
        error = sdp_media_add(&call->audio, call->sdp, sdp_media_audio, sa_port(rtp_local(rtp)),
            is_secure ? sdp_proto_rtpsavp : sdp_proto_rtpavp);
    if (!error && is_secure)
        error = secure_alloc(&call->secure, rtp, call->audio);
    for (size_t i = 0; !error && i < ARRAY_SIZE(formats); i++)
        error = sdp_format_add(NULL, call->audio, false, formats[i].type, formats[i].name, 8000, 1, NULL, NULL, NULL, false,
            formats[i].parameters ? "%s" : NULL, formats[i].parameters);
    return error;
}

// The codec of a format. A static number says it, whatever name stands beside it; so does libre compare them.
static enum codec codec_of(const struct sdp_format *format)
{
    if (format->pt == 0)
        return CODEC_PCMU;
    if (format->pt == 8)
        return CODEC_PCMA;
    if (format->pt == NOISE_TYPE)
        return CODEC_NOISE;
    if (format->pt < 0 || format->pt >= PAYLOAD_TYPES || !format->sup || !format->name)
        return CODEC_NONE;
    if (!str_casecmp(format->name, "telephone-event"))
        return CODEC_EVENTS;
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

// The first format of the caller's that carries sound, and not digits; NULL if there is none.
static const struct sdp_format *sound_format(const struct sdp_media *audio)
{
    const struct le *le;

    for (le = list_head(sdp_media_format_lst(audio, false)); le; le = le->next) {
        const struct sdp_format *format = le->data;
        enum codec codec = codec_of(format);
        if (format->sup && (codec == CODEC_PCMU || codec == CODEC_PCMA))
            return format;
    }
    return NULL;
}

int call_negotiate(struct call *call)
{
    const struct sdp_format *format = sound_format(call->audio);
    // An address of zeros is hold as RFC 2543 says it.
    bool is_held = !sa_isset(sdp_media_raddr(call->audio), SA_ADDR);
    // Callers that suppress silence send comfort noise, whether or not it was agreed upon.
    enum codec codecs[PAYLOAD_TYPES] = {[NOISE_TYPE] = CODEC_NOISE};
    enum sdp_dir direction = is_held ? SDP_INACTIVE : sdp_media_dir(call->audio);

    if (!format || !sa_isset(sdp_media_raddr(call->audio), SA_PORT) || secure_negotiate(call->secure, call->audio))
        return ENOENT;
    // The caller sends by the numbers that it was told, and is sent its own: in an answer to an offer from here, they may differ.
    list_codecs(codecs, sdp_media_format_lst(call->audio, false));
    list_codecs(codecs, sdp_media_format_lst(call->audio, true));
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
    if (!error && call_negotiate(call))
        error = EBADMSG;
    return error;
}

int call_take_offer(struct call *call, const struct sip_msg *message)
{
    return take(call, message, true);
}

int call_offered(struct mbuf **answer, const struct sip_msg *message, void *arg)
{
    struct call *call = arg;
    int error = call_take_offer(call, message);
    bool has_offer = error != ENOENT;

    return error && has_offer ? error : sdp_encode(answer, call->sdp, !has_offer);
}

int call_completed(const struct sip_msg *message, void *arg)
{
    struct call *call = arg;

    return take(call, message, false);
}
