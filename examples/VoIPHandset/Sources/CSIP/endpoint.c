// The SIP endpoint, by libre. One thread; see CSIP.h.
#include "call.h"

#define DEBUG_MODULE "handset"
#define DEBUG_LEVEL 0
#include <re_dbg.h>

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TRANSACTIONS = 64,      // buckets of libre's tables
    STOP_MS = 500,
    MOST_CALLS = 16,
    MOST_PORTS = 64,        // of the kernel's choice, that are tried
    CALL_DESCRIPTORS = 2,   // the ports for RTP and RTCP
    MOST_RESERVED = MOST_CALLS * CALL_DESCRIPTORS,
    LONGEST_NAME = 256,     // of a Call-ID or a caller, for the handler
    STOP = 1000,            // a command of handset_sip_stop
};

struct call {
    struct le le;
    struct handset_sip *sip;
    struct sipsess *session;
    struct sdp_session *sdp;
    struct sdp_media *audio;
    struct sound *sound;
    struct tmr closing;
    struct sa source;
    uint32_t number;
    bool answered;
};

struct handset_sip {
    pthread_t thread;
    sem_t started;
    sem_t serves;
    int error;
    struct handset_sip_options options;
    struct sa local;

    struct dnsc *dns;
    struct sip *stack;
    struct sip_lsnr *screen;
    struct sip_lsnr *others;
    struct sipsess_sock *sessions;
    struct mqueue *commands;
    struct tmr stopping;
    struct list calls;
    // Descriptors for the calls that there may be: strangers' connections leave them these.
    int reserve[MOST_RESERVED];
    uint32_t last;
    bool stops;
};

// libre prints what it cannot read to standard error: what a stranger sent, which neither the terminal nor the journal is to
// show, and which would block this thread where nobody reads. The dynamic linker prefers this function to libre's own.
int re_fprintf(FILE *stream, const char *format, ...)
{
    (void)stream;
    (void)format;
    return 0;
}

