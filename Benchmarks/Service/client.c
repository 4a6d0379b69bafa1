// A client of two services, over sd-bus.
//
//     client rounds COUNT              calls Properties.Get of ringerd and of feedbackd, in turns, and prints the times
//     client change CLIENTS ROUNDS     opens connections with a session each, moves the simulated switch, and prints the
//                                      time until the last of them was informed
//     client subscribe                 subscribes to ringerd's properties and waits
//
// Times are in microseconds: median, 99th percentile, largest.
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define RINGER "org.ringer.Ringer1", "/org/ringer/Ringer1"
#define FEEDBACK "org.sigxcpu.Feedback", "/org/sigxcpu/Feedback"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "client: %s: %s\n", what, strerror(-result));
    exit(1);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, double *times, int count)
{
    qsort(times, count, sizeof *times, by_size);
    printf("%s %.1f %.1f %.1f\n", what, times[count / 2], times[count * 99 / 100], times[count - 1]);
}

static double get(sd_bus *bus, const char *name, const char *path, const char *interface, const char *property)
{
    sd_bus_message *reply = NULL;
    double start = now();
    check(sd_bus_call_method(bus, name, path, "org.freedesktop.DBus.Properties", "Get", NULL, &reply, "ss", interface,
              property),
        "get a property");
    sd_bus_message_unref(reply);
    return now() - start;
}

static void rounds(int count)
{
    sd_bus *bus = NULL;
    double *ours = calloc(count, sizeof *ours), *theirs = calloc(count, sizeof *theirs);
    check(sd_bus_open_user(&bus), "connect");
    for (int i = -500; i < count; i++) {
        double our = get(bus, RINGER, "org.ringer.Ringer1", "Route");
        double their = get(bus, FEEDBACK, "org.sigxcpu.Feedback", "Profile");
        if (i >= 0) {
            ours[i] = our;
            theirs[i] = their;
        }
    }
    print("ringerd", ours, count);
    print("feedbackd", theirs, count);
}

static int informed;

static int changed(sd_bus_message *message, void *is_informed, sd_bus_error *error)
{
    (void)message, (void)error;
    if (!*(int *)is_informed)
        informed++;
    *(int *)is_informed = 1;
    return 0;
}

static const char match[] = "type='signal',sender='org.ringer.Ringer1',path='/org/ringer/Ringer1',"
                            "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'";

static void change(int clients, int count)
{
    sd_bus **buses = calloc(clients, sizeof *buses), *own = NULL;
    int *flags = calloc(clients, sizeof *flags);
    struct pollfd *waits = calloc(clients, sizeof *waits);
    double *times = calloc(count, sizeof *times);
    check(sd_bus_open_user(&own), "connect");
    for (int i = 0; i < clients; i++) {
        check(sd_bus_open_user(&buses[i]), "connect");
        check(sd_bus_add_match(buses[i], NULL, match, changed, &flags[i]), "subscribe");
        check(sd_bus_call_method(buses[i], RINGER, "org.ringer.Ringer1", "CreateSession", NULL, NULL, "a{sv}", 0),
            "create a session");
        while (sd_bus_process(buses[i], NULL) > 0)
            ;
        waits[i].fd = sd_bus_get_fd(buses[i]);
        waits[i].events = POLLIN;
    }
    for (int round = 0; round < count; round++) {
        informed = 0;
        memset(flags, 0, clients * sizeof *flags);
        double start = now();
        check(sd_bus_call_method(own, RINGER, "org.ringer.SimulatedBoard1", "SetSwitch", NULL, NULL, "s",
                  round % 2 ? "ring" : "silent"),
            "move the switch");
        while (informed < clients) {
            poll(waits, clients, 1000);
            for (int i = 0; i < clients; i++)
                if (waits[i].revents)
                    while (sd_bus_process(buses[i], NULL) > 0)
                        ;
        }
        times[round] = now() - start;
    }
    print("last-informed", times, count);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "rounds")) {
        rounds(atoi(argv[2]));
    } else if (argc == 4 && !strcmp(argv[1], "change")) {
        change(atoi(argv[2]), atoi(argv[3]));
    } else if (argc == 2 && !strcmp(argv[1], "subscribe")) {
        int flag = 0;
        sd_bus *bus = NULL;
        check(sd_bus_open_user(&bus), "connect");
        check(sd_bus_add_match(bus, NULL, match, changed, &flag), "subscribe");
        for (;;) {
            while (sd_bus_process(bus, NULL) > 0)
                ;
            sd_bus_wait(bus, UINT64_MAX);
        }
    } else {
        fprintf(stderr, "usage: client rounds COUNT | change CLIENTS ROUNDS | subscribe\n");
        return 64;
    }
    return 0;
}
