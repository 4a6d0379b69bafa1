// Where the endpoint listens: UDP and TCP, or TLS.
#include "endpoint.h"

#include <openssl/ssl.h>

enum { MOST_PORTS = 64 };  // of the kernel's choice, that are tried

static int make_tls(struct handset_sip *sip)
{
    // libre has no function for what follows. Its header shows this one only with a definition of libre's own build.
    extern struct ssl_ctx_st *tls_openssl_context(const struct tls *tls);
    int error = tls_alloc(&sip->tls, TLS_METHOD_SSLV23, sip->options.certificate, NULL);

    if (!error && !SSL_CTX_set_min_proto_version(tls_openssl_context(sip->tls), TLS1_2_VERSION))
        error = EINVAL;
    if (error || !sip->options.authorities)
        return error;
    // Without a name for its sessions, OpenSSL refuses a caller that resumes one.
    if (!SSL_CTX_set_session_id_context(tls_openssl_context(sip->tls), (const unsigned char *)"handset", 7))
        return EINVAL;
    // A caller without a certificate of these is refused in the handshake.
    SSL_CTX_set_verify(tls_openssl_context(sip->tls), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return tls_add_ca(sip->tls, sip->options.authorities);
}

static int add_tls(struct handset_sip *sip)
{
    int error = sip->tls ? 0 : make_tls(sip);

    if (!error)
        error = sip_transp_add(sip->stack, SIP_TRANSP_TLS, &sip->local, sip->tls);
    return error ? error : sip_transp_laddr(sip->stack, &sip->local, SIP_TRANSP_TLS, NULL);
}

static int add_transports(struct handset_sip *sip)
{
    int error;

    if (sip->options.certificate)
        return add_tls(sip);
    if (sip->options.udp) {
        error = sip_transp_add(sip->stack, SIP_TRANSP_UDP, &sip->local);
        if (error)
            return error;
        error = sip_transp_laddr(sip->stack, &sip->local, SIP_TRANSP_UDP, NULL);
        if (error)
            return error;
    }
    if (sip->options.tcp) {
        error = sip_transp_add(sip->stack, SIP_TRANSP_TCP, &sip->local);
        if (error)
            return error;
        error = sip_transp_laddr(sip->stack, &sip->local, SIP_TRANSP_TCP, NULL);
    } else {
        error = 0;
    }
    return error;
}

// The kernel chooses a port that is free for UDP; another process may have the same one for TCP. Then another one is tried.
int transports_listen(struct handset_sip *sip)
{
    const struct sa wanted = sip->local;
    int error = add_transports(sip);

    for (int tries = 1; error == EADDRINUSE && sa_port(&wanted) == 0 && tries < MOST_PORTS; tries++) {
        sip_transp_flush(sip->stack);
        sip->local = wanted;
        error = add_transports(sip);
    }
    return error;
}
