/* What the laboratory's tests need of Linux's input interface and Swift cannot import: ioctl requests are macros. */
#ifndef RINGER_CLABSUPPORT_H
#define RINGER_CLABSUPPORT_H

#include <linux/input.h>
#include <linux/uinput.h>
#include <stddef.h>
#include <stdint.h>

/* All of them return 0 or more, or -1 with errno. */

/* linux/input.h: an event device. */
int lab_input_name(int fd, char *name, size_t size);
int lab_input_use_monotonic_clock(int fd);
/* When it happened, in microseconds. */
int64_t lab_input_time(const struct input_event *event);
/* Whether the switch is on: 1 or 0. */
int lab_input_switch(int fd, unsigned int code);
/* The axis's value is written to *value. */
int lab_input_axis(int fd, unsigned int code, int32_t *value);
/* A rumble of this length, strong and weak from 0 to 65,535; the id of the effect. */
int lab_input_upload_rumble(int fd, uint16_t strong, uint16_t weak, uint16_t milliseconds);

/* linux/uinput.h: a device made by the test. */
int lab_uinput_enable(int fd, unsigned int type, unsigned int code);
int lab_uinput_set_axis(int fd, unsigned int code, int32_t minimum, int32_t maximum, int32_t value);
int lab_uinput_create(int fd, const char *name, unsigned int effects);
int lab_uinput_system_name(int fd, char *name, size_t size);
int lab_uinput_destroy(int fd);
int lab_uinput_emit(int fd, unsigned int type, unsigned int code, int32_t value);
/* Answer what a UI_FF_UPLOAD or UI_FF_ERASE event asks; the program that asked waits until the end. The result of an
 * upload is 0 or a negative errno for that program. */
int lab_uinput_begin_upload(int fd, uint32_t request, struct uinput_ff_upload *upload);
int lab_uinput_end_upload(int fd, struct uinput_ff_upload *upload, int result);
int lab_uinput_begin_erase(int fd, uint32_t request, struct uinput_ff_erase *erase);
int lab_uinput_end_erase(int fd, struct uinput_ff_erase *erase);

/* From now on the calling thread has this user's rights to files, and none of root's. */
void lab_set_file_user(unsigned int user);

/* Tests/Lab/failing_calls.c, where it is preloaded; otherwise these do nothing, and nothing fails. */
int lab_calls_can_fail(void);
/* Counts system calls until the end; the one of this number fails with this error, and as many of its function as
 * `times` says. */
void lab_calls_begin(int number, int times, int error);
/* How many calls there were since the beginning. */
int lab_calls_end(void);
int lab_calls_failed(void);
/* Whether a failing call was repeated for ever. */
int lab_calls_endless(void);
/* The first call that failed. */
const char *lab_calls_description(void);
/* Calls of this thread are the test's own: 1; or no longer: -1. */
void lab_calls_spare(int change);

#endif
