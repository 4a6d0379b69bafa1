"""TLS, credentials, what the broker refuses, files that are wrong, and what is used at rest."""
import json
import os
import subprocess
import time

from bench import HERE, Bench, wait_until
from test_slow import RECORD, SlowServer


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
