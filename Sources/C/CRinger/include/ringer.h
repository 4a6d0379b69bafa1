/*
 * ringer.h: the ring/silent switch, the vibration motor and short sounds of a device, for C and C++.
 *
 * A program opens the device, asks for sounds and vibrations, and reads events from one descriptor, which is readable
 * while events wait:
 *
 *     struct ringer_device *device;
 *     if (ringer_device_open(NULL, &device) < 0) {
 *         fprintf(stderr, "%s\n", ringer_last_error());
 *         return 1;
 *     }
 *     struct pollfd descriptor = {.fd = ringer_device_get_fd(device), .events = POLLIN};
 *     while (poll(&descriptor, 1, -1) > 0) {
 *         struct ringer_event event;
 *         int result;
 *         while ((result = ringer_device_read_event(device, &event, sizeof event)) == 1)
 *             handle(&event);
 *         if (result < 0)
 *             break;
 *     }
 *
 * Conventions. Functions that can fail return 0 or a positive number, or a negative errno; ringer_last_error()
 * describes the calling thread's last failure in a sentence. No function calls back, and none waits for a sound.
 * Strings end with a zero and are UTF-8; other bytes are -EILSEQ. NULL where a pointer is needed is -EINVAL. What was
 * freed must not be used again.
 *
 * Structures. A later version may append to them: a function that takes one takes its size, as `sizeof event`, or
 * that of one element of an array. The library sets to zero what the program has and it does not know. Structures
 * that the program fills are set to zero first, preferences are read first. Reserved bytes that are not zero, and
 * bytes of a later version that are not, are -EINVAL, as is a size below that of the first version, or above 4096. A
 * member that says whether something holds is 0 or 1: other values are -EINVAL where the program fills it. An int that
 * says so among the arguments of a function is true where it is not 0, as in C.
 *
 * Threads. Any thread may call any function; a device's events are read by one thread at a time. One thread closes a
 * device, and the others may be calling functions then: those calls end as if the device had been closed after them, or
 * return -ESHUTDOWN, as every later call does. A thread that waits for the device's descriptor wakes. Sessions are
 * freed by any thread, before or after their device is closed, each once no call uses it.
 *
 * Processes. A device and its sessions belong to the process that opened them. In a child of fork(), which has none of
 * the library's threads, functions that take one return -ECHILD, those that close or free one do nothing, and signals
 * do what they did before ringer_device_close_on_termination(): neither the child's end nor its signals touch the
 * device of its parent. A child executes a program, or opens a device of its own on a thread that it has started: the
 * locks of the Swift library take the thread of fork() for its parent's, and end the child where another thread waits
 * for one. A lock that another thread held at the fork stays held: a child that calls the library right after its
 * parent opened a device may wait for ever. Executing a program is always safe.
 *
 * The Swift library's names are given as "Swift: ...".
 */
#ifndef RINGER_H
#define RINGER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: 1,000,000 * major + 1,000 * minor + patch. Everything else has it from here. */
#define RINGER_VERSION 2000
/* The commit that a source archive was made of, with a plus sign if files had changes; "" in a checkout. */
#define RINGER_REVISION ""

/* The version of the library, as RINGER_VERSION. No Swift counterpart. */
uint32_t ringer_version(void);

/* The calling thread's last failure, such as "/dev/input/event0: cannot open: Permission denied"; "" if there was none.
 * It is valid until the thread's next call. Swift: the error that is thrown. */
const char *ringer_last_error(void);

/* MARK: values */

/* The position of the ring/silent switch. Swift: SwitchPosition. */
enum ringer_position {
    RINGER_POSITION_UNKNOWN = 0,    /* it was not read yet, or there is neither a switch nor a kept position */
    RINGER_POSITION_RING = 1,
    RINGER_POSITION_VIBRATE = 2,
    RINGER_POSITION_SILENT = 3
};

/* A position's name, such as "silent"; "" for a number that is none. Swift: SwitchPosition.rawValue. */
const char *ringer_position_name(enum ringer_position position);

/* Where sound leaves the device. Swift: AudioRoute. */
enum ringer_route {
    RINGER_ROUTE_NONE = 0,
    RINGER_ROUTE_SPEAKER = 1,
    RINGER_ROUTE_RECEIVER = 2,
    RINGER_ROUTE_HEADPHONE = 3,
    RINGER_ROUTE_HEADSET = 4,
    RINGER_ROUTE_LINE = 5,
    RINGER_ROUTE_BLUETOOTH = 6
};

/* A route's name, such as "speaker"; "" for RINGER_ROUTE_NONE and a number that is none. Swift: AudioRoute.rawValue. */
const char *ringer_route_name(enum ringer_route route);

/* The purpose of a sound, which says whether the switch silences it. Swift: AudioCategory. */
enum ringer_category {
    RINGER_CATEGORY_SOLO_AMBIENT = 0,
    RINGER_CATEGORY_AMBIENT = 1,
    RINGER_CATEGORY_PLAYBACK = 2,
    RINGER_CATEGORY_RECORD = 3,
    RINGER_CATEGORY_PLAY_AND_RECORD = 4,
    RINGER_CATEGORY_AUDIO_PROCESSING = 5,
    RINGER_CATEGORY_MULTI_ROUTE = 6
};

/* A category's name, such as "soloAmbient"; "" for a number that is none. Swift: AudioCategory.rawValue. */
const char *ringer_category_name(enum ringer_category category);

/* A category's options, as bits. Swift: CategoryOptions, with the same values. */
#define RINGER_OPTION_MIX_WITH_OTHERS 1U
#define RINGER_OPTION_DUCK_OTHERS 2U
#define RINGER_OPTION_ALLOW_BLUETOOTH 4U
#define RINGER_OPTION_DEFAULT_TO_SPEAKER 8U
#define RINGER_OPTION_INTERRUPT_SPOKEN_AUDIO_AND_MIX 17U
#define RINGER_OPTION_HONOURS_RING_SILENT_SWITCH 65536U

/* Why the rules decided so. Swift: Decision.Reason. */
enum ringer_reason {
    RINGER_REASON_NONE = 0,
    RINGER_REASON_SWITCH_AT_RING = 1,
    RINGER_REASON_NO_SWITCH = 2,
    RINGER_REASON_SWITCH_UNREADABLE = 3,
    RINGER_REASON_CATEGORY_IGNORES_SWITCH = 4,
    RINGER_REASON_ROUTE_IGNORES_SWITCH = 5,
    RINGER_REASON_CRITICAL = 6,
    RINGER_REASON_VIBRATION_REQUESTED = 7,
    RINGER_REASON_RING_SILENT_SWITCH = 8,
    RINGER_REASON_SCREEN_LOCK = 9,
    RINGER_REASON_CATEGORY_DOES_NOT_PLAY = 10,
    RINGER_REASON_SESSION_SILENCES_PLAYBACK = 11,
    RINGER_REASON_INTERRUPTION = 12,
    RINGER_REASON_SESSION_PRIORITY = 13,
    RINGER_REASON_BACKGROUND = 14,
    RINGER_REASON_DO_NOT_DISTURB = 15,
    RINGER_REASON_SOUND_EFFECTS_OFF = 16,
    RINGER_REASON_VOLUME_ZERO = 17,
    RINGER_REASON_SOFTWARE_SILENT = 18,
    RINGER_REASON_QUIET_HOURS = 19,
    RINGER_REASON_ALARM = 20,
    RINGER_REASON_CALL = 21
};

/* A reason's name, such as "ringSilentSwitch"; "" for a number that is none. Swift: Decision.Reason.rawValue. */
const char *ringer_reason_name(enum ringer_reason reason);

