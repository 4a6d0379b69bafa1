// What comes within a call beside its sound: digits, and INFO.
#include "digits.h"
#include "endpoint.h"

static void report(struct call *call, char digit, const char *way)
{
    const char text[] = {digit, 0};
    struct handset_sip_event event = {.kind = HANDSET_SIP_DIGIT, .call = call->number, .digit = text, .reason = way};

    if (call->answered)
        endpoint_report(call->sip, &event);
}

void call_dialled(char digit, void *arg)
{
    report(arg, digit, "RTP");
}

void call_informed(struct sip *stack, const struct sip_msg *message, void *arg)
{
    char digit = digits_of_info(message);

    if (sip_msg_xhdr(message, "Info-Package")) {
        // RFC 6086, 4.2.2: no package was agreed upon.
        (void)sip_replyf(stack, message, 469, "Bad Info Package", "Recv-Info:\r\nContent-Length: 0\r\n\r\n");
    } else if (digit || mbuf_get_left(message->mb) == 0) {
        (void)sip_reply(stack, message, 200, "OK");
        if (digit)
            report(arg, digit, "INFO");
    } else {
        (void)sip_replyf(stack, message, 415, "Unsupported Media Type",
            "Accept: application/dtmf-relay, application/dtmf\r\nContent-Length: 0\r\n\r\n");
    }
}