// Milliseconds for libre's timers, and so for RTP and the retransmissions of SIP. libre's own are of the wall clock: set back, as
// after a start without a network, it would stop them all for as long. libre calls this one as it does re_fprintf.
uint64_t tmr_jiffies(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void tell(struct handset_sip *sip, const struct handset_sip_event *event)
{
    sip->options.handler(sip->options.context, event);
}

// MARK: - Calls

static struct call *find(const struct handset_sip *sip, uint32_t number)
{
    const struct le *le;

    for (le = sip->calls.head; le; le = le->next) {
        struct call *call = le->data;
        if (call->number == number)
            return call;
    }
    return NULL;
}

// Keeps the descriptors of as many calls as there may be more.
static void fill_reserve(struct handset_sip *sip)
{
    uint32_t wanted = (sip->options.calls - list_count(&sip->calls)) * CALL_DESCRIPTORS, i;

    for (i = 0; i < wanted && i < MOST_RESERVED; i++)
        if (sip->reserve[i] < 0)
            sip->reserve[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void empty_reserve(struct handset_sip *sip, uint32_t count)
{
    uint32_t i;

    for (i = MOST_RESERVED; i > 0 && count > 0; i--) {
        if (sip->reserve[i - 1] < 0)
            continue;
        close(sip->reserve[i - 1]);
        sip->reserve[i - 1] = -1;
        count--;
    }
}

static void destroy_call(void *arg)
{
    struct call *call = arg;

    tmr_cancel(&call->closing);
    list_unlink(&call->le);
    mem_deref(call->session);
    mem_deref(call->sdp);
    mem_deref(call->sound);
    fill_reserve(call->sip);
}

// Ends the call, with BYE or what the session still owes, and says so.
static void close_call(struct call *call, int status)
{
    struct handset_sip *sip = call->sip;
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_CLOSED,
        .call = call->number,
        .status = status,
        .heard = sound_heard(call->sound),
    };

    mem_deref(call);
    tell(sip, &event);
}

static void close_later(void *arg)
{
    close_call(arg, 0);
}

static void session_closed(int error, const struct sip_msg *message, void *arg)
{
    (void)error;
    close_call(arg, message ? message->scode : 0);
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

    tell(call->sip, &event);
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

// Takes what the caller's SDP says.
static int negotiated(struct call *call)
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

static int offered(struct mbuf **answer, const struct sip_msg *message, void *arg)
{
    struct call *call = arg;
    bool has_offer = mbuf_get_left(message->mb) > 0;
    int error = 0;

    if (has_offer) {
        error = sdp_decode(call->sdp, message->mb, true);
        if (!error)
            error = negotiated(call);
    }
    return error ? error : sdp_encode(answer, call->sdp, !has_offer);
}

static int answered(const struct sip_msg *message, void *arg)
{
    struct call *call = arg;
    int error = sdp_decode(call->sdp, message->mb, false);

    return error ? error : negotiated(call);
}

static void established(const struct sip_msg *message, void *arg)
{
    (void)message;
    (void)arg;
}

static int make_call(struct call **callp, struct handset_sip *sip, const struct sip_msg *message)
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
    list_append(&sip->calls, &call->le, call);
    // The sockets take their place.
    empty_reserve(sip, CALL_DESCRIPTORS);
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

// MARK: - Requests

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
    tell(sip, &event);
}

// Whether the message has a body of another type than SDP.
static bool has_foreign_body(const struct sip_msg *message)
{
    return mbuf_get_left(message->mb) > 0
        && (pl_strcasecmp(&message->ctyp.type, "application") || pl_strcasecmp(&message->ctyp.subtype, "sdp"));
}

static void invited(const struct sip_msg *message, void *arg)
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

    error = make_call(&call, sip, message);
    if (error)
        return refuse(sip, message, 500, "Server Internal Error", "");
    if (mbuf_get_left(message->mb) > 0) {
        error = sdp_decode(call->sdp, message->mb, true);
        if (!error)
            error = negotiated(call);
        if (error) {
            mem_deref(call);
            return refuse(sip, message, 488, "Not Acceptable Here", "");
        }
    }
    error = sipsess_accept(&call->session, sip->sessions, message, 180, "Ringing", "handset", "application/sdp", NULL,
        NULL, NULL, false, offered, answered, established, NULL, NULL, session_closed, call, NULL);
    if (error) {
        mem_deref(call);
        return refuse(sip, message, error == EBADMSG ? 400 : 500, error == EBADMSG ? "Bad Request" : "Server Internal Error", "");
    }
    call->number = ++sip->last;
    copy(call_id, &message->callid);
    copy(peer, &message->from.auri);
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_INCOMING, .call = call->number, .call_id = call_id, .peer = peer};
    tell(sip, &event);
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
static bool screened(const struct sip_msg *message, void *arg)
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

// Requests outside of calls: a PBX asks with OPTIONS whether the handset is there.
static bool other_request(const struct sip_msg *message, void *arg)
{
    struct handset_sip *sip = arg;

    if (pl_strcmp(&message->met, "OPTIONS"))
        return false;
    (void)sip_replyf(sip->stack, message, 200, "OK",
        "Allow: INVITE,ACK,BYE,CANCEL,OPTIONS\r\nAccept: application/sdp\r\nContent-Length: 0\r\n\r\n");
    return true;
}

// MARK: - Commands

static void refuse_ringing(struct call *call, uint16_t status, const char *reason)
{
    if (call->answered)
        return;
    (void)sipsess_reject(call->session, status, reason, NULL);
    close_call(call, status);
}

static void answer(struct call *call)
{
    struct mbuf *description = NULL;
    // Without an offer in the INVITE, this is one.
    bool has_offer = sdp_media_rformat(call->audio, NULL) != NULL;
    int error;

    if (call->answered)
        return;
    error = sdp_encode(&description, call->sdp, !has_offer);
    if (!error)
        error = sipsess_answer(call->session, 200, "OK", description, NULL);
    mem_deref(description);
    if (error)
        refuse_ringing(call, 500, "Server Internal Error");
    else
        call->answered = true;
}

static void stopped(void *arg)
{
    (void)arg;
    re_cancel();
}

static void sip_closed(void *arg)
{
    stopped(arg);
}

static void stop(struct handset_sip *sip)
{
    struct le *le = sip->calls.head;

    sip->stops = true;
    while (le) {
        struct call *call = le->data;
        le = le->next;
        if (call->answered)
            close_call(call, 0);
        else
            refuse_ringing(call, 480, "Temporarily Unavailable");
    }
    // Waits for the transactions, such as the answer to a BYE, but not for long.
    tmr_start(&sip->stopping, STOP_MS, stopped, sip);
    sip->sessions = mem_deref(sip->sessions);
    sip_close(sip->stack, false);
}

static void command(int id, void *data, void *arg)
{
    struct handset_sip *sip = arg;
    struct call *call;

    if (id == STOP) {
        stop(sip);
        return;
    }
    call = find(sip, (uint32_t)(uintptr_t)data);
    if (!call)
        return;
    switch ((enum handset_sip_command)id) {
    case HANDSET_SIP_ANSWER:
        answer(call);
        break;
    case HANDSET_SIP_OPEN_AUDIO:
        if (call->answered)
            sound_open(call->sound);
        break;
    case HANDSET_SIP_MUTE:
    case HANDSET_SIP_UNMUTE:
        sound_mute(call->sound, id == HANDSET_SIP_MUTE);
        break;
    case HANDSET_SIP_REFUSE:
        refuse_ringing(call, 486, "Busy Here");
        break;
    case HANDSET_SIP_GIVE_UP:
        refuse_ringing(call, 480, "Temporarily Unavailable");
        break;
    case HANDSET_SIP_HANG_UP:
        if (call->answered)
            close_call(call, 0);
        break;
    }
}

// MARK: - The thread

static int add_transports(struct handset_sip *sip)
{
    int error;

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
static int listen_at(struct handset_sip *sip)
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

static int set_up(struct handset_sip *sip)
{
    struct sa servers[4];
    uint32_t count = ARRAY_SIZE(servers);
    int error = sa_set_str(&sip->local, sip->options.address, sip->options.port), i;

    for (i = 0; i < MOST_RESERVED; i++)
        sip->reserve[i] = -1;

    dbg_init(DBG_EMERG, DBG_NONE);
    if (!error && sa_is_any(&sip->local))
        error = EADDRNOTAVAIL;
    if (!error && sip->options.calls > MOST_CALLS)
        error = EINVAL;
    if (!error)
        error = fd_setsize((int)sip->options.descriptors);
    if (!error)
        fill_reserve(sip);
    // For callers whose Contact is a name. Without a server they cannot be reached; others can.
    if (!error && !dns_srv_get(NULL, 0, servers, &count))
        (void)dnsc_alloc(&sip->dns, NULL, servers, count);
    if (!error)
        error = sip_alloc(&sip->stack, sip->dns, TRANSACTIONS, TRANSACTIONS, TRANSACTIONS, "Ringer VoIPHandset", sip_closed, sip);
    if (!error)
        error = listen_at(sip);
    // Listeners are asked in this order.
    if (!error)
        error = sip_listen(&sip->screen, sip->stack, true, screened, sip);
    if (!error)
        error = sipsess_listen(&sip->sessions, sip->stack, TRANSACTIONS, invited, sip);
    if (!error)
        error = sip_listen(&sip->others, sip->stack, true, other_request, sip);
    if (!error)
        error = mqueue_alloc(&sip->commands, command, sip);
    return error;
}

static void *run(void *arg)
{
    struct handset_sip *sip = arg;

    sip->error = libre_init();
    if (!sip->error) {
        tmr_init(&sip->stopping);
        sip->error = set_up(sip);
        int failed = sip->error;
        sem_post(&sip->started);
        if (!failed) {
            while (sem_wait(&sip->serves))
                ;
            (void)re_main(NULL);
        }
        tmr_cancel(&sip->stopping);
        list_flush(&sip->calls);
        mem_deref(sip->commands);
        mem_deref(sip->others);
        mem_deref(sip->screen);
        mem_deref(sip->sessions);
        if (sip->stack)
            sip_close(sip->stack, true);
        mem_deref(sip->stack);
        mem_deref(sip->dns);
        libre_close();
        empty_reserve(sip, MOST_RESERVED);
    } else {
        sem_post(&sip->started);
    }
    return NULL;
}

static void release(struct handset_sip *sip)
{
    sem_destroy(&sip->started);
    sem_destroy(&sip->serves);
    free((void *)sip->options.address);
    free((void *)sip->options.playback);
    free((void *)sip->options.capture);
    free(sip);
}

struct handset_sip *handset_sip_start(const struct handset_sip_options *options, int *error)
{
    struct handset_sip *sip = calloc(1, sizeof(*sip));
    sigset_t all, before;

    if (!sip) {
        *error = ENOMEM;
        return NULL;
    }
    sem_init(&sip->started, 0, 0);
    sem_init(&sip->serves, 0, 0);
    sip->options = *options;
    sip->options.address = strdup(options->address);
    sip->options.playback = strdup(options->playback);
    sip->options.capture = strdup(options->capture);
    if (!sip->options.address || !sip->options.playback || !sip->options.capture) {
        release(sip);
        *error = ENOMEM;
        return NULL;
    }
    // Signals are for the device's thread.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    *error = pthread_create(&sip->thread, NULL, run, sip);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (*error) {
        release(sip);
        return NULL;
    }
    (void)pthread_setname_np(sip->thread, "handset-sip");
    while (sem_wait(&sip->started))
        ;
    *error = sip->error;
    if (*error) {
        pthread_join(sip->thread, NULL);
        release(sip);
        return NULL;
    }
    return sip;
}

void handset_sip_serve(struct handset_sip *sip)
{
    sem_post(&sip->serves);
}

uint16_t handset_sip_port(const struct handset_sip *sip)
{
    return sa_port(&sip->local);
}

void handset_sip_send(struct handset_sip *sip, enum handset_sip_command command, uint32_t call)
{
    (void)mqueue_push(sip->commands, (int)command, (void *)(uintptr_t)call);
}

void handset_sip_stop(struct handset_sip *sip)
{
    (void)mqueue_push(sip->commands, STOP, NULL);
    handset_sip_serve(sip);
    pthread_join(sip->thread, NULL);
    release(sip);
}
