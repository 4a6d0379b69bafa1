"""Whoever may publish, serves sounds or is on the bus, and the broker: what they send, or do not, does no harm."""
import json
import os
import random
import resource
import socket
import subprocess
import threading
import time
import unittest
import unittest.mock

import jeepney
from jeepney.io.blocking import open_dbus_connection

from bench import HERE, Bench, wait_until
from ringer_mqtt import sounds
from ringer_mqtt.configuration import Configuration

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


class SlowServer:
    """Accepts connections and sends each the beginning at once, then a byte now and then, for as long as the peer is there."""

    def __init__(self, test, beginning, byte=b"x", port=0):
        self.beginning, self.byte = beginning, byte
        self.accepted, self.ended = threading.Semaphore(0), threading.Semaphore(0)
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.close)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()
        except OSError:
            pass

    def serve(self, peer):
        self.accepted.release()
        try:
            peer.sendall(self.beginning)
            peer.settimeout(0.05)
            while True:
                try:
                    if not peer.recv(65536):
                        break
                except TimeoutError:
                    peer.sendall(self.byte)
        except OSError:
            pass
        finally:
            peer.close()
            self.ended.release()

    def close(self):
        # Closing alone does not end an accept() of another thread.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


# The header of a record of TLS's handshake, which is then never complete.
RECORD = b"\x16\x03\x03\x40\x00"


class SlowServerTests(Bench):
    def test_a_server_that_sends_its_headers_byte_by_byte_does_not_hold_up_other_sounds(self):
        self.tone()
        server = SlowServer(self, b"HTTP/1.1 200 OK\r\nX-Header: ")
        peer = self.running(f"addresses = http://127.0.0.1:{server.port}/", f"sounds = {self.folder}/sounds")
        peer.publish("announce", {"address": f"http://127.0.0.1:{server.port}/tone.wav", "id": "slow"})
        peer.publish("announce", {"file": "tone.wav", "id": "next"})
        wait_until(lambda: len(peer.results()) == 2, lambda: f"both have ended: {peer.results()}")
        slow, following = peer.results()
        self.assertEqual((slow["id"], slow["outcome"], following["id"], following["outcome"]), ("slow", "refused", "next", "finished"))
        self.assertIn("was not there within 10 s", slow["message"])
        self.assertTrue(server.ended.acquire(timeout=30), "the connection is closed")


