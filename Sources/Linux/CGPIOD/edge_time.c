// The time of an edge with kernel ABI v1, whose timestamps are of CLOCK_REALTIME before Linux 5.7.
#include "CGPIOD.h"

#include <stdio.h>
#include <stdlib.h>

bool ringer_gpio_stamps_are_monotonic(const char *release) {
    int major = 0, minor = 0;
    // A release that cannot be read counts as an old one: then each timestamp shows its clock.
    sscanf(release, "%d.%d", &major, &minor);
    return major > 5 || (major == 5 && minor >= 7);
}

// A timestamp is of a moment just past, so its clock is the one that is nearer to it. That is found out anew for each
// edge: on a board without a clock chip both clocks have the same time until the network's time arrives. If the time of
// day was set between the edge and the reading, an edge may seem to be of the future: then it is of now.
int64_t ringer_gpio_edge_time(int64_t stamp, int64_t monotonic, int64_t realtime) {
    int64_t age = monotonic - stamp;
    int64_t real_age = realtime - stamp;
    if (llabs(real_age) < llabs(age)) age = real_age;
    return age > 0 ? monotonic - age : monotonic;
}
