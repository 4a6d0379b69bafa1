"""The device's state as one message."""
import datetime

POSITIONS = ("ring", "vibrate", "silent")
# Entities in per cent, and the preferences that they are.
VOLUMES = {
    "announcement-volume": "announcementVolume", "media-volume": "mediaVolume", "alert-volume": "alertVolume",
    "alarm-volume": "alarmVolume", "call-volume": "callVolume"}
# When each cause of silence ends, in microseconds since 1970; 0 for none that is known.
ENDS = {"software": "KeptPositionUntil", "quietHours": "QuietHoursUntil"}


def time(microseconds):
    """A time of RFC 3339; None for 0."""
    if not microseconds:
        return None
    return datetime.datetime.fromtimestamp(microseconds // 1_000_000, datetime.timezone.utc).isoformat()


def silenced_until(service):
    """When the last cause of silence ends; 0 where one has no end that is known."""
    ends = [service.get(ENDS.get(cause, ""), 0) for cause in service.get("SilencedBy", [])]
    return max(ends) if ends and all(ends) else 0


def per_cent(volume):
    """None where there is none."""
    return round(volume * 100) if volume is not None and volume >= 0 else None


def on(value):
    return "ON" if value else "OFF"


def state(service):
    """What `state` says. Members may be added."""
    jacks = service.get("Jacks", [])
    return {
        "position": service.get("EffectivePosition", "ring"),
        "switch": service.get("SwitchPosition") or None,
        "kept": service.get("KeptPosition") or "ring",
        "kept_until": time(service.get("KeptPositionUntil", 0)),
        "silenced_by": ", ".join(service.get("SilencedBy", [])) or "nothing",
        "silenced_until": time(silenced_until(service)),
        "quiet_hours": on(service.get("QuietHoursNow")),
        "quiet_hours_until": time(service.get("QuietHoursUntil", 0)),
        "quiet_hours_spans": service.preference("quietHours", ""),
        "do_not_disturb": on(service.preference("doNotDisturb", False)),
        "locked": "LOCKED" if service.get("ScreenLocked") else "UNLOCKED",
        "volume": per_cent(service.get("Volume", -1)),
        "route": service.get("Route", ""),
        "headphone": on("headphone" in jacks),
        "microphone": on("microphone" in jacks),
        "call": service.get("Call", "") or "none",
        **{name.replace("-", "_"): per_cent(service.preference(preference)) for name, preference in VOLUMES.items()},
    }
