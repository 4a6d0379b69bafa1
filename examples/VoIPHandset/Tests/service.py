"""The handset beside the service, and beside other programs that use it."""
import subprocess
import time

from gi.repository import Gio, GLib

from common import RINGERD, start
from handset import PATIENCE, Caller


class Service:
    """The service on the session bus, with a simulated board, and another process that is its client."""

    NAME = "org.ringer.Ringer1"
    PATH = "/org/ringer/Ringer1"

    def __init__(self):
        self.process = subprocess.Popen(
            [RINGERD, "--session", "--board", "simulated"], stderr=subprocess.DEVNULL)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(PATIENCE), self.NAME], check=True)
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        self.ended = {}
        self.bus.signal_subscribe(
            self.NAME, self.NAME, "Ended", self.PATH, None, Gio.DBusSignalFlags.NONE,
            lambda *arguments: self._end(*arguments[5].unpack()))

    def _end(self, request, outcome, *_):
        self.ended[request] = outcome

    def call(self, method, signature, *arguments, interface=NAME, path=PATH):
        return self.bus.call_sync(
            self.NAME, path, interface, method, GLib.Variant(signature, arguments), None, Gio.DBusCallFlags.NONE,
            -1, None).unpack()

    def announce(self):
        return self.call("Announce", "(ava{sv})", [GLib.Variant("u", 1007)], {})[0]

    def make_session(self, priority):
        return self.call("CreateSession", "(a{sv})", {"category": GLib.Variant("s", "playback"),
                                                      "priority": GLib.Variant("i", priority)})[0]

    def activate(self, session):
        """Activates a session; false if it is refused."""
        try:
            self.call("Activate", "()", interface="org.ringer.Session1", path=session)
        except GLib.Error:
            return False
        return True

    def deactivate(self, session):
        self.call("Deactivate", "(b)", True, interface="org.ringer.Session1", path=session)

    def outcome(self, request):
        """How a request has ended by now; None if it has not."""
        # The reply of a later call comes after the signal.
        self.call("Decide", "(sa{sv})", "alert", {})
        while GLib.MainContext.default().iteration(False):
            pass
        return self.ended.get(request)

    def wait_for(self, request):
        end = time.monotonic() + PATIENCE
        while self.outcome(request) is None:
            assert time.monotonic() < end, "the request does not end"
            time.sleep(0.02)
        return self.ended[request]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


def test_service():
    """Over the service: its switch decides, and the announcement of another process waits until the call is over."""
    with Service() as service, start("--call-pcm", "null", board="service", RINGER_BUS="session") as handset:
        handset.check_rings()
        # The service has the predefined sounds.
        with Caller(handset.port) as caller:
            caller.invite(headers="Alert-Info: <Tock>\r\n")
            event = handset.wait_for(caller.call, "ringing")
            assert event["sound"] and event["ring"] == "Tock", event
            caller.cancel()
            handset.wait_for(caller.call, "cancelled")
        service.call("SetSwitch", "(s)", "vibrate", interface="org.ringer.SimulatedBoard1")
        with Caller(handset.port) as caller:
            caller.invite()
            event = handset.wait_for(caller.call, "vibrating")
            assert event["motor"] and not event["sound"], event
            service.call("SetSwitch", "(s)", "ring", interface="org.ringer.SimulatedBoard1")
            handset.wait_for(caller.call, "ringing")
            service.call("PressKey", "(s)", "silence", interface="org.ringer.SimulatedBoard1")
            handset.wait_for(caller.call, "silent")
            handset.answer(caller)
            waiting = service.announce()
            # Another request comes and goes meanwhile.
            assert service.wait_for(service.call("Vibrate", "(sa{sv})", "50", {})[0]) == "finished"
            assert service.outcome(waiting) is None
            caller.hang_up()
            handset.wait_for(caller.call, "ended")
            assert service.wait_for(waiting) == "finished"
        handset.check_quiet()
        handset.check_rings()


def test_alarm():
    """A call that comes during an alarm of another process keeps others from playing once the alarm is over."""
    with Service() as service, start("--call-pcm", "null", board="service", RINGER_BUS="session") as handset, \
            Caller(handset.port) as caller:
        alarm, music = service.make_session(200), service.make_session(0)
        assert service.activate(alarm)
        caller.invite()
        handset.wait(lambda: [line for line in handset.errors if "matters more" in line], "the session is refused")
        handset.answer(caller)
        service.deactivate(alarm)
        end = time.monotonic() + PATIENCE
        while service.activate(music):
            assert time.monotonic() < end, "the call has no session"
            service.deactivate(music)
            time.sleep(0.05)
        caller.hang_up()
        handset.wait_for(caller.call, "ended")
        end = time.monotonic() + PATIENCE
        while not service.activate(music):
            assert time.monotonic() < end, "the call keeps its session"
            time.sleep(0.05)
        handset.check_quiet()
