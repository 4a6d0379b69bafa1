// Requests from outside: what is refused, and what becomes a call.
#include "endpoint.h"

#include <string.h>

static void copy(char *to, const struct pl *from)
{
    (void)pl_strcpy(from, to, LONGEST_NAME);
    to[LONGEST_NAME - 1] = 0;
}

static void refuse(struct handset_sip *sip, const struct sip_msg *message, uint16_t status, const char *reason,
    const char *header)
{
    char call_id[LONGEST_NAME] = "", peer[LONGEST_NAME] = "";
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_REFUSED, .status = status, .call_id = call_id, .peer = peer, .reason = reason};

    // Without a transaction: a flood of calls costs no memory.
    (void)sip_replyf(sip->stack, message, status, reason, "%sContent-Length: 0\r\n\r\n", header);
    copy(call_id, &message->callid);
    copy(peer, &message->from.auri);
    endpoint_report(sip, &event);
}

// Whether the message has a body of another type than SDP.
static bool has_foreign_body(const struct sip_msg *message)
{
    return mbuf_get_left(message->mb) > 0
        && (pl_strcasecmp(&message->ctyp.type, "application") || pl_strcasecmp(&message->ctyp.subtype, "sdp"));
}

void request_invited(const struct sip_msg *message, void *arg)
{
    struct handset_sip *sip = arg;
    const struct sip_hdr *required = sip_msg_hdr(message, SIP_HDR_REQUIRE);
    char call_id[LONGEST_NAME] = "", peer[LONGEST_NAME] = "", header[LONGEST_NAME + 32];
    struct call *call = NULL;
    int error = 0;

    if (sip->stops)
        return refuse(sip, message, 480, "Temporarily Unavailable", "");
    if (pl_strcasecmp(&message->uri.scheme, "sip"))
        return refuse(sip, message, 416, "Unsupported URI Scheme", "");
    if (required) {
        (void)re_snprintf(header, sizeof(header), "Unsupported: %r\r\n", &required->val);
        return refuse(sip, message, 420, "Bad Extension", strlen(header) < LONGEST_NAME ? header : "");
    }
    if (has_foreign_body(message) || sip_msg_hdr(message, SIP_HDR_CONTENT_ENCODING))
        return refuse(sip, message, 415, "Unsupported Media Type", "Accept: application/sdp\r\nAccept-Encoding: identity\r\n");
    if (list_count(&sip->calls) >= sip->options.calls)
        return refuse(sip, message, 486, "Busy Here", "");

    error = call_make(&call, sip, message);
    if (error)
        return refuse(sip, message, 500, "Server Internal Error", "");
    if (mbuf_get_left(message->mb) > 0) {
        error = sdp_decode(call->sdp, message->mb, true);
        if (!error)
            error = call_negotiate(call);
        if (error) {
            mem_deref(call);
            return refuse(sip, message, 488, "Not Acceptable Here", "");
        }
    }
    error = call_accept(call, message);
    if (error) {
        mem_deref(call);
        return refuse(sip, message, error == EBADMSG ? 400 : 500, error == EBADMSG ? "Bad Request" : "Server Internal Error", "");
    }
    call->number = ++sip->last;
    copy(call_id, &message->callid);
    copy(peer, &message->from.auri);
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_INCOMING, .call = call->number, .call_id = call_id, .peer = peer};
    endpoint_report(sip, &event);
}

static bool is_number(const struct pl *text, uint64_t most)
{
    size_t i;

    for (i = 0; i < text->l; i++)
        if (text->p[i] < '0' || text->p[i] > '9')
            return false;
    return text->l > 0 && text->l < 19 && pl_u64(text) <= most;
}

// Refuses with 400 what libre lets pass and RFC 3261 forbids: a header twice that may be there once, another method in
// CSeq, numbers out of range, a body that is shorter than its length, a caller without a tag.
bool request_screened(const struct sip_msg *message, void *arg)
{
    static const enum sip_hdrid once[] = {
        SIP_HDR_FROM, SIP_HDR_TO, SIP_HDR_CALL_ID, SIP_HDR_CSEQ, SIP_HDR_MAX_FORWARDS, SIP_HDR_CONTENT_LENGTH};
    const struct sip_hdr *cseq = sip_msg_hdr(message, SIP_HDR_CSEQ);
    struct handset_sip *sip = arg;
    struct pl number = PL_INIT;
    bool is_good;
    size_t i;

    is_good = cseq && !re_regex(cseq->val.p, cseq->val.l, "[^ \t]+", &number) && is_number(&number, INT32_MAX)
        && !pl_cmp(&message->cseq.met, &message->met) && pl_isset(&message->from.tag) && pl_isset(&message->callid)
        && (!message->maxfwd.l || is_number(&message->maxfwd, 255));
    for (i = 0; i < ARRAY_SIZE(once); i++)
        is_good = is_good && sip_msg_hdr_count(message, once[i]) <= 1;
    if (message->clen.l)
        is_good = is_good && is_number(&message->clen, mbuf_get_left(message->mb));
    if (is_good)
        return false;
    if (pl_strcmp(&message->met, "ACK"))
        (void)sip_reply(sip->stack, message, 400, "Bad Request");
    return true;
}

bool request_other(const struct sip_msg *message, void *arg)
{
    struct handset_sip *sip = arg;

    if (pl_strcmp(&message->met, "OPTIONS"))
        return false;
    (void)sip_replyf(sip->stack, message, 200, "OK",
        "Allow: INVITE,ACK,BYE,CANCEL,OPTIONS\r\nAccept: application/sdp\r\nContent-Length: 0\r\n\r\n");
    return true;
}
