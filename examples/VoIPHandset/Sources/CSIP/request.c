// What is refused of all requests, and those outside of calls.
#include "endpoint.h"

#include <string.h>

bool request_is_number(const struct pl *text, uint64_t most)
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

    is_good = cseq && !re_regex(cseq->val.p, cseq->val.l, "[^ \t\r\n]+", &number) && request_is_number(&number, INT32_MAX)
        && !pl_cmp(&message->cseq.met, &message->met) && pl_isset(&message->from.tag) && pl_isset(&message->callid)
        && (!message->maxfwd.l || request_is_number(&message->maxfwd, 255));
    for (i = 0; i < ARRAY_SIZE(once); i++)
        is_good = is_good && sip_msg_hdr_count(message, once[i]) <= 1;
    if (message->clen.l)
        is_good = is_good && request_is_number(&message->clen, mbuf_get_left(message->mb));
    if (is_good)
        return false;
    if (pl_strcmp(&message->met, "ACK"))
        (void)sip_reply(sip->stack, message, 400, "Bad Request");
    return true;
}

const char *request_unsupported(char *header, size_t size, const struct sip_hdr *required)
{
    return re_snprintf(header, size, "Unsupported: %r\r\n", &required->val) > 0 ? header : "";
}

bool request_other(const struct sip_msg *message, void *arg)
{
    struct handset_sip *sip = arg;

    const struct sip_hdr *required = sip_msg_hdr(message, SIP_HDR_REQUIRE);
    char header[LONGEST_NAME];

    // No subscription was asked for: RFC 6665, 4.1.3.
    if (!pl_strcmp(&message->met, "NOTIFY")) {
        (void)sip_reply(sip->stack, message, 481, "Subscription Does Not Exist");
        return true;
    }
    if (pl_strcmp(&message->met, "OPTIONS"))
        return false;
    if (required) {
        (void)sip_replyf(sip->stack, message, 420, "Bad Extension", "%sContent-Length: 0\r\n\r\n",
            request_unsupported(header, sizeof(header), required));
        return true;
    }
    (void)sip_replyf(sip->stack, message, 200, "OK",
        CALL_HEADERS "Accept: application/sdp\r\nContent-Length: 0\r\n\r\n");
    return true;
}
