#include "CPaymentSpeaker.h"

#include <openssl/ssl.h>
#include <sys/timex.h>

int payment_mqtt_read(struct mosquitto *client)
{
    int result;
    const SSL *ssl;
    do {
        result = mosquitto_loop_read(client, 1);
        ssl = mosquitto_ssl_get(client);
    } while (result == MOSQ_ERR_SUCCESS && mosquitto_socket(client) >= 0 && ssl && SSL_pending(ssl) > 0);
    return result;
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