/* MARK: configuration */

struct ringer_config;

/* What owns the hardware. */
enum ringer_board {
    /* What the environment's RINGER_BOARD names: "hardware", "service", "simulated" (as
     * RINGER_BOARD_SIMULATED_REAL_TIME) or "auto", which is also meant where it is not set: the service where there is
     * one and the configuration names no part, else this process. */
    RINGER_BOARD_AUTO = 0,
    RINGER_BOARD_HARDWARE = 1,              /* this process */
    /* ringerd, which shares it between all processes: what the configuration says of the hardware is ignored. It is
     * looked for on the system bus; where the environment's RINGER_BUS is "session", on the session bus. */
    RINGER_BOARD_SERVICE = 2,
    RINGER_BOARD_SIMULATED = 3,             /* a simulated board of this process, in virtual time */
    /* A simulated board of this process, in real time; the environment's RINGER_POSITION is its switch's position. */
    RINGER_BOARD_SIMULATED_REAL_TIME = 4
};

/* What a device follows besides its switch, jacks and keys, as bits. Swift: Device.Hardware.Following. */
#define RINGER_FOLLOW_VOLUME 1U
#define RINGER_FOLLOW_INPUT 2U
#define RINGER_FOLLOW_JACK_CONTROLS 4U
#define RINGER_FOLLOW_SLEEP 8U
#define RINGER_FOLLOW_OUTPUT 16U

/* Makes a configuration: RINGER_BOARD_AUTO, the parts that are found, and ALSA's default PCM. Swift:
 * Device.Hardware. */
struct ringer_config *ringer_config_new(void);

/* Frees a configuration; NULL is allowed. Devices that were opened with it stay open. */
void ringer_config_free(struct ringer_config *config);

/* Sets what owns the hardware. -EINVAL for another number. Swift: Device.open, Device.connect, Device.simulated. */
int ringer_config_set_board(struct ringer_config *config, enum ringer_board board);

/* Names the switch: "gpio:NAME", "gpio:CHIP:OFFSET", "evdev:PATH", "evdev:auto", "slider:PATH", "slider:auto", or a
 * push button in its place, such as "button:evdev:auto,code=KEY_MUTE", with the options of `ringer watch --help`.
 * -EINVAL for other words. Swift: SwitchSpecification. */
int ringer_config_set_switch(struct ringer_config *config, const char *specification);

/* Names the motor: "ff:PATH", "ff:auto", "led:NAME", "gpio:NAME", "gpio:CHIP:OFFSET", "none". -EINVAL for other words.
 * Swift: MotorSpecification. */
int ringer_config_set_motor(struct ringer_config *config, const char *specification);

/* Names the status light: an LED of /sys/class/leds, or "none". Opening fails where it is missing. Swift:
 * Device.Hardware.statusLight. */
int ringer_config_set_status_light(struct ringer_config *config, const char *led);

/* Names the file that keeps the position of ringer_device_set_position over a restart, in a directory that is there;
 * the device begins with `initial` where the file does not exist yet. The service has a file of its own. Swift:
 * Device.Configuration.positionFile, initialPosition. */
int ringer_config_set_position_file(struct ringer_config *config, const char *path, enum ringer_position initial);

/* Names the ALSA PCM that sounds are played to, such as "default" or "hw:0". It is opened with the first sound, which
 * fails where it cannot be. Swift: Device.Hardware.pcm. */
int ringer_config_set_pcm(struct ringer_config *config, const char *pcm);

/* Names the PCM of a route of the board. -EINVAL for RINGER_ROUTE_NONE. Swift: Device.Hardware.routes. */
int ringer_config_set_route_pcm(struct ringer_config *config, enum ringer_route route, const char *pcm);

/* Names the sound card, and the mixer's element, whose volume is followed; NULL for the first, and for the best.
 * Swift: Device.Hardware.card, volumeElement. */
int ringer_config_set_mixer(struct ringer_config *config, const char *card, const char *element);

/* Sets what the device follows: RINGER_FOLLOW_ bits; 0, the default, for nothing. -EINVAL for others. Swift:
 * Device.Hardware.following. */
int ringer_config_set_following(struct ringer_config *config, uint32_t sources);

/* Has the threads of the device, of its sounds and of its motor run with SCHED_FIFO at this priority, 1 to 99; 0, the
 * default, for the ordinary scheduler. Without the right to it an event RINGER_EVENT_DEGRADED says so. Swift:
 * Device.Hardware.realTimePriority. */
int ringer_config_set_real_time_priority(struct ringer_config *config, int priority);

/* Sets how long a sound waits for a PCM that another process holds, in milliseconds: 2,000 at first, 0 to fail at once.
 * Swift: Device.Hardware.busyPatience. */
int ringer_config_set_busy_patience(struct ringer_config *config, uint32_t milliseconds);

/* Sets how long a PCM stays open after its sound, so that the next one starts at once, in milliseconds: 2,000 at first.
 * Swift: Device.Hardware.linger. */
int ringer_config_set_linger(struct ringer_config *config, uint32_t milliseconds);

/* Sets whether the device has a microphone of its own, as it has at first. Without one there is input only while a jack
 * reports a microphone: RINGER_FOLLOW_INPUT. Swift: Device.Hardware.hasOwnMicrophone. */
int ringer_config_set_own_microphone(struct ringer_config *config, int has_microphone);

/* Sets whether the volume keys of input devices that are no keyboards change the volume of what is heard, otherwise of
 * alerts, by 1/16: no by default. Swift: Device.Hardware.volumeKeys. */
int ringer_config_set_volume_keys(struct ringer_config *config, int are_followed);

/* How a device behaves; 0 for the default. Over the service, which has its own, only sound_memory and the sounds of
 * notifications count. Predefined sounds are a phone's, or where the environment's RINGER_VARIANT is "player", a
 * player's. Swift: Device.Configuration. */
struct ringer_behaviour {
    uint32_t longest_on_ms;         /* how long the motor may turn without a rest of 0.1 s; 10,000 */
    uint32_t detector_clip_ms;      /* the mute detector's clip: longer than the threshold, 30,000 at most; 200 */
    uint32_t detector_threshold_ms; /* a clip that is over before this was muted; 100 */
    uint32_t detector_deadline_ms;  /* longer than the clip: when a detection is over at the latest; 2,000 */
    uint32_t detector_attempts;     /* how many clips are played at most, where readings are doubtful; 3 */
    uint32_t detector_rate;         /* the clip's rate, 4,000 to 192,000 Hz; 48,000 */
    uint32_t notification_sound;    /* the default sound of notifications, a system sound; 1007 */
    uint32_t critical_sound;        /* that of critical ones; 1005 */
    uint32_t sound_memory;          /* how many bytes of decoded system sounds are kept; 1,048,576 */
    uint32_t reserved;
};

/* Sets how the device behaves. -EINVAL for a detector that cannot measure. Swift: Device.Configuration. */
int ringer_config_set_behaviour(struct ringer_config *config, const struct ringer_behaviour *behaviour, size_t size);

/* MARK: discovery */

enum ringer_part_kind {
    RINGER_PART_PROBLEM = 0,        /* what could not be looked at, or cannot be used: problem */
    RINGER_PART_SWITCH = 1,
    RINGER_PART_MOTOR = 2,
    RINGER_PART_STATUS_LIGHT = 3,
    RINGER_PART_JACK = 4,
    RINGER_PART_KEYS = 5
};

