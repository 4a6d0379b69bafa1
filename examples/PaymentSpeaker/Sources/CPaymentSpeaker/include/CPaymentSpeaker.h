// The C libraries of the payment speaker, with functions for what Swift cannot call directly: macros.
#pragma once

#include <jansson.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>
#include <stdbool.h>
// RingerClient defines its functions, and loads libsystemd when one is called. A program without it links libsystemd.
#include <systemd/sd-daemon.h>

// Whether a TLS connection has decrypted more than was read: the socket does not become readable for that.
bool payment_mqtt_has_more(struct mosquitto *client);

// What is wrong with the broker's certificate, after a TLS handshake that failed; NULL if nothing is. A string that stays.
const char *payment_mqtt_certificate_fault(struct mosquitto *client);

// Whether the kernel's clock is kept by a time service, according to adjtimex(2). False where the call is forbidden.
bool payment_clock_is_synchronised(void);

// SQLITE_TRANSIENT: SQLite copies the value.
sqlite3_destructor_type payment_transient(void);

// The revision of the source that the program was built from; "" if the build did not say it. A string that stays.
const char *payment_revision(void);
