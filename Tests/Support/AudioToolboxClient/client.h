/* A program under Apple's names, and the clock that it runs by. */
#ifndef AUDIOTOOLBOX_CLIENT_H
#define AUDIOTOOLBOX_CLIENT_H

#include <AudioToolbox/AudioToolbox.h>
#include <stdbool.h>

/* Seconds. */
double client_time(void);

/* Waits until *is_done; false after 10 s. Callbacks are called meanwhile. */
bool client_wait(const volatile bool *is_done);

/* The same, while simulated time stands still: for what other threads report. */
bool client_wait_still(const volatile bool *is_done);

/* Plugs headphones in; false where that cannot be done. */
bool client_plug_headphones(void);

/* Begins or ends an interruption by something that is no session; false where that cannot be done. */
bool client_interrupt(bool begins);

/* Whether times are exact, and printed. */
extern bool client_times_are_exact;

/* Runs it, with sound files that it writes to the folder; 0 if nothing unexpected happened. */
int client_run(const char *folder);

/* Writes silence of so many frames, 8,000 a second, and returns its URL, which the caller releases. */
CFURLRef client_create_clip(const char *folder, const char *name, UInt32 frames);

/* Calls every function from 8 threads with arguments of chance, each so many times; writes a sound file to the folder. */
int client_run_threads(unsigned int rounds, const char *folder);

/* Checks Core Foundation's objects; the number of checks that failed, which it prints. */
int client_run_foundation(void);

#endif
