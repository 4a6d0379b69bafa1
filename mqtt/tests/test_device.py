"""The device on the broker: its state, what sets it, what it plays, and when it is there."""
import datetime
import http.server
import json
import os
import signal
import threading
import time

from bench import Bench, wait_until


class DeviceTests(Bench):
    def test_the_position_and_what_silences_until_when(self):
        peer = self.running("commands = position")
        peer.state(position="ring", switch="ring", silenced_by="nothing", silenced_until=None)
        self.board("SetSwitch", "s", ("vibrate",))
        peer.state(position="vibrate", switch="vibrate", kept="ring", silenced_by="switch", silenced_until=None)
        self.assertEqual(peer.ask("position", "silent")["outcome"], "done")
        peer.state(position="silent", kept="silent", silenced_by="software", silenced_until=None)
        self.assertEqual(peer.ask("position", "ring")["outcome"], "done")
        before = time.time()
        self.assertEqual(peer.ask("position", {"position": "silent", "for": 3600, "id": "a"}),
                         {"command": "position", "id": "a", "outcome": "done", "reason": ""})
        until = wait_until(lambda: peer.state()["silenced_until"], "an end")
        end = datetime.datetime.fromisoformat(until).timestamp()
        self.assertTrue(before + 3598 < end <= time.time() + 3600, until)
        self.assertEqual(peer.ask("position", {"position": "silent", "until": "2100-01-02T03:04:05Z"})["outcome"], "done")
        peer.state(silenced_until="2100-01-02T03:04:05+00:00", kept_until="2100-01-02T03:04:05+00:00")
        for wrong in ({"position": "loud"}, {"position": "silent", "until": "tomorrow"}, {"position": "silent", "for": 0},
                      {"position": "silent", "for": 1, "until": "2100-01-01T00:00:00Z"}, {"position": "toggle", "for": 5}):
            self.assertEqual(peer.ask("position", wrong)["outcome"], "refused", wrong)
        peer.state(silenced_until="2100-01-02T03:04:05+00:00")

    def test_what_may_be_set(self):
        peer = self.running("commands = do-not-disturb quiet-hours lock volume announcement-volume alarm-volume")
        for command, value, member, shown in (
                ("do-not-disturb", "ON", "do_not_disturb", "ON"), ("quiet-hours", "daily 00:00-00:00", "quiet_hours", "ON"),
                ("lock", "LOCK", "locked", "LOCKED"), ("volume", "40", "volume", 40), ("alarm-volume", "7", "alarm_volume", 7),
                ("announcement-volume", "25.0", "announcement_volume", 25), ("lock", "UNLOCK", "locked", "UNLOCKED")):
            self.assertEqual(peer.ask(command, value)["outcome"], "done", (command, value))
            peer.state(**{member: shown})
        peer.state(position="silent", silenced_by="quietHours", quiet_hours_spans="daily 00:00-00:00")
        for command, value in (("do-not-disturb", "on"), ("quiet-hours", "nightly"), ("lock", ""), ("volume", "101"),
                               ("volume", "nan"), ("volume", "-1"), ("alarm-volume", "{}")):
            self.assertEqual(peer.ask(command, value)["outcome"], "refused", (command, value))
        # What is not in the list is not even subscribed.
        before = len(peer.results())
        peer.publish("position", "silent")
        peer.publish("vibrate", "standard")
        self.assertEqual(peer.ask("volume", "50")["command"], "volume")
        self.assertEqual(len(peer.results()), before + 1)
        self.assertEqual(self.board("MotorTurns"), ([],))

    def test_keys_and_jacks(self):
        peer = self.running()
        self.board("SetJack", "sb", ("headphone", True))
        peer.state(headphone="ON", microphone="OFF", route="headphone")
        self.board("PressKey", "s", ("repeat",))
        wait_until(lambda: ("ringer/test/key", b'{"event_type": "repeat"}') in peer.messages, "the key")

    def test_announcements_of_files_and_text(self):
        speaks = f"{self.folder}/speak"
        with open(speaks, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat >{self.folder}/spoken\ncat {self.tone()}\n")
        os.chmod(speaks, 0o755)
        peer = self.running(f"sounds = {self.folder}/sounds", f"speech = {speaks}")
        self.assertEqual(peer.ask("announce", "dinner; $(touch x) is ready")["outcome"], "finished")
        with open(f"{self.folder}/spoken", encoding="utf-8") as file:
            self.assertEqual(file.read(), "dinner; $(touch x) is ready")
        self.assertEqual(peer.ask("announce", {"file": "tone.wav", "volume": 0.5, "priority": 3, "id": "b"}),
                         {"command": "announce", "id": "b", "outcome": "finished", "reason": ""})
        self.assertEqual([round(sound["gain"][1], 2) for sound in self.board("Recordings")[0]], [1, 0.5])
        self.assertEqual(peer.ask("play", {"file": "tone.wav"})["outcome"], "finished")
        self.assertEqual(peer.ask("vibrate", "50,50")["outcome"], "finished")
        # At silent nothing of it is heard: whoever may publish is not to wake anybody.
        self.board("SetSwitch", "s", ("silent",))
        for command, asked in (("announce", {"file": "tone.wav"}), ("play", {"file": "tone.wav", "category": "playback"})):
            result = peer.ask(command, asked)
            self.assertEqual((result["outcome"], result["reason"]), ("silenced", "ringSilentSwitch"), result)
        for asked in ({"sound": 1005, "as": "alarm"}, ):
            self.assertEqual(peer.ask("play", asked)["outcome"], "refused")
        self.assertEqual(peer.ask("alert", {"sound": 1005, "kind": "alarm"})["outcome"], "refused")

    def test_a_speech_command_that_fails_hangs_or_floods(self):
        for body, reason in (("exit 3", "ended with 3"), ("sleep 100 & sleep 100", "ended with -9"), ("yes", "ended with -9")):
            with self.subTest(body):
                self.setUp()
                speaks = f"{self.folder}/speak"
                with open(speaks, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{body}\n")
                os.chmod(speaks, 0o755)
                peer = self.running(f"speech = {speaks}")
                result = peer.ask("announce", "hello")
                self.assertEqual(result["outcome"], "refused")
                self.assertIn(reason, result["message"])

    def test_an_alert_is_stopped(self):
        peer = self.running()
        before = len(peer.results())
        peer.publish("alert", {"sound": 1005, "limit": 0, "id": "door"})
        wait_until(lambda: self.board("MotorTurns")[0], "the alert is felt")
        peer.publish("stop", "all")
        wait_until(lambda: len(peer.results()) == before + 2, "both end")
        outcome, = [result for result in peer.results() if result.get("id") == "door"]
        self.assertEqual((outcome["outcome"], outcome["reason"]), ("stopped", "caller"))

    def test_what_is_being_spoken_when_all_is_stopped_is_not_heard(self):
        speaks = f"{self.folder}/speak"
        os.mkfifo(f"{self.folder}/go")
        with open(speaks, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat {self.folder}/go\ncat {self.tone()}\n")
        os.chmod(speaks, 0o755)
        peer = self.running(f"speech = {speaks}")
        peer.publish("announce", {"text": "late", "id": "late"})
        with open(f"{self.folder}/go", "wb"):
            self.assertEqual(peer.ask("stop", "all")["outcome"], "done")
        last = wait_until(lambda: [result for result in peer.results() if result.get("id") == "late"], "it has ended")[0]
        self.assertEqual((last["outcome"], last["reason"]), ("stopped", "caller"))
        self.assertEqual(self.board("Recordings"), ([],))

    def test_requests_of_a_service_that_went_have_failed(self):
        peer = self.running()
        peer.publish("alert", {"sound": 1005, "limit": 0, "id": "door"})
        wait_until(lambda: self.board("MotorTurns")[0], "the alert is felt")
        self.service.kill()
        last = wait_until(lambda: [result for result in peer.results() if result.get("id") == "door"], "it has ended")[0]
        self.assertEqual(last["outcome"], "failed")

    def test_addresses_of_the_list_alone(self):
        with open(self.tone(), "rb") as file:
            sound = file.read()

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/sounds/away"):
                    self.send_response(302)
                    self.send_header("Location", "/secret/tone.wav")
                    self.end_headers()
                    return
                asked.append(self.path)
                if "broken" in self.path:
                    self.wfile.write(b"neither\r\n")
                    return
                self.send_response(200)
                self.end_headers()
                try:
                    self.wfile.write(sound if "endless" not in self.path else bytes(4 << 20))
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        asked, server = [], http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}"
        peer = self.running(f"addresses = {host}/sounds/", "largest-sound = 1000000")
        self.assertEqual(peer.ask("announce", {"address": f"{host}/sounds/tone.wav"})["outcome"], "finished")
        for wrong in (f"{host}/secret/tone.wav", f"{host}/sounds/../secret/tone.wav", f"{host}/sounds/%2e%2e/secret/tone.wav",
                      f"{host}/sounds/away", f"{host}@evil.example/sounds/", f"{host}/sounds/\x7f", "file:///etc/passwd", f"{host}/sounds/ x",
                      f"{host}/sounds/endless", f"{host}/sounds/broken", "", "ftp://127.0.0.1/sounds/", f"http://user@127.0.0.1:{server.server_port}/sounds/"):
            self.assertEqual(peer.ask("announce", {"address": wrong})["outcome"], "refused", wrong)
        # The thread that fetches has outlived all of it.
        self.assertEqual(peer.ask("announce", {"address": f"{host}/sounds/tone.wav"})["outcome"], "finished")
        self.assertEqual(asked, ["/sounds/tone.wav", "/sounds/endless", "/sounds/broken", "/sounds/tone.wav"])

    def test_files_below_the_folder_alone(self):
        with open(self.tone(), "rb") as file:
            sound = file.read()
        with open(f"{self.folder}/secret.wav", "wb") as file:
            file.write(sound)
        os.symlink(f"{self.folder}/secret.wav", f"{self.folder}/sounds/link.wav")
        os.mkfifo(f"{self.folder}/sounds/pipe.wav")
        os.mkdir(f"{self.folder}/sounds-of-another")
        peer = self.running(f"sounds = {self.folder}/sounds")
        for wrong in ("../secret.wav", f"{self.folder}/secret.wav", "link.wav", "pipe.wav", ".", "missing.wav", "/dev/zero",
                      "../sounds-of-another/x", "a\u0000b", "x" * 3000, "/../secret.wav"):
            result = peer.ask("announce", {"file": wrong})
            self.assertEqual(result["outcome"], "refused", wrong)
        self.assertEqual(self.board("Recordings"), ([],))
        self.assertEqual(peer.ask("announce", {"file": "tone.wav"})["outcome"], "finished")

    def test_whether_it_is_there(self):
        peer = self.running("keep-alive = 5")
        # Killed: the broker publishes the will.
        self.stop(signal.SIGKILL)
        peer.availability("offline")
        self.start()
        peer.availability("online")
        # Without the service there is no device; when that returns, it has the present state.
        self.service.kill()
        peer.availability("offline")
        self.assertEqual(peer.ask("vibrate", "")["message"], "the service is not there")
        self.start_service()
        peer.availability("online")
        self.board("SetSwitch", "s", ("silent",))
        peer.state(position="silent")
        # A broker that was started anew has nothing: all is published once more.
        self.broker.terminate()
        self.broker.wait()
        peer.retained.clear()
        self.start_broker()
        peer.state(position="silent")
        peer.availability("online")
        wait_until(lambda: any(topic.startswith("homeassistant/") for topic in peer.retained), "discovery")
        self.assertEqual(self.stop(), 0)
        peer.availability("offline")
        self.assertIn("broker 127.0.0.1", self.said())

    def test_what_a_broker_has_not_acknowledged_does_not_come_after_the_newest_state(self):
        self.running("commands = vibrate")

        def waits():
            """Whether the broker has not read everything yet."""
            with open("/proc/net/tcp", encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
            return any(row[1].endswith(f":{self.port:04X}") and row[3] == "01" and int(row[4][9:], 16) for row in rows)

        self.broker.send_signal(signal.SIGSTOP)
        self.board("PressKey", "s", ("repeat",))
        wait_until(waits, "the key is on its way")
        self.bridge.send_signal(signal.SIGSTOP)
        self.broker.kill()
        self.broker.wait()
        self.start_broker()
        peer = self.peer()
        peer.publish("ready", "yes", retain=True)
        wait_until(lambda: "ringer/test/ready" in peer.retained, "the peer listens")
        self.bridge.send_signal(signal.SIGCONT)
        peer.availability("online")
        self.assertEqual(peer.ask("vibrate", "50,50")["outcome"], "finished")
        self.assertNotIn("ringer/test/key", dict(peer.messages))


class DiscoveryTests(Bench):
    COMMON = {"name", "unique_id", "availability_topic", "device", "origin", "entity_category", "device_class"}
    READ = {"state_topic", "value_template"}
    # What Home Assistant documents: what each component needs, and what it may have besides.
    FIELDS = {
        "select": ({"command_topic", "options"}, READ), "sensor": ({"state_topic"}, READ | {"options", "unit_of_measurement"}),
        "binary_sensor": ({"state_topic"}, READ | {"payload_on", "payload_off"}),
        "text": ({"command_topic"}, READ | {"min", "max", "pattern", "mode"}),
        "switch": ({"command_topic"}, READ | {"payload_on", "payload_off"}),
        "lock": ({"command_topic"}, READ | {"payload_lock", "payload_unlock", "state_locked", "state_unlocked"}),
        "number": ({"command_topic"}, READ | {"min", "max", "step", "unit_of_measurement"}),
        "event": ({"state_topic", "event_types"}, READ), "notify": ({"command_topic"}, set()),
        "button": ({"command_topic"}, {"payload_press"})}

    def test_each_entity_has_the_fields_that_home_assistant_documents(self):
        everything = ("commands = announce play alert vibrate stop position do-not-disturb quiet-hours lock volume "
                      "announcement-volume media-volume alert-volume alarm-volume call-volume")
        peer = self.running(everything, "speech = /bin/cat", "title = Hall")
        state = peer.state()
        configurations = {topic: json.loads(text) for topic, text in peer.retained.items() if text and topic.endswith("/config")}
        self.assertEqual(len({entity["unique_id"] for entity in configurations.values()}), len(configurations))
        components = set()
        for topic, entity in configurations.items():
            prefix, component, node, name, _ = topic.split("/")
            self.assertEqual((prefix, node), ("homeassistant", "ringer_test"))
            components.add(component)
            needed, allowed = self.FIELDS[component]
            self.assertLessEqual(needed, entity.keys(), topic)
            self.assertLessEqual(entity.keys(), needed | allowed | self.COMMON, topic)
            self.assertEqual(entity["availability_topic"], "ringer/test/availability")
            self.assertEqual(entity["device"]["identifiers"], ["ringer_test"])
            self.assertEqual(entity["device"]["name"], "Hall")
            template = entity.get("value_template", "")
            if template:
                field = template.removeprefix("{{ value_json.").removesuffix(" }}")
                self.assertIn(field, state, topic)
                # What Home Assistant takes as a state.
                if state[field] is not None and "options" in entity:
                    self.assertIn(state[field], entity["options"], topic)
                if component in ("binary_sensor", "switch"):
                    self.assertIn(state[field], (entity["payload_on"], entity["payload_off"]), topic)
        self.assertEqual(components, set(self.FIELDS))

    def test_what_may_not_be_set_is_a_sensor(self):
        peer = self.running("discovery-prefix = ha/x", "commands =")
        peer.state()
        offered = {topic for topic, text in peer.retained.items() if topic.endswith("/config") and text}
        components = {topic.split("/")[2] for topic in offered}
        # What an earlier configuration offered is taken back.
        self.assertEqual(peer.retained.get("ha/x/number/ringer_test/volume/config"), b"")
        self.assertEqual(components, {"sensor", "binary_sensor", "event"})
        self.assertTrue(all(topic.startswith(("ha/x/", "ringer/test/")) for topic in peer.retained), set(peer.retained))


