"""What messages ask for. Each is read strictly: what cannot be understood does nothing."""
import datetime
import json
import math
import time

from .state import POSITIONS, VOLUMES


class CommandError(Exception):
    """Why a message is refused, for people."""


# What an object may have besides `id`, which the outcome repeats.
SOUND = {"file": str, "address": str, "text": str}
MEMBERS = {
    "announce": {**SOUND, "volume": float, "priority": int, "expiry": float},
    "play": {**SOUND, "sound": (int, str), "category": str, "as": str},
    "alert": {**SOUND, "sound": (int, str), "limit": float, "kind": str, "way": str},
    "vibrate": {"pattern": str, "strength": float, "times": int},
    "position": {"position": str, "for": float, "until": str},
    "stop": {},
}
# A text that is no object is this member.
PLAIN = {"announce": "text", "play": "sound", "alert": "sound", "vibrate": "pattern", "position": "position"}


def read(command, payload):
    """The members of a message."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        raise CommandError("it is not UTF-8") from None
    check(text)
    if command not in MEMBERS or not text.lstrip().startswith("{"):
        return {PLAIN.get(command, "value"): text}
    try:
        members = json.loads(text, parse_constant=refuse, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise CommandError("it is no JSON object, or has a member twice") from None
    for name, value in members.items():
        wanted = {**MEMBERS[command], "id": str}.get(name)
        if wanted is None:
            raise CommandError(f"there is no member {name[:40]}")
        # Before it becomes a float, which has no room for every number.
        if type(value) is int and abs(value) >= 1 << 31:
            raise CommandError(f"{name} is out of range")
        if wanted is float and type(value) is int:
            members[name] = value = float(value)
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise CommandError(f"{name} has another type")
        if isinstance(value, str):
            check(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise CommandError(f"{name} is out of range")
    if len(members.get("id", "")) > 64:
        raise CommandError("id is longer than 64 characters")
    return members


def check(text):
    """The bus ends the connection of whoever sends it a text with a zero byte, or one that is no UTF-8; JSON has escapes for
    both."""
    if any(character < " " and character not in "\t\r\n" or "\ud800" <= character <= "\udfff" for character in text):
        raise CommandError("it has control characters, or halves of characters")


def refuse(constant):
    raise ValueError(constant)


def once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def position(members):
    """The method, the signature and the arguments that set the position."""
    wanted = members.get("position", "")
    if wanted not in (*POSITIONS, "toggle"):
        raise CommandError(f"position is none of {', '.join(POSITIONS)}, toggle")
    if "for" not in members and "until" not in members:
        return "SetPosition", "s", (wanted,)
    if wanted == "toggle" or "for" in members and "until" in members:
        raise CommandError("for and until are for one position, and not together")
    if "for" in members:
        if not 1 <= members["for"] <= 366 * 86400:
            raise CommandError("for is not from 1 s to 366 days")
        end = time.time() + members["for"]
    else:
        try:
            moment = datetime.datetime.fromisoformat(members["until"].replace("Z", "+00:00"))
        except ValueError:
            raise CommandError("until is no time of RFC 3339") from None
        if moment.tzinfo is None:
            raise CommandError("until has no offset from UTC")
        end = moment.timestamp()
    if end < 0:
        raise CommandError("until is before 1970")
    return "SetPositionUntil", "st", (wanted, int(end * 1_000_000))


def choice(value, choices):
    if value not in choices:
        raise CommandError(f"it is none of {', '.join(choices)}")
    return choices[value]


def per_cent(value):
    """A volume, 0 to 1."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 100:
        raise CommandError("it is no number from 0 to 100")
    return number / 100


def setting(command, value):
    """The property, and the variant that it is set to."""
    if command == "do-not-disturb":
        return "Preferences", ("a{sv}", {"doNotDisturb": ("b", choice(value, {"ON": True, "OFF": False}))})
    if command == "quiet-hours":
        return "Preferences", ("a{sv}", {"quietHours": ("s", value)})
    if command == "lock":
        return "ScreenLocked", ("b", choice(value, {"LOCK": True, "UNLOCK": False}))
    if command == "volume":
        return "Volume", ("d", per_cent(value))
    return "Preferences", ("a{sv}", {VOLUMES[command]: ("d", per_cent(value))})


# Of the bus; others are as the service's table of methods has them.
TYPES = {"priority": "i", "times": "u", "volume": "d", "expiry": "d", "limit": "d", "strength": "d"}


def options(members, *names):
    """A dictionary of variants of these members, for the bus."""
    for name in names:
        if TYPES.get(name) == "u" and members.get(name, 0) < 0:
            raise CommandError(f"{name} is out of range")
    return {name: (TYPES.get(name, "s"), members[name]) for name in names if name in members}


def have_obey(command, chosen):
    """Has a request obey the ring/silent switch, which these would not by themselves."""
    if "alarm" in (chosen.get("as", ("s", ""))[1], chosen.get("kind", ("s", ""))[1]):
        raise CommandError("an alarm is heard at silent, which the key obey forbids")
    if command == "announce" or chosen.get("category", ("s", ""))[1] in ("playback", "playAndRecord", "multiRoute"):
        chosen["options"] = ("as", ["honoursRingSilentSwitch"])


def source(members):
    """Where the sound comes from, and what is asked of that place; exactly one. The place `sound` is the service's own."""
    sources = [(kind, members[kind]) for kind in (*SOUND, "sound") if kind in members]
    if len(sources) != 1 or not str(sources[0][1]).strip():
        raise CommandError("one sound is needed: file, address or text, or of play and alert the name or number of one")
    kind, value = sources[0]
    if kind == "sound" and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 8:
        value = int(value)
    if isinstance(value, int) and value < 0:
        raise CommandError("sound is out of range")
    return kind, value
