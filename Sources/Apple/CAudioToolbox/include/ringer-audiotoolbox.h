/*
 * What Ringer adds to <AudioToolbox/AudioToolbox.h>: which device the functions under Apple's names use, and where callbacks
 * are called.
 *
 * The process has one device for them. It is opened when it is first needed, as the environment variable RINGER_BOARD says:
 * "auto", also where it is not set: over the service where there is one, else this machine's hardware; "hardware"; "service";
 * "simulated": a simulated board in real time, whose switch is at RINGER_POSITION.
 *
 * On hardware, SIGTERM, SIGINT and SIGHUP close the device before they end the process, if the program neither handles nor
 * ignores them when the device is opened, and the opening thread does not block them. A program that handles them ends by
 * exit(), or calls ringer_audiotoolbox_close(): a motor on a GPIO line would turn on.
 *
 * A child of fork() has no device where its parent used one before: functions under Apple's names fail, sounds are not heard,
 * those below return -ECHILD or do nothing, and the child's end leaves the parent's device alone.
 *
 * Functions return 0 or a positive number, or a negative errno; ringer_last_error() of ringer.h describes the failure.
 */
#ifndef RINGER_AUDIOTOOLBOX_EXTENSIONS_H
#define RINGER_AUDIOTOOLBOX_EXTENSIONS_H

#ifdef __cplusplus
extern "C" {
#endif

struct ringer_device;

/* Uses a device of ringer.h from now on; the program closes it, and calls under Apple's names fail then. With NULL the device
 * that RINGER_BOARD names is opened now, which tells the program why it cannot be. The device before is closed as by
 * ringer_audiotoolbox_close(). */
int ringer_audiotoolbox_open(struct ringer_device *device);

/* Closes the device; one of ringer.h stays open. Sounds that were registered, completions, listeners and the session are
 * forgotten. The next call under Apple's names opens a device again. */
void ringer_audiotoolbox_close(void);

/* The descriptor that is readable while callbacks wait; it belongs to the library. From the first call on callbacks are
 * called in ringer_callbacks_dispatch() only, and by CFRunLoopRun(). */
int ringer_callbacks_get_fd(void);

/* Calls the callbacks that wait, on this thread, and returns how many there were. It does not wait for any. Callbacks run one
 * after another as long as one thread at a time dispatches them, here or in CFRunLoopRun(). */
int ringer_callbacks_dispatch(void);

#ifdef __cplusplus
}
#endif

#endif
