#include "CPaymentSpeaker.h"

#include <openssl/ssl.h>
#include <sys/timex.h>

bool payment_mqtt_has_more(struct mosquitto *client)
{
    const SSL *ssl = mosquitto_ssl_get(client);
    return mosquitto_socket(client) >= 0 && ssl && SSL_pending(ssl) > 0;
}

const char *payment_mqtt_certificate_fault(struct mosquitto *client)
{
    const SSL *ssl = mosquitto_ssl_get(client);
    long result = ssl ? SSL_get_verify_result(ssl) : X509_V_OK;
    return result == X509_V_OK ? NULL : X509_verify_cert_error_string(result);
}

bool payment_clock_is_synchronised(void)
{
    struct timex times = {.modes = 0};
    int state = adjtimex(&times);
    return state >= 0 && state != TIME_ERROR && !(times.status & STA_UNSYNC);
}

sqlite3_destructor_type payment_transient(void)
{
    return SQLITE_TRANSIENT;
}

// Ringer's libraries have it, and its build says in it which revision a program is of.
extern const char ringer_revision[] __attribute__((weak));

const char *payment_revision(void)
{
    return ringer_revision ? ringer_revision : "";
}
