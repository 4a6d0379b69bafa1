// A client of two services, over sd-bus.
//
//     client rounds COUNT              calls Properties.Get of ringerd and of feedbackd, in turns, and prints the times
//     client change CLIENTS ROUNDS     opens connections with a session each, moves the simulated switch, and prints the
//                                      time until the last of them was informed
//     client subscribe                 subscribes to ringerd's properties and waits
//     client first-frame FIFO ROUNDS   has ringerd and feedbackd play in turns, and prints the times from the call until the
//                                      PCM was started, which its sink writes to the FIFO
//     client flip ROUNDS               makes an input device "flip" with SW_MUTE_DEVICE, which is to be ringerd's switch,
//                                      turns it, and prints the times until PropertiesChanged
//
// Times are in microseconds: median, 99th percentile, largest.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/uinput.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

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

static void sleep_ms(long milliseconds)
{
    struct timespec pause = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

// The time from `start` until the sink's PCM was started.
static double started_after(double start, FILE *starts)
{
    char line[64];
    int64_t at;
    if (!fgets(line, sizeof line, starts) || sscanf(line, "%" SCNd64, &at) != 1)
        check(-EIO, "read the time of a start");
    return at / 1e3 - start;
}

static double play_ringer(sd_bus *bus, FILE *starts)
{
    sd_bus_message *reply = NULL;
    uint32_t id;
    double start = now(), time;
    check(sd_bus_call_method(bus, RINGER, "org.ringer.Ringer1", "Play", NULL, &reply, "va{sv}", "u", 1007, 0), "play");
    time = started_after(start, starts);
    check(sd_bus_message_read(reply, "u", &id), "read the request");
    sd_bus_message_unref(reply);
    check(sd_bus_call_method(bus, RINGER, "org.ringer.Ringer1", "Stop", NULL, NULL, "u", id), "stop");
    return time;
}

static double play_feedback(sd_bus *bus, FILE *starts)
{
    sd_bus_message *reply = NULL;
    uint32_t id;
    double start = now(), time;
    check(sd_bus_call_method(bus, FEEDBACK, "org.sigxcpu.Feedback", "TriggerFeedback", NULL, &reply, "ssa{sv}i",
              "benchmark", "message-new-instant", 0, -1),
        "trigger a feedback");
    time = started_after(start, starts);
    check(sd_bus_message_read(reply, "u", &id), "read the event");
    sd_bus_message_unref(reply);
    check(sd_bus_call_method(bus, FEEDBACK, "org.sigxcpu.Feedback", "EndFeedback", NULL, NULL, "u", id), "end a feedback");
    return time;
}

static void first_frame(const char *fifo, int count)
{
    sd_bus *bus = NULL;
    double *ours = calloc(count, sizeof *ours), *theirs = calloc(count, sizeof *theirs);
    int file = open(fifo, O_RDWR | O_CLOEXEC);
    check(file < 0 ? -errno : 0, fifo);
    FILE *starts = fdopen(file, "r");
    check(sd_bus_open_user(&bus), "connect");
    // The first ones read sounds, load libraries and open PCMs.
    for (int i = -3; i < count; i++) {
        double our = play_ringer(bus, starts);
        sleep_ms(150);
        double their = play_feedback(bus, starts);
        sleep_ms(150);
        if (i >= 0) {
            ours[i] = our;
            theirs[i] = their;
        }
    }
    print("ringerd", ours, count);
    print("feedbackd", theirs, count);
}

static void flip(int count)
{
    sd_bus *bus = NULL;
    double *times = calloc(count, sizeof *times);
    int is_informed = 0, file = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}, .name = "flip"};
    if (file < 0 || ioctl(file, UI_SET_EVBIT, EV_SW) < 0 || ioctl(file, UI_SET_SWBIT, SW_MUTE_DEVICE) < 0 ||
        ioctl(file, UI_DEV_SETUP, &setup) < 0 || ioctl(file, UI_DEV_CREATE) < 0)
        check(-errno, "/dev/uinput");
    // ringerd finds it.
    sleep_ms(1000);
    check(sd_bus_open_user(&bus), "connect");
    check(sd_bus_add_match(bus, NULL, match, changed, &is_informed), "subscribe");
    for (int i = -10; i < count; i++) {
        struct input_event events[] = {{.type = EV_SW, .code = SW_MUTE_DEVICE, .value = i % 2 == 0}, {.type = EV_SYN}};
        is_informed = 0;
        double start = now();
        check(write(file, events, sizeof events) < 0 ? -errno : 0, "turn the switch");
        while (!is_informed) {
            check(sd_bus_wait(bus, UINT64_MAX), "wait");
            while (sd_bus_process(bus, NULL) > 0)
                ;
        }
        if (i >= 0)
            times[i] = now() - start;
        sleep_ms(20);
    }
    print("flip", times, count);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "rounds")) {
        rounds(atoi(argv[2]));
    } else if (argc == 4 && !strcmp(argv[1], "change")) {
        change(atoi(argv[2]), atoi(argv[3]));
    } else if (argc == 4 && !strcmp(argv[1], "first-frame")) {
        first_frame(argv[2], atoi(argv[3]));
    } else if (argc == 3 && !strcmp(argv[1], "flip")) {
        flip(atoi(argv[2]));
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
        fprintf(stderr, "usage: client rounds COUNT | change CLIENTS ROUNDS | subscribe | "
                        "first-frame FIFO ROUNDS | flip ROUNDS\n");
        return 64;
    }
    return 0;
}