/* The name of a part's kind, such as "statusLight"; "" for a number that is none. No Swift counterpart. */
const char *ringer_part_kind_name(enum ringer_part_kind kind);

/* A part of this machine's hardware. */
struct ringer_part {
    enum ringer_part_kind kind;
    uint32_t reserved;
    char specification[128];        /* the name of a switch, a motor or a light in a configuration; else "" */
    char name[128];                 /* for people */
    char problem[248];              /* why it cannot be opened, or is used only where it is named, and the repair, shortened;
                                     * else "" */
};

/* Writes the parts that the kernel shows, at most count of this size: of each kind the one that a device uses first;
 * NULL with 0 for none. Returns how many there are in all, at most INT_MAX. It opens the files of input devices and
 * GPIO chips, and closes them again; nothing is changed. No Swift counterpart; as `ringer doctor`. */
int ringer_find_parts(struct ringer_part *parts, size_t size, size_t count);

/* MARK: the device */

struct ringer_device;

/* Opens the device of a configuration; NULL is a new one. It waits for a slider to settle, at most 1 s, and for the
 * service's answer. The device has threads of its own, on which no code of the program runs. libsystemd is loaded where
 * a service is looked for. *device is NULL after a failure.
 *
 * A motor on a GPIO line may turn after the process has ended, unless the device was closed before. A program that does
 * not handle SIGTERM, SIGINT and SIGHUP itself calls ringer_device_close_on_termination. Swift: Device.open,
 * Device.connect. */
int ringer_device_open(const struct ringer_config *config, struct ringer_device **device);

/* Closes a device; NULL and a device that is closed are allowed, and its pointer stays valid for calls until 1,024
 * others were closed. Sounds and the motor are off when it returns, or have not answered for 1 s; requests that have
 * not ended get no event. Other threads' calls with the device and its sessions return -ESHUTDOWN from now on. A motor
 * that cannot be turned off is not reported here: a program that needs to know calls ringer_device_stop_all before, and
 * reads the events, where RINGER_EVENT_DEGRADED says so. Swift: Device.close. */
void ringer_device_close(struct ringer_device *device);

/* Stops the device's sounds and motor for good when the process gets SIGTERM, SIGINT or SIGHUP, and then lets the
 * signal end the process. Signals that the process ignores stay ignored; a handler of the program is called afterwards.
 * Once the device is closed, signals do what they did before. Swift: Device.closeOnTermination. */
int ringer_device_close_on_termination(struct ringer_device *device);

/* The descriptor that is readable while events wait, for poll, epoll or an event loop. It belongs to the device: the
 * program neither reads nor closes it. It may be readable once without an event. Once the device is closed it stays
 * open and readable until ringer_device_read_event returned -ESHUTDOWN, or 16 other devices were closed: a program that
 * goes on waiting takes it out of its epoll set, or reads once more. Swift: Device.events. */
int ringer_device_get_fd(const struct ringer_device *device);

/* The device's state. Swift: DeviceState. */
struct ringer_state {
    enum ringer_position position;
    enum ringer_route route;
    uint8_t switch_connected;       /* whether the switch is there */
    uint8_t switch_unreadable;      /* whether there is one that was never read: see when_switch_unreadable */
    uint8_t screen_locked;
    uint8_t headphone;
    uint8_t microphone;
    uint8_t input_available;
    uint8_t kept_position;          /* what ringer_device_set_position set: enum ringer_position, 0 where nothing was */
    uint8_t quiet_hours;            /* what the quiet hours ask for now: enum ringer_position, 0 outside of them */
    float volume;                   /* 0 to 1; -1 where no mixer is followed */
    int64_t position_at;            /* when the switch moved there: nanoseconds of CLOCK_MONOTONIC; 0 where unknown */
    int64_t quiet_hours_until;      /* when quiet_hours ends: seconds since 1970, UTC; 0 outside of them and without a known end */
    float quiet_hours_volume;       /* of announcements and media in quiet hours, 0 to 1, a factor; -1 where they have none */
    uint8_t reserved_at_end[4];
    int64_t quiet_hours_volume_until;   /* when that ends or becomes another one, as quiet_hours_until */
    int64_t kept_position_until;    /* when kept_position ends by itself: seconds since 1970, UTC; 0 where it does not */
};

/* Writes the current state. It neither waits nor allocates. Swift: Device.state. */
int ringer_device_get_state(const struct ringer_device *device, struct ringer_state *state, size_t size);

/* Sets whether the screen is locked, which the program knows. Swift: setScreenLocked. */
int ringer_device_set_screen_locked(struct ringer_device *device, int is_locked);

/* Sets the position that is kept beside the switch's, as a push button or a menu does. It takes effect at once, and
 * can only add silence to a switch; on a device without one it is the switch's. It waits until the position is
 * written to the file of ringer_config_set_position_file, or the service has kept it: a failure says that it will
 * not outlast a restart. Swift: setPosition. */
int ringer_device_set_position(struct ringer_device *device, enum ringer_position position);

/* Sets the position that is kept, as ringer_device_set_position does, until a time in seconds since 1970, UTC: then
 * the position before is in force again, ring if there was none. Another one that is set, and a press of the button,
 * end it earlier; while the clock was never set it does not end, unless that would add silence. -EINVAL for a time
 * that is not in the future, before the year 2200; -ENOTSUP of a service that is too old. Swift:
 * setPosition(_:until:). */
int ringer_device_set_position_until(struct ringer_device *device, enum ringer_position position, int64_t until);

/* Sets the position that is kept, as ringer_device_set_position does, from ring to silent, and from silent or
 * vibrate to ring. Swift: togglePosition. */
int ringer_device_toggle_position(struct ringer_device *device);

/* What silences the device, as bits. Swift: SilenceSource. */
#define RINGER_SILENCED_BY_SWITCH 1U
#define RINGER_SILENCED_BY_SOFTWARE 2U      /* ringer_device_set_position */
#define RINGER_SILENCED_BY_QUIET_HOURS 4U

/* The position that sounds are judged by. Swift: EffectivePosition. */
struct ringer_effective_position {
    enum ringer_position position;  /* the most silent one of the switch's, the kept one and that of the quiet hours */
    uint32_t silenced_by;           /* what is there: RINGER_SILENCED_BY_ bits; 0 at ring */
    int64_t until;                  /* when that ends by itself: seconds since 1970, UTC; 0 where it does not */
};

/* Writes the position that sounds are judged by now. Swift: DeviceState.effectivePosition. */
int ringer_device_get_effective_position(const struct ringer_device *device, struct ringer_effective_position *effective,
    size_t size);

/* Sets where sound leaves the device, which the program knows. Swift: setRoute. */
int ringer_device_set_route(struct ringer_device *device, enum ringer_route route);

/* Sets the output volume, 0 to 1, in the mixer. -ENOTSUP if the device follows none: on this process's own hardware
 * that takes RINGER_FOLLOW_VOLUME. Over the service it waits for the reply. -EINVAL for a volume that is none. Swift:
 * setOutputVolume. */
int ringer_device_set_volume(struct ringer_device *device, float volume);

/* Lights the status light: off with (0, 0), on with (1, 0), blinking with two times in milliseconds. -EINVAL for a
 * time above 60,000; -ENOENT without a light; -ENOTSUP if it cannot blink, and is lit. Swift: StatusLight.show. */
int ringer_device_set_light(struct ringer_device *device, uint32_t on_ms, uint32_t off_ms);

/* What becomes of alerts and notification sounds while a call is on: never more than without it. Critical ones and
 * alarms are not concerned. Swift: AlertsDuringCall. */