class DeadlineTests(unittest.TestCase):
    def test_a_sound_is_there_in_time_whatever_the_server_sends_slowly(self):
        for scheme, beginning in (
                ("http", b""), ("http", b"HTTP/1.1 200 OK\r\n"), ("http", b"HTTP/1.1 200 OK\r\n\r\nRIFF"),
                ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\nRIFF"),
                ("http", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), ("https", RECORD)):
            with self.subTest(beginning), unittest.mock.patch.object(sounds, "PATIENCE", 0.5):
                server = SlowServer(self, beginning)
                address = f"{scheme}://127.0.0.1:{server.port}/"
                opened = sounds.Sounds(None, Configuration(addresses=(address,)))
                with self.assertRaisesRegex(sounds.SoundError, "was not there within 0.5 s"):
                    opened.address(address)
                self.assertTrue(server.ended.acquire(timeout=30), "the connection is closed")

    def test_a_redirection_does_not_begin_the_time_anew(self):
        slow = SlowServer(self, b"HTTP/1.1 200 OK\r\nX-Header: ")
        first = SlowServer(self, b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:%d/\r\n\r\n" % slow.port)
        addresses = tuple(f"http://127.0.0.1:{server.port}/" for server in (first, slow))
        with unittest.mock.patch.object(sounds, "PATIENCE", 0.5):
            with self.assertRaisesRegex(sounds.SoundError, "was not there within 0.5 s"):
                sounds.Sounds(None, Configuration(addresses=addresses)).address(addresses[0])
        self.assertTrue(slow.ended.acquire(timeout=30), "the connection is closed")


class SecurityTests(Bench):
    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def certificate(self, name, host):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                     "-keyout", f"{name}.key", "-out", f"{name}.crt", "-addext", f"subjectAltName={host}")

    def test_tls_and_credentials(self):
        self.certificate("right", "IP:127.0.0.1")
        self.certificate("another", "DNS:another.example")
        subprocess.run(["mosquitto_passwd", "-c", "-b", f"{self.folder}/users", "hall", "secret"], check=True, capture_output=True)
        subprocess.run(["mosquitto_passwd", "-b", f"{self.folder}/users", "peer", "other"], check=True, capture_output=True)
        with open(f"{self.folder}/password", "w", encoding="utf-8") as file:
            file.write("secret\n")
        with open(f"{self.folder}/wrong", "w", encoding="utf-8") as file:
            file.write("Secret\n")
        self.start_broker(
            f"certfile {self.folder}/right.crt", f"keyfile {self.folder}/right.key", "allow_anonymous false",
            f"password_file {self.folder}/users")
        peer = self.peer(tls=f"{self.folder}/right.crt", user=("peer", "other"))
        for lines, reason in (
                ((f"authorities = {self.folder}/another.crt", "user = hall", f"password-file = {self.folder}/password"),
                 "certificate verify failed"),
                ((f"authorities = {self.folder}/right.crt", "user = hall", f"password-file = {self.folder}/wrong"), "refuses"),
                ((f"authorities = {self.folder}/right.crt",), "refuses"),
                (("user = hall", f"password-file = {self.folder}/password", "keep-alive = 5"), "it does not answer as a broker")):
            self.start(*lines)
            wait_until(lambda: reason in self.said(), lambda: f"{reason}: {self.said()}")
            self.assertNotIn("ecret", self.said())
            self.stop()
            os.truncate(f"{self.folder}/errors", 0)
        self.assertNotIn("ringer/test/availability", peer.retained)
        self.start(f"authorities = {self.folder}/right.crt", "user = hall", f"password-file = {self.folder}/password")
        peer.availability("online")
        self.stop()
        # The right authority, for another host.
        self.broker.terminate()
        self.broker.wait()
        self.start_broker(
            f"certfile {self.folder}/another.crt", f"keyfile {self.folder}/another.key", "allow_anonymous true")
        self.start(f"authorities = {self.folder}/another.crt")
        wait_until(lambda: "IP address mismatch" in self.said(), lambda: self.said())

    def test_a_handshake_that_does_not_end_holds_up_neither_its_end_nor_the_next_broker(self):
        self.certificate("right", "IP:127.0.0.1")
        for beginning, byte in ((b"", b""), (RECORD, b"x")):
            with self.subTest(beginning):
                server = SlowServer(self, beginning, byte, self.port)
                self.start(f"authorities = {self.folder}/right.crt")
                wait_until(lambda: "cannot connect: TLS's handshake timed out" in self.said(), self.said)
                self.assertTrue(server.ended.acquire(timeout=30), "the connection is closed")
                server.close()
                self.start_broker(
                    f"certfile {self.folder}/right.crt", f"keyfile {self.folder}/right.key", "allow_anonymous true")
                peer = self.peer(tls=f"{self.folder}/right.crt")
                peer.availability("online")
                self.assertEqual(self.stop(), 0)
                peer.close()
                self.broker.terminate()
                self.broker.wait()
                os.truncate(f"{self.folder}/errors", 0)

    def test_subscriptions_that_the_broker_refuses_are_named(self):
        subscribe = [{"acltype": "subscribePattern", "topic": topic, "allow": allow} for topic, allow in (
            ("ringer/test/position", False), ("ringer/test/#", True), ("#", True))]
        access = ("publishClientSend", "publishClientReceive", "subscribe", "unsubscribe")
        rules = {"defaultACLAccess": {name: name != "subscribe" for name in access}, "anonymousGroup": "all",
                 "roles": [{"rolename": "all", "acls": subscribe}], "groups": [{"groupname": "all", "roles": [{"rolename": "all"}]}]}
        with open(f"{self.folder}/rules.json", "w", encoding="utf-8") as file:
            json.dump(rules, file)
        library = subprocess.check_output(["dpkg", "--listfiles", "mosquitto"], text=True)
        self.start_broker(
            "allow_anonymous true", "plugin " + next(line for line in library.split() if line.endswith("/mosquitto_dynamic_security.so")),
            f"plugin_opt_config_file {self.folder}/rules.json")
        peer = self.peer()
        self.start("commands = vibrate position")
        wait_until(lambda: "it refuses the subscription of ringer/test/position: " in self.said(), self.said)
        # The others are obeyed.
        self.assertEqual(peer.ask("vibrate", "50,50")["outcome"], "finished")
        self.assertNotIn("ringer/test/vibrate", self.said())
        peer.publish("position", "silent")
        self.assertEqual(peer.ask("vibrate", "50,50")["command"], "vibrate")
        peer.state(kept="ring")

    def test_wrong_files_are_named_with_their_line(self):
        for lines, reason in (
                (["requests = 0"], "line 4: requests: a whole number from 1 to 16"), (["colour = red"], "line 4: there is no key colour"),
                (["name = again"], "line 4: name is there twice"), (["rate = 5"], "line 4: rate: MESSAGES/SECONDS"), (["x"], "line 4: KEY"),
                (["# comment", "commands = position reboot"], "line 5: commands: reboot is none of"),
                (["topic = a/#"], "line 4: topic:"), (["topic = a/"], "line 4: topic:"), (["topic = $SYS/x"], "line 4: topic:"),
                (["sounds = sounds"], "an absolute path"), (["speech = espeak-ng"], "an absolute path"), (["speech = '"], "line 4: speech:"),
                (["addresses = http://radio"], "is no beginning of an address"), (["obey = perhaps"], "line 4: obey: yes or no"),
                (["addresses = https://user@radio/"], "is no beginning"), (["certificate = /c"], "certificate and key need each other"),
                (["certificate = /c", "key = /k"], "certificate needs authorities"), (["password-file = /p"], "password-file needs user"),
                (["user = hall", "password-file = /missing"], "/missing"), (["authorities = /missing"], "/missing"),
                (["keep-alive = 4"], "from 5 to 3600"), (["largest-sound = 60000000"], "from 1024 to 25165824")):
            with self.subTest(lines):
                program = self.start(*lines)
                status = program.wait(30)
                said = self.said()
                os.truncate(f"{self.folder}/errors", 0)
                self.assertIn(status, (1, 78), said)
                self.assertIn(reason, said)
                self.assertEqual(said.count("\n"), 1, said)

    def test_files_that_do_not_fit_are_found_by_a_check(self):
        self.certificate("right", "IP:127.0.0.1")
        self.certificate("another", "DNS:another.example")
        tls = f"authorities = {self.folder}/right.crt"
        for lines, status, reason in (
                ([tls, f"certificate = {self.folder}/right.crt", f"key = {self.folder}/another.key"], 78, "right.crt: "),
                ([f"authorities = {self.folder}/right.key"], 78, "right.key: "), (["speech = /missing/speaks"], 78, "/missing/speaks: "),
                ([f"sounds = {self.folder}/none"], 78, "/none: "), ([tls, "user = x", "password-file = /missing"], 78, "/missing: "),
                ([tls, f"certificate = {self.folder}/right.crt", f"key = {self.folder}/right.key"], 0, "")):
            checked = subprocess.run(
                [f"{HERE}/../ringer-mqtt", "--config", self.configure(*lines), "--check"], capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, reason in checked.stderr), (status, True), checked.stderr)

    def test_a_password_does_not_leave_without_tls(self):
        path = self.configure("user = hall")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("127.0.0.1", "192.0.2.1")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        checked = subprocess.run([f"{HERE}/../ringer-mqtt", "--config", path, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, "are not sent without TLS" in checked.stderr), (78, True), checked.stderr)

    def test_at_rest_it_sleeps(self):
        self.running("keep-alive = 3600")

        def wakes():
            with open(f"/proc/{self.bridge.pid}/status", encoding="utf-8") as file:
                return int(file.read().split("voluntary_ctxt_switches:")[1].split()[0])

        wait_until(lambda: (before := wakes(), time.sleep(0.5), wakes() == before)[2], "it sleeps for half a second")

    def test_the_unit_exposes_little(self):
        exposure = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", "--threshold=15", "--no-pager", f"{HERE}/../../packaging/ringer-mqtt.service"],
            capture_output=True, text=True, check=False)
        self.assertEqual(exposure.returncode, 0, exposure.stdout[-300:] + exposure.stderr)
