/* What minimal.c and its loop share. */
#ifndef MINIMAL_H
#define MINIMAL_H

struct minimal;

/* Takes the events that wait. Returns 0, or a negative errno. */
int minimal_take_events(struct minimal *firmware);

/* The loop: takes events whenever the descriptor is readable, until SIGTERM or SIGINT, or an error of taking them, which it
 * returns; poll.c and the others implement it. */
int minimal_run(struct minimal *firmware, int descriptor);

#endif
