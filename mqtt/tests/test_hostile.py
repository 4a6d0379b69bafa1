"""What others may do to the bridge: publishers on the broker, and a stranger on the bus."""
import json
import os
import random
import resource
import time

import jeepney
from jeepney.io.blocking import open_dbus_connection

from bench import Bench, wait_until

EVERYTHING = ("commands = announce play alert vibrate stop position do-not-disturb quiet-hours lock volume announcement-volume "
              "media-volume alert-volume alarm-volume call-volume")


class HostileTests(Bench):
    def resident(self):
        """The bridge's resident memory in KiB."""
        with open(f"/proc/{self.bridge.pid}/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.bridge.pid}/fd"))

    def test_what_cannot_be_understood_does_nothing(self):
        self.tone()
        peer = self.running(EVERYTHING, "rate = 9999/1", f"sounds = {self.folder}/sounds")
        state = peer.state()
        objects = [
            {"sound": True}, {"sound": -1}, {"sound": 1 << 40}, {"sound": []}, {"file": 1}, {"file": "a", "text": "b"}, {"x" * 300: 1},
            {"file": "tone.wav", "volume": "loud"}, {"file": "tone.wav", "volume": 7}, {"file": "tone.wav", "expiry": -1},
            {"file": "tone.wav", "id": "x" * 65}, {"file": "tone.wav", "id": 5}, {"pattern": "400", "times": -1},
            {"pattern": "400", "strength": 9.0}, {"position": "silent", "until": "2100-01-01"}, {"position": []},
            {"pattern": "\0"}, {"sound": "\0"}, {"sound": "\ud800"}, {"position": "\udfff"}, {"text": "\ud800"}, {"pattern": "\x7f"},
            {"sound": "a", "category": "\0"}, {"sound": 1005, "way": "\ud800"}, {"id": "\ud800", "pattern": "x"},
            {"position": "silent", "for": 1e300}, {"position": "silent", "until": "0001-01-01T00:00:00Z"}]
        payloads = [json.dumps(contents) for contents in objects] + [
            b"", b"\0", b"\xff\xfe", b"{" * 2000, b"[" * 4000, b'{"a":' * 600, b'{"volume":NaN}', b'{"file":"a","file":"tone.wav"}',
            b'{"position":"silent"', b"silent\x1b[2J", b"%s%n" * 50, "\u202ering".encode(), b"9" * 4000, b'{"volume":' + b"9" * 400 + b',"file":"tone.wav"}', b"1e999", b"-0", b"x" * 4096]
        commands = ("play", "announce", "alert", "position", "volume", "do-not-disturb", "quiet-hours", "lock", "alarm-volume")
        for command in commands:
            for payload in payloads:
                # The number 0 and the empty schedule are right; so is an empty text, the standard vibration.
                if (command, payload) in (("volume", b"-0"), ("alarm-volume", b"-0"), ("quiet-hours", b"")):
                    continue
                result = peer.ask(command, payload)
                self.assertIn(result["outcome"], ("refused", "failed"), (command, payload, result))
        noise = random.Random(43)
        whole = b'{"position":"vibrate","for":60.5,"id":"noise"}'
        for _ in range(500):
            damaged = bytearray(whole)
            for _ in range(noise.randrange(1, 6)):
                damaged[noise.randrange(len(damaged))] = noise.choice(b"\0\xff{}[]\",:e9-\\")
            peer.publish("alert", bytes(damaged))
        self.assertEqual(self.board("Recordings"), ([],))
        self.assertIsNone(self.bridge.poll(), self.said())
        self.assertEqual({key: value for key, value in peer.state().items()}, state)

        def last():
            """Whether a vibration has ended; what ends while the broker takes no more is not published."""
            peer.publish("vibrate", {"pattern": "50,50", "id": "last"})
            time.sleep(0.2)
            return [result for result in peer.results() if result.get("id") == "last" and result["outcome"] == "finished"]

        wait_until(last, "a vibration has ended")
        self.assertNotIn("Traceback", self.said())

    def test_a_flood_and_messages_that_are_too_large(self):
        peer = self.running(EVERYTHING, "rate = 20/3600", "largest-message = 1000")
        before, descriptors = self.resident(), self.descriptors()
        # Beyond what the broker may send, which drops it; and beyond what is read.
        for size in (1001, 1500, 100_000, 8 << 20):
            peer.publish("announce", b"x" * size)
        for number in range(3000):
            peer.publish("vibrate", json.dumps({"pattern": "10,10", "id": str(number)}))
        # The rate is not the publisher's: none of the last ones was obeyed.
        wait_until(lambda: "more than 20 messages in 3600 s" in self.said(), "it says so")
        wait_until(lambda: len(peer.results()) >= 18, "those that were obeyed have ended")
        peer.publish("../position", "silent")
        results = peer.results()
        self.assertLessEqual(len(results), 20)
        self.assertEqual(self.said().count("\n"), 1)
        self.assertLess(self.resident() - before, 20_000)
        self.assertEqual(self.descriptors(), descriptors)
        self.assertIsNone(self.bridge.poll())

    def test_so_many_requests_at_once(self):
        self.tone(seconds=20)
        peer = self.running(EVERYTHING, "requests = 3", f"sounds = {self.folder}/sounds")
        # One is heard after another: none ends before the last has come.
        for _ in range(5):
            peer.publish("announce", {"file": "tone.wav"})
        wait_until(lambda: [result["outcome"] for result in peer.results()].count("refused") >= 2, "two are refused")
        peer.publish("stop", "all")
        wait_until(lambda: any(result["command"] == "stop" for result in peer.results()), "they are stopped")
        self.assertIn("3 requests have not ended", str(peer.results()))

    def test_what_is_retained_is_not_done_again(self):
        self.start_broker()
        peer = self.peer()
        peer.publish("position", "silent", retain=True)
        wait_until(lambda: "ringer/test/position" in peer.retained, "the broker has it")
        self.start("commands = position")
        peer.availability("online")
        result = wait_until(peer.results, "a result")[0]
        self.assertEqual((result["outcome"], result["message"]), ("refused", "it is retained"))
        peer.state(kept="ring")

    def test_a_stranger_on_the_bus_is_not_the_service(self):
        peer = self.running()
        connection = open_dbus_connection(self.address)
        self.addCleanup(connection.close)
        dbus = jeepney.DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        names = connection.send_and_get_reply(jeepney.new_method_call(dbus, "ListNames")).body[0]
        for name in (name for name in names if name.startswith(":") and name != connection.unique_name):
            for interface, member, signature, body in (
                    ("org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                     ("org.ringer.Ringer1", {"EffectivePosition": ("s", "silent")}, [])),
                    ("org.freedesktop.DBus", "NameOwnerChanged", "sss", ("org.ringer.Ringer1", name, "")),
                    ("org.ringer.Ringer1", "Key", "sbt", ("repeat", True, 1))):
                signal = jeepney.new_signal(
                    jeepney.DBusAddress("/org/ringer/Ringer1", interface=interface), member, signature, body)
                signal.header.fields[jeepney.HeaderFields.destination] = name
                connection.send(signal)
        self.board("SetJack", "sb", ("headphone", True))
        self.assertEqual(peer.state(headphone="ON")["position"], "ring")
        self.assertNotIn("ringer/test/key", dict(peer.messages))
