// The description in a message's body.
#include "endpoint.h"

#include <string.h>
#include <strings.h>

enum { LONGEST_BOUNDARY = 70 };  // RFC 2046, 5.1.1

static bool starts_with(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(end - at) >= length && !strncasecmp(at, text, length);
}

// Whether one of these header lines says that the part is SDP.
static bool is_sdp(const char *at, const char *end)
{
    static const char name[] = "content-type:", type[] = "application/sdp";

    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            line_end = end;
        if (starts_with(at, line_end, name)) {
            at += strlen(name);
            while (at < line_end && (*at == ' ' || *at == '\t'))
                at++;
            return starts_with(at, line_end, type)
                && (at + strlen(type) == line_end || strchr("; \t\r", at[strlen(type)]));
        }
        at = line_end + 1;
    }
    return false;
}

// The first part of a body that is SDP. Source: RFC 2046, 5.1.
static bool find_part(struct pl *part, const struct pl *body, const struct pl *boundary)
{
    char delimiter[LONGEST_BOUNDARY + 4];
    const char *at = body->p, *end = body->p + body->l;
    size_t length;

    if (boundary->l == 0 || boundary->l > LONGEST_BOUNDARY)
        return false;
    (void)re_snprintf(delimiter, sizeof(delimiter), "\n--%r", boundary);
    length = strlen(delimiter);
    // The first one may have no line before it.
    if (!starts_with(at, end, delimiter + 1)) {
        at = memmem(at, (size_t)(end - at), delimiter, length);
        if (!at)
            return false;
        at++;
    }
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        const char *headers = at + 1, *content;
        const char *next = memmem(at, (size_t)(end - at), delimiter, length);
        if (!next)
            return false;
        content = memmem(at, (size_t)(next - at), "\n\r\n", 3);
        if (content && content >= headers && is_sdp(headers, content)) {
            part->p = content + 3;
            part->l = (size_t)(next + 1 - part->p);
            return true;
        }
        at = next + 1;
    }
    return false;
}

// libre refuses a description with a format that has no clock rate, as in RFC 4475; such a format is none of ours.
static int write_lines(struct mbuf *description, const struct pl *text)
{
    const char *at = text->p, *end = text->p + text->l;
    int error = 0;

    while (at < end && !error) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end + 1 : end) - at);
        if (!starts_with(at, at + length, "a=rtpmap:") || memchr(at, '/', length))
            error = mbuf_write_mem(description, (const uint8_t *)at, length);
        at += length;
    }
    return error;
}

int description_read(struct mbuf **description, const struct sip_msg *message)
{
    struct pl text, boundary;
    struct mbuf *copy;
    int error;

    text.p = (const char *)mbuf_buf(message->mb);
    text.l = mbuf_get_left(message->mb);
    if (text.l == 0)
        return ENOENT;
    if (sip_msg_hdr(message, SIP_HDR_CONTENT_ENCODING))
        return EPROTONOSUPPORT;
    if (!pl_strcasecmp(&message->ctyp.type, "multipart")) {
        struct pl body = text;
        if (msg_param_decode(&message->ctyp.params, "boundary", &boundary))
            return EPROTONOSUPPORT;
        if (boundary.l >= 2 && boundary.p[0] == '"' && boundary.p[boundary.l - 1] == '"') {
            boundary.p++;
            boundary.l -= 2;
        }
        if (!find_part(&text, &body, &boundary))
            return EPROTONOSUPPORT;
    } else if (pl_strcasecmp(&message->ctyp.type, "application") || pl_strcasecmp(&message->ctyp.subtype, "sdp")) {
        return EPROTONOSUPPORT;
    }
    copy = mbuf_alloc(text.l ? text.l : 1);
    if (!copy)
        return ENOMEM;
    error = write_lines(copy, &text);
    if (error) {
        mem_deref(copy);
        return error;
    }
    copy->pos = 0;
    *description = copy;
    return 0;
}
