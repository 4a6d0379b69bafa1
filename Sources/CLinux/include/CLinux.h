// What Swift's Glibc module leaves out: eventfd.
#ifndef RINGER_CLINUX_H
#define RINGER_CLINUX_H

/// A new close-on-exec, non-blocking event counter, or -1 with errno. The corresponding C function is `eventfd`.
int ringer_eventfd(void);

#endif
