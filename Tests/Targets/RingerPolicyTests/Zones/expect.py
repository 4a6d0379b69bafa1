#!/usr/bin/env python3
"""Prints what Python's zoneinfo says about local times and quiet hours, for the tests of RingerPolicy.

    expect.py offsets ZONE...                  lines "ZONE UTC OFFSET": samples from 1850 to 2600, and around each change
    expect.py year YEAR ZONE TEXT...           for each text of quiet hours: minutes of the year as lines "UTC EFFECT", one for
                                             each change, then a line "end UTC"

EFFECT is silence, a volume in thousandths, or none. The computation is by brute force, and shares nothing with the library's:
every minute of the year has a local time of its own, and every span of every day is painted over the minutes.
"""
import random
import re
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NONE, SILENCE = 2000, -1
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def seconds(moment):
    return int((moment - EPOCH) / timedelta(seconds=1))


def offset(zone, utc):
    return int((EPOCH + timedelta(seconds=utc)).astimezone(zone).utcoffset().total_seconds())


def offsets(names):
    for name in names:
        zone, generator = ZoneInfo(name), random.Random(name)
        first, last = (seconds(datetime(year, 1, 1, tzinfo=UTC)) for year in (1850, 2600))
        times = [generator.randrange(first, last) for _ in range(40)]
        # Changes between two samples that are a month apart, to the second.
        start = generator.randrange(first, last - 30 * 366 * 86400)
        for before in range(start, start + 30 * 366 * 86400, 30 * 86400):
            low, high = before, before + 30 * 86400
            if offset(zone, low) == offset(zone, high):
                continue
            while high - low > 1:
                middle = (low + high) // 2
                if offset(zone, middle) == offset(zone, low):
                    low = middle
                else:
                    high = middle
            times += [low, high]
        for time in times:
            print(name, time, offset(zone, time))


def parse(text):
    """Spans as (weekdays, begin, end, rank)."""
    for part in filter(str.strip, text.split(";")):
        days, begin, end, volume = re.fullmatch(
            r"\s*(\S+)\s+(\d\d:\d\d)-(\d\d:\d\d)(?:\s+volume=(\S+))?\s*", part).groups()
        if days.lower() == "daily":
            days = "Mon..Sun"
        chosen = set()
        for item in days.lower().split(","):
            first, last = (DAYS.index(name[:3]) for name in (item.split("..") * 2)[:2])
            while first != last:
                chosen.add(first)
                first = (first + 1) % 7
            chosen.add(last)
        begin, end = (timedelta(hours=int(time[:2]), minutes=int(time[3:])) for time in (begin, end))
        if end <= begin:
            end += timedelta(days=1)
        yield chosen, begin, end, SILENCE if volume is None else round(float(volume) * 1000)


def year(number, name, texts):
    zone = ZoneInfo(name)
    start = seconds(datetime(number, 1, 1, tzinfo=UTC)) // 60
    end = seconds(datetime(number + 1, 1, 1, tzinfo=UTC)) // 60
    first, last = start - 4 * 1440, end + 4 * 1440
    wall = [datetime.fromtimestamp(minute * 60, zone).replace(tzinfo=None, fold=0) for minute in range(first, last)]

    def minute(local, fold):
        """The minute of a local time: the first or the second of two, or the first after a gap."""
        aware = local.replace(tzinfo=zone, fold=fold)
        found = seconds(aware.astimezone(UTC)) // 60
        if not first <= found < last:
            return min(max(found, first), last)
        if wall[found - first] == local:
            return found
        # In a gap fold=1 is a moment before it.
        found = seconds(local.replace(tzinfo=zone, fold=1).astimezone(UTC)) // 60
        while wall[found - first] < local:
            found += 1
        return found

    for text in texts:
        ranks = [NONE] * (last - first)
        spans = list(parse(text))
        day = date(number, 1, 1) - timedelta(days=4)
        while day < date(number + 1, 1, 4):
            midnight = datetime(day.year, day.month, day.day)
            for weekdays, begin, until, rank in spans:
                if day.weekday() in weekdays:
                    for index in range(minute(midnight + begin, 0) - first, minute(midnight + until, 1) - first):
                        ranks[index] = min(ranks[index], rank)
            day += timedelta(days=1)
        previous = None
        for index in range(start - first, end - first):
            if ranks[index] != previous:
                previous = ranks[index]
                print((first + index) * 60, {NONE: "none", SILENCE: "silence"}.get(previous, previous))
        print("end", end * 60)


if len(sys.argv) > 2 and sys.argv[1] == "offsets":
    offsets(sys.argv[2:])
elif len(sys.argv) > 4 and sys.argv[1] == "year":
    year(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
else:
    sys.exit(__doc__)
