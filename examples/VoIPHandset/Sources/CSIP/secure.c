#include "secure.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>

enum {
    KEY_BYTES = 30,  // 16 of the key and 14 of the salt
    LAYER = 10,      // of libre's helpers; there is no other one
};

static const char suite[] = "AES_CM_128_HMAC_SHA1_80";  // RFC 4568, 6.2.1: every implementation has it

struct secure {
    struct srtp *sends;
    struct srtp *receives;
    uint8_t key[KEY_BYTES];
    uint8_t peer[KEY_BYTES];
    struct udp_helper *rtp;
    struct udp_helper *rtcp;
};

static void destroy(void *arg)
{
    struct secure *secure = arg;

    mem_deref(secure->rtp);
    mem_deref(secure->rtcp);
    mem_deref(secure->sends);
    mem_deref(secure->receives);
    OPENSSL_cleanse(secure->key, sizeof(secure->key));
    OPENSSL_cleanse(secure->peer, sizeof(secure->peer));
}

// Whether the packet goes no further: it cannot be encrypted.
static bool sent(int *error, struct sa *target, struct mbuf *packet, void *arg)
{
    struct secure *secure = arg;

    (void)target;
    *error = secure->sends ? srtp_encrypt(secure->sends, packet) : ENOENT;
    return *error != 0;
}

// Whether the packet goes no further: it is not the caller's, or came before.
static bool received(struct sa *source, struct mbuf *packet, void *arg)
{
    struct secure *secure = arg;

    (void)source;
    return !secure->receives || srtp_decrypt(secure->receives, packet);
}

static bool received_control(struct sa *source, struct mbuf *packet, void *arg)
{
    struct secure *secure = arg;

    (void)source;
    return !secure->receives || srtcp_decrypt(secure->receives, packet);
}

static int describe(const struct secure *secure, struct sdp_media *media, const struct pl *tag)
{
    char text[4 * KEY_BYTES / 3 + 4];
    size_t length = sizeof(text) - 1;
    int error = base64_encode(secure->key, KEY_BYTES, text, &length);

    if (error)
        return error;
    text[length] = 0;
    return sdp_media_set_lattr(media, true, "crypto", "%r %s inline:%s", tag, suite, text);
}

int secure_alloc(struct secure **securep, struct rtp_sock *rtp, struct sdp_media *media)
{
    static const struct pl first = {.p = "1", .l = 1};
    struct secure *secure = mem_zalloc(sizeof(*secure), destroy);
    int error = secure ? 0 : ENOMEM;

    if (!error && RAND_bytes(secure->key, KEY_BYTES) != 1)
        error = EAGAIN;
    if (!error)
        error = udp_register_helper(&secure->rtp, rtp_sock(rtp), LAYER, sent, received, secure);
    if (!error)
        error = udp_register_helper(&secure->rtcp, rtcp_sock(rtp), LAYER, NULL, received_control, secure);
    if (!error)
        error = srtp_alloc(&secure->sends, SRTP_AES_CM_128_HMAC_SHA1_80, secure->key, KEY_BYTES, 0);
    if (!error)
        error = describe(secure, media, &first);
    if (error)
        mem_deref(secure);
    else
        *securep = secure;
    return error;
}

struct offer {
    struct pl tag;
    uint8_t key[KEY_BYTES];
};

// Whether this is an offer that can be taken: of the suite, with one key of its length, without an identifier (MKI), which libre
// lacks, or parameters.
static bool can_take(const char *name, const char *value, void *arg)
{
    struct pl offered_suite, key, lifetime, rest;
    struct offer *offer = arg;
    uint8_t bytes[KEY_BYTES + 3];
    size_t length = sizeof(bytes);

    (void)name;
    if (re_regex(value, strlen(value), "[0-9]+[ ]+[^ ]+[ ]+inline:[A-Za-z0-9+/=]+[^ ]*[ ]*[^ ]*", &offer->tag, NULL,
            &offered_suite, NULL, &key, &lifetime, NULL, &rest))
        return false;
    if (offer->tag.p != value || offer->tag.l > 9 || pl_strcmp(&offered_suite, suite) || rest.l > 0)
        return false;
    if (lifetime.l > 0 && (lifetime.p[0] != '|' || memchr(lifetime.p, ':', lifetime.l)))
        return false;
    if (key.l != 4 * KEY_BYTES / 3 || base64_decode(key.p, key.l, bytes, &length) || length != KEY_BYTES)
        return false;
    memcpy(offer->key, bytes, KEY_BYTES);
    OPENSSL_cleanse(bytes, sizeof(bytes));
    return true;
}

int secure_negotiate(struct secure *secure, struct sdp_media *media)
{
    struct srtp *receives = NULL;
    struct offer offer;
    int error = 0;

    if (!secure)
        return 0;
    if (!sdp_media_rattr_apply(media, "crypto", can_take, &offer))
        return ENOENT;
    // The same key goes on with what it has counted.
    if (!secure->receives || memcmp(offer.key, secure->peer, KEY_BYTES)) {
        error = srtp_alloc(&receives, SRTP_AES_CM_128_HMAC_SHA1_80, offer.key, KEY_BYTES, 0);
        if (!error) {
            mem_deref(secure->receives);
            secure->receives = receives;
            memcpy(secure->peer, offer.key, KEY_BYTES);
        }
    }
    OPENSSL_cleanse(offer.key, sizeof(offer.key));
    return error ? error : describe(secure, media, &offer.tag);
}
