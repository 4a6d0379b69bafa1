"""The device on the broker: its state there, and what messages ask of it."""
import json
import os

from . import commands, discovery
from .broker import Broker
from .configuration import CONTROLS
from .rate import MessageRate
from .service import Service
from .sounds import Sounds
from .state import state

# The state is published at most so often, in seconds.
STATE_PERIOD = 0.1


class Bridge:
    """Between the service and the broker."""

    def __init__(self, loop, configuration, bus):
        self.loop, self.configuration, self.base = loop, configuration, configuration.base
        self.published, self.timer, self.is_there = None, None, False
        # Sounds that are being opened, and requests that have not ended, with what asked for them.
        self.opening, self.requests = 0, {}
        # Raised by each stop: what was asked for before it is not to begin.
        self.generation = 0
        self.rate = MessageRate(configuration.messages, configuration.period)
        self.sounds = Sounds(loop, configuration)
        self.service = Service(loop, bus)
        self.service.on_presence, self.service.on_change = self.presence, self.changed
        self.service.on_signal = self.signal
        self.broker = Broker(loop, configuration, f"{self.base}/availability")
        self.broker.on_connected, self.broker.on_message = self.connected, self.message

    def start(self):
        self.service.start()
        self.broker.start()

    def stop(self):
        """The device is not there from now on."""
        self.broker.publish(f"{self.base}/availability", "offline", True)
        self.broker.stop()

    # MARK: - The state

    def connected(self):
        self.broker.subscribe([f"{self.base}/{command}" for command in self.configuration.commands])
        if self.configuration.discovery_prefix:
            for topic in discovery.withdrawn(self.configuration):
                self.broker.publish(topic, "", True)
            for topic, contents in discovery.messages(self.configuration):
                self.broker.publish(topic, json.dumps(contents), True)
        self.published = None
        self.publish_presence()

    def presence(self, is_there):
        self.is_there = is_there
        if not is_there:
            requests, self.requests = self.requests, {}
            for asked in requests.values():
                self.result(asked, "failed", "", "the service went")
        self.publish_presence()

    def publish_presence(self):
        """The state first: whoever sees the device come has it."""
        if self.is_there:
            self.publish_state()
        self.broker.publish(f"{self.base}/availability", "online" if self.is_there else "offline", True)

    def changed(self):
        """Publishes soon; what changes meanwhile goes with it."""
        if self.timer is None:
            self.timer = self.loop.after(STATE_PERIOD, self.publish_state)

    def publish_state(self):
        self.loop.cancel(self.timer)
        self.timer = None
        text = json.dumps(state(self.service))
        if self.is_there and text != self.published:
            self.published = text if self.broker.publish(f"{self.base}/state", text, True) else None
            # The broker has not taken what is before it.
            if self.published is None and self.broker.is_connected:
                self.timer = self.loop.after(1, self.publish_state)

    def signal(self, member, body):
        if member == "Key" and body[1]:
            self.broker.publish(f"{self.base}/key", json.dumps({"event_type": body[0]}))
        elif member == "Ended" and body[0] in self.requests:
            _, outcome, reason, details = body
            detail = details.get("message", (None, None))[1]
            self.result(self.requests.pop(body[0]), outcome, reason, detail)

    # MARK: - Messages

    def message(self, topic, payload, is_retained):
        command = topic[len(self.base) + 1:]
        asked = {"command": command}
        if command not in self.configuration.commands:
            return
        # It may be of any age: a device that comes back is not to do it once more.
        if is_retained:
            return self.refuse(asked, "it is retained")
        if not self.rate.allows():
            return
        try:
            if len(payload) > self.configuration.largest_message:
                raise commands.CommandError(f"it is larger than {self.configuration.largest_message} bytes")
            if not self.is_there:
                raise commands.CommandError("the service is not there")
            members = commands.read(command, payload)
            if "id" in members:
                asked["id"] = members.pop("id")
            self.obey(command, members, asked)
        except commands.CommandError as error:
            self.refuse(asked, str(error))

    def obey(self, command, members, asked):
        if command == "position":
            method, signature, arguments = commands.position(members)
            self.service.call(method, signature, arguments, self.ending(asked))
        elif command in CONTROLS:
            self.service.set(*commands.setting(command, members["value"]), self.ending(asked))
        elif command == "stop":
            self.generation += 1
            for number in list(self.requests):
                self.service.call("Stop", "u", (number,))
            self.result(asked, "done", "", None)
        else:
            self.request(command, members, asked)

    def request(self, command, members, asked):
        if len(self.requests) + self.opening >= self.configuration.requests:
            raise commands.CommandError(f"{self.configuration.requests} requests have not ended")
        if command == "vibrate":
            pattern = members.get("pattern", "")
            arguments = ("" if pattern == "standard" else pattern, commands.options(members, "strength", "times"))
            return self.begin("Vibrate", "sa{sv}", arguments, asked)
        names = {
            "announce": ("volume", "priority", "expiry"), "play": ("category", "as"), "alert": ("limit", "kind", "way")}[command]
        chosen = commands.options(members, *names)
        if self.configuration.obeys:
            commands.have_obey(command, chosen)
        kind, value = commands.source(members)
        if kind == "sound":
            return self.sound(command, ("u" if isinstance(value, int) else "s", value), chosen, asked)
        self.opening += 1
        generation = self.generation

        def opened(descriptor, error):
            self.opening -= 1
            if error is not None:
                return self.refuse(asked, error)
            try:
                if generation != self.generation:
                    self.result(asked, "stopped", "caller", None)
                elif self.is_there:
                    self.sound(command, ("h", descriptor), chosen, asked)
                else:
                    self.refuse(asked, "the service is not there")
            finally:
                os.close(descriptor)

        self.sounds.open(kind, value, opened)

    def sound(self, command, sound, chosen, asked):
        if command == "announce":
            return self.begin("Announce", "ava{sv}", ([sound], chosen), asked)
        self.begin(command.capitalize(), "va{sv}", (sound, chosen), asked)

    def begin(self, method, signature, arguments, asked):
        """Begins a request of the service's. Its number comes before its end."""
        self.opening += 1
        generation = self.generation

        def begun(body, error):
            self.opening -= 1
            if error is None:
                self.requests[body[0]] = asked
                if generation != self.generation:
                    self.service.call("Stop", "u", (body[0],))
            else:
                self.refuse(asked, error)

        self.service.call(method, signature, arguments, begun)

    def ending(self, asked):
        """What takes the reply to a change."""
        return lambda body, error: self.result(asked, "done", "", None) if error is None else self.refuse(asked, error)

    # MARK: - Outcomes

    def result(self, asked, outcome, reason, detail):
        contents = {**asked, "outcome": outcome, "reason": reason, **({"message": detail} if detail else {})}
        self.broker.publish(f"{self.base}/result", json.dumps(contents))

    def refuse(self, asked, why):
        self.result(asked, "refused", "", why[:256])