enum ringer_alerts_during_call {
    RINGER_ALERTS_AUTOMATIC = 0,    /* felt (nothing without a motor), where the call's session has the priority of a call; else heard */
    RINGER_ALERTS_HEARD = 1,        /* as without a call */
    RINGER_ALERTS_QUIET = 2,        /* heard at -20 dB */
    RINGER_ALERTS_FELT = 3,         /* felt instead of heard: nothing on a device without a motor */
    RINGER_ALERTS_NONE = 4          /* neither heard nor felt */
};

/* What the user chose. Swift: UserPreferences. */
struct ringer_preferences {
    uint8_t vibrate_on_ring;
    uint8_t vibrate_on_silent;
    uint8_t sound_effects;
    uint8_t haptics_while_recording;
    uint8_t do_not_disturb;
    uint8_t routes_silenced;        /* bits: 1 << (route - 1) */
    uint8_t quiet_hours_position;   /* what quiet hours ask for: enum ringer_position, silent at first; 0 leaves it as it is */
    uint8_t when_clock_unset;       /* what counts while there are quiet hours and the clock was never set; likewise */
    float alert_volume;             /* 0 to 1 */
    enum ringer_position when_switch_unreadable;    /* what a switch that was never read counts as; silent at first */
    float alarm_volume;             /* 0 to 1; above 0 it is 0.1 at least */
    uint8_t alarms_ignore_silence;  /* what silences alerts silences no alarm */
    uint8_t reserved_at_end[3];
    float announcement_volume;      /* 0 to 1 */
    float media_volume;             /* 0 to 1: sounds of sessions and categories that are no call, alarm or announcement */
    float call_volume;              /* 0 to 1: RINGER_CATEGORY_PLAY_AND_RECORD */
    float ducking_depth;            /* dB, 0 to 50, where 50 is silence: how much more quietly a ducked sound is heard; 14 at first */
    uint16_t ducking_down_ms;       /* how long it takes to fall, 0 to 2000; 20 at first */
    uint16_t ducking_up_ms;         /* how long it takes to rise again, likewise */
    uint8_t alerts_during_call;     /* enum ringer_alerts_during_call */
    uint8_t reserved_after_call[3];
};

/* Writes the preferences in force. Swift: Device.preferences. */
int ringer_device_get_preferences(const struct ringer_device *device, struct ringer_preferences *preferences,
    size_t size);

/* Sets the preferences: read them first and change what is to change. Sounds that they forbid stop. -EINVAL for a
 * volume, a route or a position that is none, and for what is out of its range. Over the service they are the
 * service's, which may refuse them with an event RINGER_EVENT_DEGRADED. Swift: Device.preferences. */
int ringer_device_set_preferences(struct ringer_device *device, const struct ringer_preferences *preferences,
    size_t size);

/* Sets the quiet hours: spans of local time with semicolons between them, such as "Mon..Fri 22:00-07:00; Sat,Sun
 * 23:30-09:00", or with a volume of announcements and media in the place of silence, "daily 20:00-22:00 volume=0.3";
 * "" or NULL for none. It waits until they count, over the service until it has kept them. -EINVAL for a text that
 * is none: ringer_last_error names the place. Swift: UserPreferences.quietHours. */
int ringer_device_set_quiet_hours(struct ringer_device *device, const char *spans);

/* Writes the quiet hours as a text, as ringer_device_set_quiet_hours takes it, with a terminating 0; NULL with 0 for
 * none. Returns its length: where that is not less than size, the text was shortened. Swift:
 * UserPreferences.quietHours. */
int ringer_device_get_quiet_hours(const struct ringer_device *device, char *spans, size_t size);

/* MARK: decisions */

/* What a sound is. Swift: SoundRequest. */
enum ringer_sound_kind {
    RINGER_SOUND_CATEGORY = 0,      /* a sound of a category */
    RINGER_SOUND_SYSTEM = 1,
    RINGER_SOUND_ALERT = 2,
    RINGER_SOUND_NOTIFICATION = 3,
    RINGER_SOUND_CRITICAL_NOTIFICATION = 4,
    RINGER_SOUND_ALARM = 5,
    RINGER_SOUND_ANNOUNCEMENT = 6   /* an announcement of a category */
};

/* What would become of a sound. Swift: Decision. */
struct ringer_decision {
    uint8_t heard;
    uint8_t felt;
    uint8_t reserved[2];
    enum ringer_reason reason;
    enum ringer_route route;        /* where it would be heard */
    float gain;
};

/* Writes what would become of a sound now. Category and options are those of RINGER_SOUND_CATEGORY
 * and RINGER_SOUND_ANNOUNCEMENT. Swift:
 * Device.decide. */
int ringer_device_decide(const struct ringer_device *device, enum ringer_sound_kind kind, enum ringer_category category,
    uint32_t options, struct ringer_decision *decision, size_t size);

/* MARK: requests
 *
 * Each request takes id, where it writes the request's number before the request begins, or NULL. It ends with one event
 * of that number; a sound's start has one too, so that the number alone does not tell the end. The program reads events:
 * starts and ends of numbered requests, and what happens to its sessions, wait in memory until they are read. Those of
 * requests without id are lost, and counted, where 256 events that may be lost wait. */

struct ringer_session;

/* Plays a sound file in a category. It is read before the call returns: the system's error, such as -ENOENT, where that
 * fails; -EINVAL where it is no sound, and for a category or options that are none. Swift: Device.start. */
int ringer_device_play_file(struct ringer_device *device, const char *path, enum ringer_category category,
    uint32_t options, uint64_t *id);

/* A sound, and how it is played: once, from its beginning and as loud as it is where all is 0. It is the file at path,
 * or samples, or, where both are NULL, the file of fd. Swift: Device.start, AudioSession.start, AVAudioPlayer. */
struct ringer_playback {
    const char *path;               /* a sound file */
    const int16_t *samples;         /* interleaved; they are copied */
    size_t frames;                  /* of samples: at most 172,800,000, and 345,600,000 samples */
    size_t first_frame;             /* where it begins the first time; at the end it fails */
    struct ringer_session *session; /* that it is played in, without category and options; NULL for none */
    enum ringer_category category;
    uint32_t options;
    uint32_t channels;              /* of samples: 1 to 32 */
    uint32_t rate;                  /* of samples: 1,000 to 768,000 Hz */
    int32_t fd;                     /* a sound file that is open for reading; its offset is neither used nor moved */
    int32_t loops;                  /* how often it is repeated without a gap; below 0 until it is stopped */
    float gain;                     /* above 0 up to 1; 0 for 1; below 0 it is not heard */
    uint8_t reserved[4];
};

/* Plays a sound. Files are read before the call returns, with the errors of ringer_device_play_file; descriptors need
 * not stay open. -E2BIG for too many samples. In a session that is not active the request fails with an event, whose
 * error is -EBUSY. Swift: Device.start, AudioSession.start. */
int ringer_device_play(struct ringer_device *device, const struct ringer_playback *playback, size_t size, uint64_t *id);

/* Pauses a sound that ringer_device_play or ringer_device_play_file plays, or goes on with it where it was: its start
 * is an event then as at first. What is paused stays so whatever happens to the switch and to its session, as long as
 * that is not freed; what goes on is judged anew. Pausing and going on twice is no error. -ENOENT once the sound has
 * ended, and for other requests. Swift: AVAudioPlayer.pause, play. */
int ringer_device_pause(struct ringer_device *device, uint64_t id, int is_paused);

/* Changes the gain of a sound that ringer_device_play or ringer_device_play_file plays, 0 to 1, within 20 ms.
 * -EINVAL for a gain that is none, -ENOENT once the sound has ended, and for other requests. Swift:
 * AVAudioPlayer.volume. */
