/*
 * Flips lines of the kernel's GPIO simulator, or switches of input devices of its own, one after another:
 *
 *     flip gpio SIMULATOR PAUSE FLIPS LINE...    the pull of each line, in SIMULATOR/sim_gpioLINE/pull
 *     flip evdev PAUSE FLIPS COUNT               SW_MUTE_DEVICE of COUNT devices, named edge-0, edge-1, ...
 *
 * It prints "ready", reads a line from its standard input, and then flips each one FLIPS times, PAUSE milliseconds apart.
 * Every round begins with another one, so that all of them follow each other equally often.
 */
#include <fcntl.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };

static int fail(const char *what)
{
    perror(what);
    exit(1);
}

static int open_line(const char *simulator, const char *line)
{
    char path[256];
    snprintf(path, sizeof path, "%s/sim_gpio%s/pull", simulator, line);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    return file < 0 ? fail(path) : file;
}

static int make_switch(int number)
{
    int file = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}};
    snprintf(setup.name, sizeof setup.name, "edge-%d", number);
    if (file < 0 || ioctl(file, UI_SET_EVBIT, EV_SW) < 0 || ioctl(file, UI_SET_SWBIT, SW_MUTE_DEVICE) < 0 ||
        ioctl(file, UI_DEV_SETUP, &setup) < 0 || ioctl(file, UI_DEV_CREATE) < 0)
        fail("/dev/uinput");
    return file;
}

static void pull(int file, int is_on)
{
    const char *pull = is_on ? "pull-up" : "pull-down";
    if (pwrite(file, pull, strlen(pull), 0) < 0)
        fail("pull");
}

static void turn(int file, int is_on)
{
    struct input_event events[] = {{.type = EV_SW, .code = SW_MUTE_DEVICE, .value = is_on}, {.type = EV_SYN}};
    if (write(file, events, sizeof events) != sizeof events)
        fail("/dev/uinput");
}

int main(int count, char **arguments)
{
    int files[MOST], number = 0, first = 0;
    void (*flip)(int, int) = NULL;
    if (count >= 6 && count <= 5 + MOST && strcmp(arguments[1], "gpio") == 0) {
        first = 3;
        flip = pull;
        for (int index = 5; index < count; index++) {
            files[number] = open_line(arguments[2], arguments[index]);
            pull(files[number++], 0); /* an odd number of flips before left it up */
        }
    } else if (count == 5 && strcmp(arguments[1], "evdev") == 0 && atoi(arguments[4]) <= MOST) {
        first = 2;
        flip = turn;
        while (number < atoi(arguments[4])) {
            files[number] = make_switch(number);
            number++;
        }
    } else {
        fprintf(stderr, "usage: flip gpio SIMULATOR PAUSE FLIPS LINE... | flip evdev PAUSE FLIPS COUNT\n");
        return 64;
    }
    struct timespec pause = {.tv_nsec = atol(arguments[first]) * 1000000};
    int flips = atoi(arguments[first + 1]);
    puts("ready");
    fflush(stdout);
    if (getchar() == EOF)
        return 0;
    for (int round = 0; round < flips; round++)
        for (int turn = 0; turn < number; turn++) {
            flip(files[(round + turn) % number], round % 2 == 0);
            nanosleep(&pause, NULL);
        }
    return 0;
}
