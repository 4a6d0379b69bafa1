// The least that a program needs to take messages over MQTT 5: libmosquitto and its own loop.
//
//     client PORT TOPIC
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void connected(struct mosquitto *client, void *topic, int reason, int flags, const mosquitto_property *properties)
{
    (void)flags, (void)properties;
    if (reason == 0)
        mosquitto_subscribe(client, NULL, topic, 1);
}

static void received(struct mosquitto *client, void *topic, const struct mosquitto_message *message)
{
    (void)client, (void)topic;
    printf("%.*s\n", message->payloadlen, (const char *)message->payload);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 64;
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("client", false, arguments[2]);
    if (!client)
        return 1;
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_connect_v5_callback_set(client, connected);
    mosquitto_message_callback_set(client, received);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 60))
        return 1;
    return mosquitto_loop_forever(client, 60000, 1);
}