int ringer_device_set_gain(struct ringer_device *device, uint64_t id, float gain);

/* Writes the frame that is heard now of a sound that ringer_device_play or ringer_device_play_file plays, 0 to its
 * frames: exact while it is paused, else by the clock since its start. -ENOENT once the sound has ended, and for
 * other requests. Swift: AVAudioPlayer.currentTime. */
int ringer_device_get_position(const struct ringer_device *device, uint64_t id, uint64_t *frame);

/* Registers a sound file of at most 30 s as a system sound, and writes its number to *sound. It is decoded when it is
 * first played. -E2BIG for a longer one; else the errors of ringer_device_play_file. Swift:
 * SystemSoundServices.register. */
int ringer_device_register_sound(struct ringer_device *device, const char *path, uint32_t *sound);

/* Forgets a registered sound; where it plays, it stops. -ENOENT for a number that is not registered. Swift:
 * SystemSoundServices.dispose. */
int ringer_device_dispose_sound(struct ringer_device *device, uint32_t sound);

/* Plays a system sound by its number, or, as an alert, with a vibration where that is due. Swift:
 * SystemSoundServices. */
int ringer_device_play_system_sound(struct ringer_device *device, uint32_t sound, int as_alert, uint64_t *id);

/* The sound of a notification: the default sound at full volume where all is 0. Swift: NotificationSound,
 * ApplicationContainer. */
struct ringer_notification {
    const char *sound;              /* the name of a sound of the application; NULL for the default sound */
    const char *directory;          /* the application's directory, with Library/Sounds; NULL for none */
    const char *bundle;             /* a second directory, where names are looked up after that; NULL for none */
    float volume;                   /* above 0 up to 1; 0 for full volume; below 0 it is not heard */
    uint8_t is_critical;            /* whether it is heard in spite of the switch */
    uint8_t allows_critical;        /* whether the application may send critical ones: else it is an ordinary one */
    uint8_t reserved[2];
};

/* Plays a notification's sound, and vibrates where that is due. The default sound plays where the named one cannot be:
 * an event RINGER_EVENT_DEGRADED has the reason. -EINVAL for a volume above 1. Swift: NotificationSounds.start. */
int ringer_device_notify(struct ringer_device *device, const struct ringer_notification *notification, size_t size,
    uint64_t *id);

/* Queues an announcement: 1 to 10,000 files, which are joined without a gap. Greater priorities go first. It expires
 * after so many milliseconds before its start; 0 for never. -EINVAL where the files differ in rate or channels; else
 * the errors of ringer_device_play_file. Swift: Announcements.add. */
int ringer_device_announce(struct ringer_device *device, const char *const *paths, size_t count,
    enum ringer_category category, uint32_t options, int32_t priority, uint32_t expiry_ms, uint64_t *id);

/* An announcement, with a volume of its own. */
struct ringer_announcement {
    const char *const *paths;       /* 1 to 10,000 files */
    size_t count;
    enum ringer_category category;
    uint32_t options;
    int32_t priority;
    uint32_t expiry_ms;             /* 0 for never */
    float volume;                   /* above 0 up to 1, in the place of announcement_volume; 0 for that one; below 0 it is not heard */
    uint8_t reserved[4];
};

/* Queues an announcement, as ringer_device_announce does, with a volume of its own. The volume is a factor of this
 * sound alone: there is nothing to restore afterwards. -EINVAL for a volume that is none; else the errors of
 * ringer_device_announce. Swift: Announcements.add, Announcement.volume. */
int ringer_device_queue_announcement(struct ringer_device *device, const struct ringer_announcement *announcement,
    size_t size, uint64_t *id);

/* Pauses the announcements, or lets them go on. The one that plays is stopped, and plays again from its beginning.
 * Swift: Announcements.pause, resume. */
int ringer_device_pause_announcements(struct ringer_device *device, int is_paused);

/* Ends the announcement that plays, as RINGER_STOP_CAUSE_SKIPPED; the next one follows. None is not an error. Swift:
 * Announcements.skip. */
int ringer_device_skip_announcement(struct ringer_device *device);

/* Queues the announcement that began last once more, before all that wait: what RINGER_KEY_REPEAT asks for. -ENOENT if
 * none has begun yet. Swift: Announcements.repeatLast. */
int ringer_device_repeat_announcement(struct ringer_device *device, uint64_t *id);

/* Whether an alert is heard, felt or both, as far as the rules allow. Swift: AlertWay. */
enum ringer_alert_way {
    RINGER_ALERT_BOTH = 0,
    RINGER_ALERT_SOUND = 1,
    RINGER_ALERT_VIBRATION = 2,
    RINGER_ALERT_NONE = 3
};

/* What an alert is for the rules. Swift: AlertKind. */
enum ringer_alert_kind {
    RINGER_ALERT_KIND_ALERT = 0,    /* it honours the switch */
    RINGER_ALERT_KIND_ALARM = 1     /* of a clock, a timer or a smoke detector: heard at silent too, by default */
};

/* An alert. */
struct ringer_alert {
    const uint32_t *times_ms;       /* the vibration of each round, as of ringer_device_vibrate; NULL for the sound's */
    size_t count;                   /* of times_ms */
    uint32_t sound;                 /* a system sound */
    enum ringer_alert_way way;
    uint32_t limit_ms;              /* how long it lasts at most; 0 for no limit */
    uint32_t pause_ms;              /* from the end of a round to the beginning of the next */
    float strength;                 /* of times_ms: above 0 up to 1; 0 for 1 */
    enum ringer_alert_kind kind;
};

/* Repeats a sound and a vibration until it is stopped. One alert runs at a time: another one replaces it. The same,
 * but for the limit, joins the one that runs, whose limit holds: stopping either ends both. One whose sound cannot
 * be played vibrates all the same: error and sentence of its result say why it was not heard. -EINVAL for a way, a
 * kind or a pattern that is none. Swift: Alerts.start. */
int ringer_device_alert(struct ringer_device *device, const struct ringer_alert *alert, size_t size, uint64_t *id);

/* Turns the motor: times on and off in milliseconds, alternating, at most 1,000 of them, each up to 3,600,000. The
 * strength is above 0 up to 1; times is how often, 0 until it is stopped. -ENOENT without a motor, -EINVAL for a
 * pattern that is none: every time on is above 0. Swift: Vibrator.start. */
int ringer_device_vibrate(struct ringer_device *device, const uint32_t *times_ms, size_t count, float strength,
    uint32_t times, uint64_t *id);

/* Finds out by timing whether sounds are heard. Swift: MuteDetector.measure. */
int ringer_device_detect(struct ringer_device *device, uint64_t *id);

/* Stops a request, which ends with its event; one that is just being made, once it has begun. One that has ended is not
 * an error; a detection and a session's activation end by themselves. Swift: SoundPlayer.stop, Vibrator.stop and the
 * like. */
int ringer_device_stop(struct ringer_device *device, uint64_t id);

/* Stops every sound of the program, and the motor. Swift: Device.stopAll. */
int ringer_device_stop_all(struct ringer_device *device);

/* Stops every sound and closes the speaker's PCMs, so that another process can open the hardware: a request, which ends
 * with an event RINGER_EVENT_OUTPUT_RELEASED. Sounds, alerts and announcements end as
 * RINGER_STOP_CAUSE_OUTPUT_RELEASED; announcements of a paused queue stay in it, and later ones open the PCMs again.
 * Swift: Device.releaseOutput. */
