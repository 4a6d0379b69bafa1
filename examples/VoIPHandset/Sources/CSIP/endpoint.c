// The SIP endpoint, by libre. One thread; see CSIP.h.
#include "endpoint.h"
#include "pcm.h"

#define DEBUG_MODULE "handset"
#define DEBUG_LEVEL 0
#include <re_dbg.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRANSACTIONS = 64,      // buckets of libre's tables
    STOP_MS = 500,
    STOP = 1000,            // a command of handset_sip_stop
};

void endpoint_report(struct handset_sip *sip, const struct handset_sip_event *event)
{
    sip->options.handler(sip->options.context, event);
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
    for (size_t i = 0; i < ARRAY_SIZE(sip->registrations); i++)
        registration_end(&sip->registrations[i]);
    while (le) {
        struct call *call = le->data;
        le = le->next;
        if (call->answered)
            call_close(call, 0);
        else
            call_refuse(call, 480, "Temporarily Unavailable");
    }
    // Waits for the transactions, such as the answer to a BYE, but not for long.
    tmr_start(&sip->stopping, STOP_MS, stopped, sip);
    sip->sessions = mem_deref(sip->sessions);
    sip_close(sip->stack, false);
}

static void command_call(struct call *call, enum handset_sip_command command)
{
    switch (command) {
    case HANDSET_SIP_ANSWER:
        call_answer(call);
        break;
    case HANDSET_SIP_OPEN_AUDIO:
        if (call->answered)
            sound_open(call->sound);
        break;
    case HANDSET_SIP_MUTE:
    case HANDSET_SIP_UNMUTE:
        sound_mute(call->sound, command == HANDSET_SIP_MUTE);
        break;
    case HANDSET_SIP_REFUSE:
        call_refuse(call, 486, "Busy Here");
        break;
    case HANDSET_SIP_GIVE_UP:
        call_refuse(call, 480, "Temporarily Unavailable");
        break;
    case HANDSET_SIP_HANG_UP:
        if (call->answered)
            call_close(call, 0);
        break;
    default:
        break;
    }
}

static void command(int id, void *data, void *arg)
{
    struct handset_sip *sip = arg;
    uint32_t number = (uint32_t)(uintptr_t)data;
    struct call *call;

    switch (id) {
    case STOP:
        stop(sip);
        break;
    case HANDSET_SIP_REGISTER:
        if (number < HANDSET_SIP_REGISTRARS)
            registration_begin(&sip->registrations[number]);
        break;
    case HANDSET_SIP_UNREGISTER:
        if (number < HANDSET_SIP_REGISTRARS)
            registration_end(&sip->registrations[number]);
        break;
    case HANDSET_SIP_ASK:
        endpoint_report(sip, &(struct handset_sip_event){.kind = HANDSET_SIP_ANSWERS});
        break;
    default:
        call = call_find(sip, number);
        if (call)
            command_call(call, (enum handset_sip_command)id);
    }
}

// MARK: - The thread

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
        reserve_fill(sip);
    // For callers whose Contact is a name, and for registrars. Without a server they cannot be reached; others can.
    if (!error && dns_srv_get(NULL, 0, servers, &count))
        count = 0;
    if (!error)
        error = dnsc_alloc(&sip->dns, NULL, count ? servers : NULL, count);
    if (!error)
        error = sip_alloc(&sip->stack, sip->dns, TRANSACTIONS, TRANSACTIONS, TRANSACTIONS, "Ringer VoIPHandset", sip_closed, sip);
    if (!error)
        error = transports_listen(sip);
    // Listeners are asked in this order.
    if (!error)
        error = sip_listen(&sip->screen, sip->stack, true, request_screened, sip);
    if (!error)
        error = sipsess_listen(&sip->sessions, sip->stack, TRANSACTIONS, request_invited, sip);
    if (!error)
        error = sip_listen(&sip->others, sip->stack, true, request_other, sip);
    if (!error)
        error = mqueue_alloc(&sip->commands, command, sip);
    return error;
}

static void *run(void *arg)
{
    struct handset_sip *sip = arg;

    pcm_silence_messages();
    sip->error = libre_init();
    if (!sip->error) {
        tmr_init(&sip->stopping);
        for (uint32_t i = 0; i < ARRAY_SIZE(sip->registrations); i++) {
            sip->registrations[i] = (struct registration){.sip = sip, .number = i};
            tmr_init(&sip->registrations[i].deadline);
        }
        sip->error = set_up(sip);
        int failed = sip->error;
        sem_post(&sip->started);
        if (!failed) {
            while (sem_wait(&sip->serves))
                ;
            (void)re_main(NULL);
        }
        tmr_cancel(&sip->stopping);
        for (size_t i = 0; i < ARRAY_SIZE(sip->registrations); i++)
            registration_end(&sip->registrations[i]);
        list_flush(&sip->calls);
        mem_deref(sip->commands);
        mem_deref(sip->others);
        mem_deref(sip->screen);
        mem_deref(sip->sessions);
        if (sip->stack)
            sip_close(sip->stack, true);
        mem_deref(sip->stack);
        mem_deref(sip->tls);
        mem_deref(sip->dns);
        libre_close();
        reserve_empty(sip, MOST_RESERVED);
    } else {
        sem_post(&sip->started);
    }
    return NULL;
}

static void release(struct handset_sip *sip)
{
    sem_destroy(&sip->started);
    sem_destroy(&sip->serves);
    options_free(&sip->options);
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
    if (!options_copy(&sip->options)) {
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
