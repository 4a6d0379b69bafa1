/* The parts of ringer.h that Swift cannot have: a variable of each thread, strings without an owner, and the process's number. */
#include "ringer.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thread_error.h"

static _Thread_local char last_error[512];

void ringer_copy_text(char *text, size_t room, const char *bytes, size_t count)
{
    if (count >= room) {
        count = room - 1;
        /* 10xxxxxx continues a character. */
        while (count > 0 && ((unsigned char)bytes[count] & 0xc0) == 0x80)
            count--;
    }
    memcpy(text, bytes, count);
    text[count] = 0;
}

void ringer_keep_error(const char *bytes, size_t count)
{
    ringer_copy_text(last_error, sizeof last_error, bytes, count);
}

const char *ringer_last_error(void)
{
    return last_error;
}

/* The number of the process, in a page that the kernel fills with zeros in a child, however it is made; NULL without one. */
static atomic_int *process;

__attribute__((constructor)) static void map_process(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return;
    /* An emulator that ignores advice accepts -1 too, which no kernel does. */
    if (madvise(page, size, -1) == 0 || madvise(page, size, MADV_WIPEONFORK) < 0)
        munmap(page, size);
    else
        process = page;
}

int ringer_process(void)
{
    int number;

    if (process == NULL)
        return getpid();
    number = atomic_load_explicit(process, memory_order_relaxed);
    if (number == 0) {
        number = getpid();
        atomic_store_explicit(process, number, memory_order_relaxed);
    }
    return number;
}

uint32_t ringer_version(void)
{
    return RINGER_VERSION;
}

/* Defines the function that names the values of an enumeration, in their order from 0. */
#define NAMES(prefix, enumeration, ...) \
    const char *ringer_##prefix##_name(enum enumeration value) \
    { \
        static const char *const names[] = {__VA_ARGS__}; \
        return (unsigned int)value < sizeof names / sizeof names[0] ? names[value] : ""; \
    }

NAMES(position, ringer_position, "unknown", "ring", "vibrate", "silent")

NAMES(route, ringer_route, "", "speaker", "receiver", "headphone", "headset", "line", "bluetooth")

NAMES(category, ringer_category, "soloAmbient", "ambient", "playback", "record", "playAndRecord", "audioProcessing",
    "multiRoute")

NAMES(reason, ringer_reason, "", "switchAtRing", "noSwitch", "switchUnreadable", "categoryIgnoresSwitch",
    "routeIgnoresSwitch", "critical", "vibrationRequested", "ringSilentSwitch", "screenLock", "categoryDoesNotPlay",
    "sessionSilencesPlayback", "interruption", "sessionPriority", "background", "doNotDisturb", "soundEffectsOff",
    "volumeZero", "softwareSilent", "quietHours", "alarm", "call")

NAMES(part_kind, ringer_part_kind, "problem", "switch", "motor", "statusLight", "jack", "keys")

NAMES(session_phase, ringer_session_phase, "inactive", "active", "interrupted")

NAMES(input, ringer_input, "", "microphone", "bluetooth")

NAMES(event, ringer_event_type, "", "state", "key", "soundEnded", "vibrationEnded", "detected", "degraded", "lost",
    "session", "sessionAnswered", "outputReleased", "soundStarted")

NAMES(session_change, ringer_session_change, "", "activated", "deactivated", "interruptionBegan", "interruptionEnded",
    "interruptionDropped", "soundStopped", "ducked", "unducked", "settingsChanged", "routeChanged", "audible",
    "silenced")

NAMES(drop, ringer_drop, "", "answered", "reactivated", "deactivated", "removed")

NAMES(stop, ringer_stop, "", "interruption", "deactivation", "removal", "oldDeviceUnavailable")

NAMES(route_change, ringer_route_change, "unknown", "newDeviceAvailable", "oldDeviceUnavailable", "categoryChange",
    "override", "", "wakeFromSleep", "noSuitableRouteForCategory")

NAMES(cause, ringer_cause, "", "session", "outside", "service")

NAMES(outcome, ringer_outcome, "", "finished", "silenced", "stopped", "failed")

NAMES(stop_cause, ringer_stop_cause, "", "caller", "replaced", "disposed", "limited", "skipped", "expired",
    "sessionDeactivated", "sessionRemoved", "oldDeviceUnavailable", "outputReleased", "closed")

NAMES(key, ringer_key, "", "repeat", "silence", "volumeUp", "volumeDown")

NAMES(verdict, ringer_verdict, "unknown", "muted", "audible")
