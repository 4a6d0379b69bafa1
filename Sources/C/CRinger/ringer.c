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

#define NAME(names, number) ((unsigned int)(number) < sizeof names / sizeof names[0] ? names[number] : "")

const char *ringer_event_name(enum ringer_event_type type)
{
    static const char *const names[] = {
        "", "state", "key", "soundEnded", "vibrationEnded", "detected", "degraded", "lost", "session",
        "sessionAnswered", "outputReleased", "soundStarted",
    };
    return NAME(names, type);
}

const char *ringer_session_change_name(enum ringer_session_change change)
{
    static const char *const names[] = {
        "", "activated", "deactivated", "interruptionBegan", "interruptionEnded", "interruptionDropped", "soundStopped",
        "ducked", "unducked", "settingsChanged", "routeChanged", "audible", "silenced",
    };
    return NAME(names, change);
}

const char *ringer_outcome_name(enum ringer_outcome outcome)
{
    static const char *const names[] = {"", "finished", "silenced", "stopped", "failed"};
    return NAME(names, outcome);
}

const char *ringer_stop_cause_name(enum ringer_stop_cause cause)
{
    static const char *const names[] = {
        "", "caller", "replaced", "disposed", "limited", "skipped", "expired", "sessionDeactivated", "sessionRemoved",
        "oldDeviceUnavailable", "outputReleased", "closed",
    };
    return NAME(names, cause);
}

const char *ringer_reason_name(enum ringer_reason reason)
{
    static const char *const names[] = {
        "", "switchAtRing", "noSwitch", "switchUnreadable", "categoryIgnoresSwitch", "routeIgnoresSwitch", "critical",
        "vibrationRequested", "ringSilentSwitch", "screenLock", "categoryDoesNotPlay", "sessionSilencesPlayback",
        "interruption", "sessionPriority", "background", "doNotDisturb", "soundEffectsOff", "volumeZero",
    };
    return NAME(names, reason);
}