int ringer_device_release_output(struct ringer_device *device, uint64_t *id);

/* MARK: sessions
 *
 * The sounds of a session have its category, options and priority, and sessions interrupt or duck each other: a sound
 * is played in one by ringer_device_play. */

#define RINGER_PRIORITY_ORDINARY 0
#define RINGER_PRIORITY_CALL 100
#define RINGER_PRIORITY_ALARM 200

/* Makes a session, which is not active yet. The name is for people; NULL for none. -EINVAL where the category does not
 * allow an option. *session is NULL after a failure. Swift: AudioSessions.make. */
int ringer_session_new(struct ringer_device *device, const char *name, enum ringer_category category, uint32_t options,
    int32_t priority, struct ringer_session **session);

/* Removes a session and frees it; NULL is allowed. Its sounds stop, and those that it interrupted may resume. It may be
 * freed after its device was closed. Swift: the last reference to the AudioSession. */
void ringer_session_free(struct ringer_session *session);

/* The session's number, by which its events name it. 0 for NULL, and once the device is closed. Swift:
 * AudioSession.id. */
uint64_t ringer_session_get_number(const struct ringer_session *session);

/* Asks for the session's activation: a request, which ends with an event RINGER_EVENT_SESSION_ANSWERED. Its error is
 * -EBUSY beside a session of a higher priority and during an interruption from outside, -ENODEV without the input that
 * the category needs. Swift: AudioSession.activate. */
int ringer_session_activate(struct ringer_session *session, uint64_t *id);

/* Asks for the session's deactivation: a request, which ends with an event RINGER_EVENT_SESSION_ANSWERED. Its sounds
 * stop; with resume_others those that it interrupted may resume. Swift: AudioSession.deactivate. */
int ringer_session_deactivate(struct ringer_session *session, int resume_others, uint64_t *id);

/* Sets the category, and the options to exactly these. -EINVAL where the category does not allow one, and for an active
 * session beside one of a higher priority. Swift: AudioSession.setCategory. */
int ringer_session_set_category(struct ringer_session *session, enum ringer_category category, uint32_t options);

/* Sets whether the session speaks: a podcast, a book. Swift: AudioSession.setSpoken. */
int ringer_session_set_spoken(struct ringer_session *session, int is_spoken);

/* Reports that the session's application went to the background, or came back. Swift: AudioSession.setInBackground. */
int ringer_session_set_in_background(struct ringer_session *session, int is_in_background);

enum ringer_session_phase {
    RINGER_SESSION_INACTIVE = 0,
    RINGER_SESSION_ACTIVE = 1,
    RINGER_SESSION_INTERRUPTED = 2
};

/* The name of a session's phase, such as "active"; "" for a number that is none. Swift: SessionState.Phase.rawValue. */
const char *ringer_session_phase_name(enum ringer_session_phase phase);

enum ringer_input {
    RINGER_INPUT_NONE = 0,
    RINGER_INPUT_MICROPHONE = 1,
    RINGER_INPUT_BLUETOOTH = 2
};

/* An input's name, such as "microphone"; "" for RINGER_INPUT_NONE and a number that is none. Swift:
 * AudioInput.rawValue. */
const char *ringer_input_name(enum ringer_input input);

/* A session's state. Swift: SessionState, AudioSession. */
struct ringer_session_state {
    uint64_t number;
    enum ringer_session_phase phase;
    enum ringer_category category;
    uint32_t options;
    int32_t priority;
    enum ringer_route route;        /* RINGER_ROUTE_NONE where no route fits */
    enum ringer_input input;
    uint8_t is_audible;             /* active, and its sound would be heard */
    uint8_t is_ducked;
    uint8_t is_spoken;
    uint8_t is_in_background;
    uint8_t is_other_audio_playing;
    uint8_t reserved[3];
};

/* Writes the session's state. Swift: AudioSession.state, isAudible. */
int ringer_session_get_state(const struct ringer_session *session, struct ringer_session_state *state, size_t size);

/* The properties of a session, by the four-character codes of Audio Session Services. Swift: SessionProperties. */
enum ringer_property {
    RINGER_PROPERTY_PREFERRED_SAMPLE_RATE = 0x68777372,         /* hwsr: double, Hz; may be set */
    RINGER_PROPERTY_PREFERRED_BUFFER_DURATION = 0x696f6264,     /* iobd: float, s; may be set */
    RINGER_PROPERTY_CATEGORY = 0x61636174,                      /* acat: uint32_t, a code; may be set */
    RINGER_PROPERTY_ROUTE = 0x726f7574,                         /* rout: text with a zero at its end */
    RINGER_PROPERTY_SAMPLE_RATE = 0x63687372,                   /* chsr: double, Hz */
    RINGER_PROPERTY_INPUT_CHANNELS = 0x63686963,                /* chic: uint32_t */
    RINGER_PROPERTY_OUTPUT_CHANNELS = 0x63686f63,               /* choc: uint32_t */
    RINGER_PROPERTY_OUTPUT_VOLUME = 0x63686f76,                 /* chov: float, 0 to 1 */
    RINGER_PROPERTY_INPUT_LATENCY = 0x63696c74,                 /* cilt: float, s */
    RINGER_PROPERTY_OUTPUT_LATENCY = 0x636f6c74,                /* colt: float, s */
    RINGER_PROPERTY_BUFFER_DURATION = 0x63686264,               /* chbd: float, s */
    RINGER_PROPERTY_OTHER_AUDIO_PLAYING = 0x6f746872,           /* othr: uint32_t, 0 or 1 */
    RINGER_PROPERTY_OVERRIDE_ROUTE = 0x6f767264,                /* ovrd: uint32_t, 0 or speaker: 0x73706b72; only set */
    RINGER_PROPERTY_INPUT_AVAILABLE = 0x61696176,               /* aiav: uint32_t, 0 or 1 */
    RINGER_PROPERTY_DUCK_OTHERS = 0x6475636b,                   /* duck: uint32_t, 0 or 1; may be set */
    RINGER_PROPERTY_MIX_WITH_OTHERS = 0x636d6978,               /* cmix: uint32_t, 0 or 1; may be set */
    RINGER_PROPERTY_DEFAULT_TO_SPEAKER = 0x6373706b,            /* cspk: uint32_t, 0 or 1; may be set */
    RINGER_PROPERTY_BLUETOOTH_INPUT = 0x63626c75                /* cblu: uint32_t, 0 or 1; may be set */
};

/* Writes a property's value to the buffer of *size bytes, and its size to *size. -ENOENT for a code that is none,
 * -EMSGSIZE for a buffer that is too small: *size is what it needs. Swift: AudioSession.value(of:). */
int ringer_session_get_property(const struct ringer_session *session, enum ringer_property property, void *value,
    size_t *size);

/* Sets a property to a value of so many bytes. -EMSGSIZE for another size than its type's, -EINVAL
 * for a value that is none or that the category does not allow. Swift: AudioSession.set(_:bytes:). */
int ringer_session_set_property(struct ringer_session *session, enum ringer_property property, const void *value,
    size_t size);

/* Interrupts every session for something that is no session, such as a call that rings, and writes the interruption's
 * number. Until it is answered or ended no session can be activated. Over the service this holds for the program's own
 * sessions: to interrupt those of others, activate a session of RINGER_PRIORITY_CALL. Swift:
 * AudioSessions.interruptionBegan. */
int ringer_device_begin_interruption(struct ringer_device *device, uint64_t *interruption);

/* Reports that the user accepted the interruption: the sessions that it interrupted become inactive. Swift:
 * AudioSessions.interruptionAnswered. */
