// Registration, by libre's client: one for each registrar, which also refreshes. RegistrationMachine decides what follows from
// a failure.
#include "endpoint.h"

#include <string.h>

enum {
    ANSWER_MS = 8000,            // five times the REGISTER over UDP
    REFRESH_MS = 900,            // for each granted second: libre refreshes after 90 % of the time
    LONGEST_LIFETIME = 4000000,  // s; libre's milliseconds have 32 bits
};

static void failed(struct registration *registration, int status, const char *reason)
{
    struct handset_sip_event event = {
        .kind = HANDSET_SIP_UNREGISTERED, .call = registration->number, .status = status, .reason = reason};

    registration_end(registration);
    endpoint_report(registration->sip, &event);
}

static void unanswered(void *arg)
{
    failed(arg, 0, "no answer");
}

// Asked once for each challenge. libre takes a second challenge of the same realm, which a wrong password gets, for another
// one to answer, and would go on for a dozen times.
static int authenticate(char **user, char **password, const char *realm, void *arg)
{
    struct registration *registration = arg;
    const struct handset_sip_options *options = &registration->sip->options;
    uint32_t hash = hash_joaat_str(realm);
    int error;

    if (registration->realm == hash)
        return EAUTH;
    registration->realm = hash;
    error = str_dup(user, options->user);
    return error ? error : str_dup(password, options->password);
}

static void responded(int error, const struct sip_msg *message, void *arg)
{
    struct registration *registration = arg;
    struct handset_sip_event event = {.kind = HANDSET_SIP_REGISTERED, .call = registration->number};
    char reason[LONGEST_NAME];

    if (error == ENOSYS)
        return failed(registration, 0, "it wants another digest than MD5");
    if (error || !message)
        return failed(registration, 0, strerror(error));
    if (message->scode >= 300) {
        (void)re_snprintf(reason, sizeof(reason), "%u %r", message->scode, &message->reason);
        return failed(registration, message->scode, reason);
    }
    event.seconds = sipreg_proxy_expires(registration->client);
    // libre would register anew at once, again and again.
    if (event.seconds == 0 || event.seconds > LONGEST_LIFETIME)
        return failed(registration, 0, "it grants no usable time");
    registration->realm = 0;
    tmr_start(&registration->deadline, (uint64_t)event.seconds * REFRESH_MS + ANSWER_MS, unanswered, registration);
    endpoint_report(registration->sip, &event);
}

// The name servers may have changed since the start, or there was no network then.
static void set_name_servers(struct handset_sip *sip)
{
    struct sa servers[4];
    uint32_t count = ARRAY_SIZE(servers);

    if (!dns_srv_get(NULL, 0, servers, &count) && count > 0)
        (void)dnsc_srv_set(sip->dns, servers, count);
}

void registration_begin(struct registration *registration)
{
    struct handset_sip *sip = registration->sip;
    const struct handset_sip_options *options = &sip->options;
    const char *registrar = options->registrars[registration->number];
    int error;

    if (sip->stops || registration->client || !registrar)
        return;
    set_name_servers(sip);
    registration->realm = 0;
    tmr_start(&registration->deadline, ANSWER_MS, unanswered, registration);
    error = sipreg_register(&registration->client, sip->stack, registrar, options->address_of_record, NULL,
        options->address_of_record, options->lifetime, options->user, NULL, 0, 0, authenticate, registration, false,
        responded, registration, NULL, NULL);
    if (error)
        failed(registration, 0, strerror(error));
}

void registration_end(struct registration *registration)
{
    tmr_cancel(&registration->deadline);
    // If it is registered, libre says so to the registrar, and keeps what it needs for that.
    registration->client = mem_deref(registration->client);
}
