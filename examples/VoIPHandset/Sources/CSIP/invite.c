// INVITEs outside of calls: what is refused, and what becomes a call.
#include "endpoint.h"

#include <string.h>

// What an INVITE says of itself, for the handlers.
struct invite {
    char call_id[LONGEST_NAME];
    char peer[LONGEST_NAME];
    char user[LONGEST_NAME];
    char host[LONGEST_NAME];
    char source[64];
    char alert[LONGEST_NAME];
};

// Empty if it is longer: no part of a name is taken for one.
static void copy(char *to, const struct pl *from)
{
    if (pl_strcpy(from, to, LONGEST_NAME))
        to[0] = 0;
}

static void read_invite(struct invite *invite, const struct sip_msg *message)
{
    const struct sip_hdr *alert = sip_msg_hdr(message, SIP_HDR_ALERT_INFO);

    memset(invite, 0, sizeof(*invite));
    copy(invite->call_id, &message->callid);
    copy(invite->peer, &message->from.auri);
    copy(invite->user, &message->from.uri.user);
    copy(invite->host, &message->from.uri.host);
    (void)re_snprintf(invite->source, sizeof(invite->source), "%j", &message->src);
    if (alert)
        copy(invite->alert, &alert->val);
}

static void refuse(struct handset_sip *sip, const struct sip_msg *message, uint16_t status, const char *reason,
    const char *header)
{
    struct invite invite;
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_REFUSED, .status = status, .call_id = invite.call_id, .peer = invite.peer, .reason = reason};

    // Without a transaction: a flood of calls costs no memory.
    (void)sip_replyf(sip->stack, message, status, reason, "%sContent-Length: 0\r\n\r\n", header);
    read_invite(&invite, message);
    endpoint_report(sip, &event);
}

// Whether the caller may ring; else it was refused.
static bool is_admitted(struct handset_sip *sip, const struct sip_msg *message, const struct invite *invite)
{
    const struct handset_sip_caller caller = {.user = invite->user, .host = invite->host, .source = invite->source};
    uint32_t seconds = sip->options.screen(sip->options.context, &caller);
    char header[64];

    if (seconds == HANDSET_SIP_ADMITTED)
        return true;
    if (seconds == HANDSET_SIP_FORBIDDEN) {
        refuse(sip, message, 403, "Forbidden", "");
        return false;
    }
    (void)re_snprintf(header, sizeof(header), "Retry-After: %u\r\n", seconds);
    refuse(sip, message, 480, "Temporarily Unavailable", header);
    return false;
}

static bool is_foreign(const struct sip_hdr *required, const struct sip_msg *message, void *arg)
{
    (void)message;
    (void)arg;
    return pl_strcasecmp(&required->val, "replaces") != 0;
}

// Refuses what its description, or the want of memory, makes impossible.
static void refuse_for(struct handset_sip *sip, const struct sip_msg *message, int error)
{
    switch (error) {
    case EPROTONOSUPPORT:
        refuse(sip, message, 415, "Unsupported Media Type", "Accept: application/sdp\r\nAccept-Encoding: identity\r\n");
        break;
    case ENOMEM:
        refuse(sip, message, 500, "Server Internal Error", "");
        break;
    default:
        refuse(sip, message, 488, "Not Acceptable Here", "");
    }
}

// It has been admitted.
static void take_place(struct handset_sip *sip, const struct sip_msg *message, const struct invite *invite)
{
    struct handset_sip_event event = {.kind = HANDSET_SIP_REPLACED, .call_id = invite->call_id, .peer = invite->peer};
    struct call *call = NULL;
    uint16_t status = replaces_find(&call, sip, message);
    int error;

    if (status)
        return refuse(sip, message, status,
            status == 400 ? "Bad Request" : status == 486 ? "Busy Here" : "Call/Transaction Does Not Exist", "");
    error = call_replace(call, message);
    if (error)
        return refuse_for(sip, message, error);
    event.call = call->number;
    endpoint_report(sip, &event);
}

void request_invited(const struct sip_msg *message, void *arg)
{
    struct handset_sip *sip = arg;
    const struct sip_hdr *required = sip_msg_hdr_apply(message, true, SIP_HDR_REQUIRE, is_foreign, NULL);
    char header[LONGEST_NAME + 32];
    struct invite invite;
    struct call *call = NULL;
    int error = 0;

    if (sip->stops)
        return refuse(sip, message, 480, "Temporarily Unavailable", "");
    if (pl_strcasecmp(&message->uri.scheme, "sip"))
        return refuse(sip, message, 416, "Unsupported URI Scheme", "");
    if (required)
        return refuse(sip, message, 420, "Bad Extension", request_unsupported(header, sizeof(header), required));
    // It rings already. Nothing of it is reported: it is no other call.
    if (call_is_merged(sip, message)) {
        (void)sip_reply(sip->stack, message, 482, "Loop Detected");
        return;
    }
    read_invite(&invite, message);
    if (!is_admitted(sip, message, &invite))
        return;
    if (sip_msg_hdr(message, SIP_HDR_REPLACES))
        return take_place(sip, message, &invite);
    if (list_count(&sip->calls) >= sip->options.calls)
        return refuse(sip, message, 486, "Busy Here", "");

    error = call_make(&call, sip, message);
    if (error)
        return refuse(sip, message, 500, "Server Internal Error", "");
    error = call_take_offer(call, message);
    if (error && error != ENOENT) {
        mem_deref(call);
        return refuse_for(sip, message, error);
    }
    error = call_accept(call, message);
    if (error) {
        mem_deref(call);
        return refuse(sip, message, error == EBADMSG ? 400 : 500, error == EBADMSG ? "Bad Request" : "Server Internal Error", "");
    }
    call->number = ++sip->last;
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_INCOMING, .call = call->number, .call_id = invite.call_id, .peer = invite.peer,
        .alert = invite.alert};
    endpoint_report(sip, &event);
}