int ringer_device_answer_interruption(struct ringer_device *device, uint64_t interruption);

/* Ends an interruption; with should_resume the sessions that it interrupted are active again. One that has ended is not
 * an error. Swift: AudioSessions.interruptionEnded. */
int ringer_device_end_interruption(struct ringer_device *device, uint64_t interruption, int should_resume);

/* MARK: events */

enum ringer_event_type {
    RINGER_EVENT_NONE = 0,
    RINGER_EVENT_STATE = 1,             /* the state has changed: state. Changes that wait are merged */
    RINGER_EVENT_KEY = 2,               /* a key of the device: key */
    RINGER_EVENT_SOUND_ENDED = 3,       /* a sound, an announcement or an alert has ended: result */
    RINGER_EVENT_VIBRATION_ENDED = 4,   /* a vibration has ended: result */
    RINGER_EVENT_DETECTED = 5,          /* a detection has ended: reading */
    RINGER_EVENT_DEGRADED = 6,          /* something is wrong with the device, or was lost: message */
    RINGER_EVENT_LOST = 7,              /* so many keys, degradations, starts and ends without id were not read: lost */
    RINGER_EVENT_SESSION = 8,           /* something happened to a session: session */
    RINGER_EVENT_SESSION_ANSWERED = 9,  /* an activation or deactivation was carried out or refused: result */
    RINGER_EVENT_OUTPUT_RELEASED = 10,  /* the speaker's PCMs are closed */
    /* The first frame of a sound was accepted, at this time; of an announcement that is played again, and of a sound
     * that goes on after a pause, once more. None for alerts; a sound that ends while its request is being made
     * may have none: started_at of its result says so. */
    RINGER_EVENT_SOUND_STARTED = 11
};

/* An event's name, such as "soundEnded"; "" for a number that is none. No Swift counterpart. */
const char *ringer_event_name(enum ringer_event_type type);

/* What happened to a session. Swift: SessionEvent. */
enum ringer_session_change {
    RINGER_SESSION_ACTIVATED = 1,
    RINGER_SESSION_DEACTIVATED = 2,
    RINGER_SESSION_INTERRUPTION_BEGAN = 3,      /* its sounds were silenced: cause */
    RINGER_SESSION_INTERRUPTION_ENDED = 4,      /* with should_resume it is active again, else inactive */
    RINGER_SESSION_INTERRUPTION_DROPPED = 5,    /* the interruption has no end: why is an enum ringer_drop */
    RINGER_SESSION_SOUND_STOPPED = 6,           /* its sounds were stopped: why is an enum ringer_stop */
    RINGER_SESSION_DUCKED = 7,
    RINGER_SESSION_UNDUCKED = 8,
    RINGER_SESSION_SETTINGS_CHANGED = 9,        /* category, options or overrides */
    RINGER_SESSION_ROUTE_CHANGED = 10,          /* from old_route to route: why is an enum ringer_route_change */
    RINGER_SESSION_AUDIBLE = 11,                /* it is active, and its sound is heard */
    RINGER_SESSION_SILENCED = 12                /* it is active, and its sound is not heard: reason */
};

/* The name of what happened to a session, such as "routeChanged"; "" for a number that is none. Swift: the cases of
 * SessionEvent. */
const char *ringer_session_change_name(enum ringer_session_change change);

/* Why an interruption has no end. Swift: InterruptionDropReason. */
enum ringer_drop {
    RINGER_DROP_ANSWERED = 1,
    RINGER_DROP_REACTIVATED = 2,
    RINGER_DROP_DEACTIVATED = 3,
    RINGER_DROP_REMOVED = 4
};

/* The name of a reason why an interruption has no end, such as "answered"; "" for a number that is none. Swift:
 * InterruptionDropReason.rawValue. */
const char *ringer_drop_name(enum ringer_drop drop);

/* Why a session's sounds stopped. Swift: SessionStopReason. */
enum ringer_stop {
    RINGER_STOP_INTERRUPTION = 1,
    RINGER_STOP_DEACTIVATION = 2,
    RINGER_STOP_REMOVAL = 3,
    RINGER_STOP_OLD_DEVICE_UNAVAILABLE = 4      /* a headphone was pulled out: the session stays active */
};

/* The name of a reason why a session's sounds stopped, such as "deactivation"; "" for a number that is none. Swift:
 * SessionStopReason.rawValue. */
const char *ringer_stop_name(enum ringer_stop stop);

/* Why a session's route changed. Swift: RouteChangeReason, with the same values. */
enum ringer_route_change {
    RINGER_ROUTE_CHANGE_UNKNOWN = 0,
    RINGER_ROUTE_CHANGE_NEW_DEVICE_AVAILABLE = 1,
    RINGER_ROUTE_CHANGE_OLD_DEVICE_UNAVAILABLE = 2,
    RINGER_ROUTE_CHANGE_CATEGORY_CHANGE = 3,
    RINGER_ROUTE_CHANGE_OVERRIDE = 4,
    RINGER_ROUTE_CHANGE_WAKE_FROM_SLEEP = 6,
    RINGER_ROUTE_CHANGE_NO_SUITABLE_ROUTE = 7
};

/* The name of a reason why a session's route changed, such as "categoryChange"; "" for a number that is none. Swift:
 * the cases of RouteChangeReason. */
const char *ringer_route_change_name(enum ringer_route_change change);

/* What interrupts a session. Swift: InterruptionCause. */
enum ringer_cause {
    RINGER_CAUSE_SESSION = 1,       /* the session of number cause_number */
    RINGER_CAUSE_OUTSIDE = 2,       /* the interruption of number cause_number */
    RINGER_CAUSE_SERVICE = 3        /* what the service reports: a session of this or of another process */
};

/* The name of an interruption's cause, such as "outside"; "" for a number that is none. Swift: the cases of
 * InterruptionCause. */
const char *ringer_cause_name(enum ringer_cause cause);

struct ringer_session_event {
    enum ringer_session_change change;
    enum ringer_reason reason;
    uint64_t session;               /* its number */
    uint64_t cause_number;
    enum ringer_cause cause;
    uint32_t why;
    enum ringer_route old_route;
    enum ringer_route route;
    uint8_t should_resume;
    uint8_t reserved[7];
};

enum ringer_outcome {
    RINGER_OUTCOME_FINISHED = 1,
    RINGER_OUTCOME_SILENCED = 2,        /* by the rules: reason */
    RINGER_OUTCOME_STOPPED = 3,         /* cause */
    RINGER_OUTCOME_FAILED = 4           /* error, sentence */
};

/* An outcome's name, such as "silenced"; "" for a number that is none. Swift: the cases of SoundOutcome. */
const char *ringer_outcome_name(enum ringer_outcome outcome);

/* Who stopped a sound or a vibration, or why. Swift: SoundOutcome.StopCause. */
enum ringer_stop_cause {
    RINGER_STOP_CAUSE_NONE = 0,
    RINGER_STOP_CAUSE_CALLER = 1,               /* the program; the machine slept, where it is a vibration */
    RINGER_STOP_CAUSE_REPLACED = 2,             /* another sound, alert or vibration took its place */
    RINGER_STOP_CAUSE_DISPOSED = 3,             /* its system sound was disposed of */
    RINGER_STOP_CAUSE_LIMITED = 4,              /* the limit of its alert, or the motor's longest time */
    RINGER_STOP_CAUSE_SKIPPED = 5,              /* the queue of announcements skipped it */
    RINGER_STOP_CAUSE_EXPIRED = 6,              /* its announcement expired before it began */
    RINGER_STOP_CAUSE_SESSION_DEACTIVATED = 7,
    RINGER_STOP_CAUSE_SESSION_REMOVED = 8,
    RINGER_STOP_CAUSE_OLD_DEVICE_UNAVAILABLE = 9,   /* headphones were pulled out */
    RINGER_STOP_CAUSE_OUTPUT_RELEASED = 10,     /* ringer_device_release_output */
    RINGER_STOP_CAUSE_CLOSED = 11
};

