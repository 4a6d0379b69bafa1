/* Flips a line of the kernel's GPIO simulator: flip PULL-FILE FLIPS MILLISECONDS-BETWEEN. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count != 4)
        return 64;
    int file = open(arguments[1], O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        perror(arguments[1]);
        return 1;
    }
    struct timespec pause = {.tv_nsec = atol(arguments[3]) * 1000000};
    for (int flip = 0; flip < atoi(arguments[2]); flip++) {
        const char *pull = flip % 2 ? "pull-down" : "pull-up";
        if (pwrite(file, pull, strlen(pull), 0) < 0) {
            perror(arguments[1]);
            return 1;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}
