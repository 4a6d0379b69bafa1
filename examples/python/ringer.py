"""Plays a sound file by Ringer's service, and prints how it ended. Needs Debian's python3-dbus-fast.

    python3 ringer.py [--session] FILE.wav [CATEGORY]        CATEGORY: soloAmbient, which obeys the switch, or another one
"""

import asyncio
import sys

from dbus_fast import BusType, DBusError, Variant
from dbus_fast.aio import MessageBus

NAME, PATH = "org.ringer.Ringer1", "/org/ringer/Ringer1"


class Ringer:
    """The service's device. `device` has its methods and properties: `call_vibrate`, `get_switch_position`, ..."""

    def __init__(self, bus, described, bus_itself):
        self.object = bus.get_proxy_object(NAME, PATH, described)
        self.device = self.object.get_interface(NAME)
        self.ends = {}  # a future for each request, by its number
        self.losses = 0  # how often the service has ended
        self.device.on_ended(lambda number, *end: self._end(number).set_result(end))
        names = bus.get_proxy_object("org.freedesktop.DBus", "/org/freedesktop/DBus", bus_itself)
        names.get_interface("org.freedesktop.DBus").on_name_owner_changed(self._owner_changed)

    @classmethod
    async def connect(cls, bus):
        """The device of the service on a bus, which starts the service where it does not run."""
        bus_itself = await bus.introspect("org.freedesktop.DBus", "/org/freedesktop/DBus")
        return cls(bus, await bus.introspect(NAME, PATH), bus_itself)

    async def ended(self, request):
        """Returns a request's outcome, reason and details."""
        try:
            return await self._end(request)
        finally:
            del self.ends[request]

    async def play(self, path, category):
        """Plays a sound file, which only this program needs a right to read."""
        losses = self.losses
        with open(path, "rb") as file:
            request = await self.device.call_play(Variant("h", file.fileno()), {"category": Variant("s", category)})
        if self.losses != losses:
            raise ConnectionResetError("Ringer's service has ended")
        return await self.ended(request)

    def _end(self, request):
        # The signal may be handled before the reply to the call that began the request.
        return self.ends.setdefault(request, asyncio.get_running_loop().create_future())

    def _owner_changed(self, name, old, _new):
        if name == NAME and old:
            self.losses += 1
            for end in self.ends.values():
                if not end.done():
                    end.set_exception(ConnectionResetError("Ringer's service has ended"))


async def main(words):
    kind = BusType.SESSION if "--session" in words else BusType.SYSTEM
    path, category = ([word for word in words if word != "--session"] + ["soloAmbient"])[:2]
    bus = await MessageBus(bus_type=kind, negotiate_unix_fd=True).connect()
    outcome, reason, details = await (await Ringer.connect(bus)).play(path, category)
    print(outcome, reason, details["message"].value if "message" in details else "")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        asyncio.run(main(sys.argv[1:]))
    except (DBusError, OSError) as error:
        sys.exit(f"{error}")