/* The name of a stop's cause, such as "expired"; "" for a number that is none. Swift:
 * SoundOutcome.StopCause.rawValue. */
const char *ringer_stop_cause_name(enum ringer_stop_cause cause);

enum ringer_key {
    RINGER_KEY_REPEAT = 1,
    RINGER_KEY_SILENCE = 2,
    RINGER_KEY_VOLUME_UP = 3,       /* the device changes the preferences by itself */
    RINGER_KEY_VOLUME_DOWN = 4
};

/* A key's name, such as "silence"; "" for a number that is none. Swift: DeviceKey.rawValue. */
const char *ringer_key_name(enum ringer_key key);

enum ringer_verdict {
    RINGER_VERDICT_UNKNOWN = 0,
    RINGER_VERDICT_MUTED = 1,
    RINGER_VERDICT_AUDIBLE = 2
};

/* A verdict's name, such as "muted"; "" for a number that is none. Swift: MuteReading.Verdict.rawValue. */
const char *ringer_verdict_name(enum ringer_verdict verdict);

/* How a request ended. */
struct ringer_result {
    enum ringer_outcome outcome;
    enum ringer_reason reason;
    int32_t error;                  /* a negative errno of what failed, the sound of an alert among it; else 0 */
    enum ringer_stop_cause cause;
    uint8_t felt;                   /* whether the motor turned */
    uint8_t reserved[7];
    int64_t started_at;             /* the first frame, in nanoseconds of CLOCK_MONOTONIC; 0 if there was none */
    uint64_t frames_played;         /* heard in all */
    uint64_t frames;                /* to be played in all; INT64_MAX if it is repeated until it is stopped */
    /* What failed, as of ringer_last_error, or why another sound, or not all of it, was played; shortened where it is
     * longer; else "". */
    char sentence[440];
};

struct ringer_event {
    enum ringer_event_type type;
    uint32_t reserved;
    uint64_t id;                    /* the request; 0 for none */
    int64_t at;                     /* nanoseconds of CLOCK_MONOTONIC */
    union {
        struct ringer_state state;
        struct ringer_result result;
        struct {
            enum ringer_key key;
            uint8_t is_pressed;
        } key;
        struct {
            enum ringer_verdict verdict;
            enum ringer_route route;
            int64_t elapsed;        /* nanoseconds until the clip's end */
        } reading;
        struct ringer_session_event session;
        char message[488];          /* a sentence, shortened where it is longer */
        uint64_t lost;
    } u;
};

/* Reads the next event: 1 if there was one, 0 if none waits. It never blocks. The first event is the state. Swift:
 * Device.events, and the results of requests. */
int ringer_device_read_event(struct ringer_device *device, struct ringer_event *event, size_t size);

/* MARK: the simulated boards, for tests of firmware
 *
 * -ENOTSUP on boards that are not simulated. */

/* Moves the switch. Swift: SimulatedSwitch.position. */
int ringer_simulated_set_position(struct ringer_device *device, enum ringer_position position);

/* Plugs headphones in or out. Swift: SimulatedStateSource.set. */
int ringer_simulated_set_headphone(struct ringer_device *device, int is_inserted);

/* Presses a key and releases it. Swift: SimulatedKeys.press, release. */
int ringer_simulated_press_key(struct ringer_device *device, enum ringer_key key);

/* Sets the wall clock of RINGER_BOARD_SIMULATED: seconds since 1970, UTC, up to 2^40, in which quiet hours count; at
 * first it is the beginning of 2026, and before that it was never set. Swift: VirtualClock.setWallTime. */
int ringer_simulated_set_wall_time(struct ringer_device *device, int64_t seconds);

/* Sets the time zone by its rules, as in the variable TZ, such as "CET-1CEST,M3.5.0,M10.5.0/3"; at first it is UTC.
 * -EINVAL for rules that are none. Swift: SimulatedTimeZone.set. */
int ringer_simulated_set_time_zone(struct ringer_device *device, const char *rules);

/* Moves the clock of RINGER_BOARD_SIMULATED forward by so many microseconds: what falls due is done when it returns.
 * Its time moves in no other way. -EINVAL above 2^50. Swift: VirtualClock.advance. */
int ringer_simulated_advance(struct ringer_device *device, uint64_t microseconds);

/* A sound that was handed to the speaker. */
struct ringer_recording {
    int64_t started_at;             /* nanoseconds of the board's clock; 0 if it did not start */
    int64_t ended_at;               /* 0 while it plays */
    uint64_t frames;
    uint64_t frames_played;
    uint32_t rate;
    uint32_t channels;
    enum ringer_route route;
    uint32_t reserved;
};

/* Writes the newest recordings, at most count of this size, the oldest of them first; NULL with 0 for none. Returns how
 * many there are in all, at most INT_MAX. Swift: SimulatedSoundOutput.recordings. */
int ringer_simulated_get_recordings(const struct ringer_device *device, struct ringer_recording *recordings,
    size_t size, size_t count);

/* Whether the motor turns now: 1 or 0. Swift: SimulatedMotor.isOn. */
int ringer_simulated_is_motor_on(const struct ringer_device *device);

#ifdef __cplusplus
}
#endif

/* What programs and the library have to agree on. */
#if defined(__cplusplus)
#define RINGER_ASSERT(condition, message) static_assert(condition, message)
#elif defined(__GNUC__)
#define RINGER_ASSERT(condition, message) __extension__ _Static_assert(condition, message)
#else
#define RINGER_ASSERT(condition, message) _Static_assert(condition, message)
#endif
RINGER_ASSERT(sizeof(enum ringer_position) == 4, "ringer.h: an enum has 4 bytes: compile without -fshort-enums");
RINGER_ASSERT(sizeof(struct ringer_state) == 64, "ringer.h: struct ringer_state has 64 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_effective_position) == 16,
    "ringer.h: struct ringer_effective_position has 16 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_preferences) == 48, "ringer.h: struct ringer_preferences has 48 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_decision) == 16, "ringer.h: struct ringer_decision has 16 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_notification) == 3 * sizeof(void *) + 8,
    "ringer.h: struct ringer_notification has three pointers and 8 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_behaviour) == 40, "ringer.h: struct ringer_behaviour has 40 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_part) == 512, "ringer.h: struct ringer_part has 512 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_playback) == 5 * sizeof(void *) + 32,
    "ringer.h: struct ringer_playback has five words and 32 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_announcement) == 2 * sizeof(void *) + 24,
    "ringer.h: struct ringer_announcement has two words and 24 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_alert) == 2 * sizeof(void *) + 24,
    "ringer.h: struct ringer_alert has two words and 24 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_session_state) == 40,
    "ringer.h: struct ringer_session_state has 40 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_session_event) == 48,
    "ringer.h: struct ringer_session_event has 48 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_result) == 488, "ringer.h: struct ringer_result has 488 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_event) == 512, "ringer.h: struct ringer_event has 512 bytes in libringer");
RINGER_ASSERT(sizeof(struct ringer_recording) == 48, "ringer.h: struct ringer_recording has 48 bytes in libringer");
#undef RINGER_ASSERT

#endif
