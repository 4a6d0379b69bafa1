#include "digits.h"

#include <string.h>

enum { SHORTEST_MS = 30 };  // from one digit to the next: a flood of events is no dialling

// By their numbers in RFC 4733, 3.2.
static const char names[] = "0123456789*#ABCD";

char digits_of_packet(struct digits *digits, const struct rtp_header *header, struct mbuf *packet)
{
    uint64_t now = tmr_jiffies();
    uint8_t number;

    if (mbuf_get_left(packet) < 4)
        return 0;
    number = mbuf_read_u8(packet);
    if (number >= strlen(names) || (digits->at && (header->ts == digits->timestamp || now < digits->at + SHORTEST_MS)))
        return 0;
    digits->timestamp = header->ts;
    digits->at = now;
    return names[number];
}

// A digit, or its number in RFC 4733 where that has two.
static char digit_of(const struct pl *text)
{
    char digit = text->l > 0 ? text->p[0] : 0;

    if (text->l == 2 && digit == '1' && text->p[1] >= '0' && text->p[1] <= '5')
        return names[10 + text->p[1] - '0'];
    if (text->l != 1)
        return 0;
    if (digit >= 'a' && digit <= 'd')
        digit = (char)(digit - 'a' + 'A');
    return digit && strchr(names, digit) ? digit : 0;
}

char digits_of_info(const struct sip_msg *message)
{
    struct pl body, digit;

    body.p = (const char *)mbuf_buf(message->mb);
    body.l = mbuf_get_left(message->mb);
    if (pl_strcasecmp(&message->ctyp.type, "application"))
        return 0;
    if (!pl_strcasecmp(&message->ctyp.subtype, "dtmf-relay"))
        return re_regex(body.p, body.l, "Signal[ \t]*=[ \t]*[^ \t\r\n]+", NULL, NULL, &digit) ? 0 : digit_of(&digit);
    if (!pl_strcasecmp(&message->ctyp.subtype, "dtmf"))
        return re_regex(body.p, body.l, "[^ \t\r\n]+", &digit) ? 0 : digit_of(&digit);
    return 0;
}
