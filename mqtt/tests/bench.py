"""What the tests share: a bus with the service's simulated board, mosquitto, and the bridge between them."""
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import wave

import jeepney
import paho.mqtt.client as mqtt
from jeepney.io.blocking import open_dbus_connection

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.path.dirname(HERE), "ringer-mqtt")
RINGERD = os.environ.get("RINGERD", "ringerd")
PATIENCE = 30
"""How long anything may take, in seconds: no test measures time."""
sys.path.insert(0, os.path.dirname(HERE))


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {what() if callable(what) else what}")
        time.sleep(0.01)
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def paho(name):
    arguments = {"client_id": name, "protocol": mqtt.MQTTv5}
    if hasattr(mqtt, "CallbackAPIVersion"):
        arguments["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION1
    return mqtt.Client(**arguments)


class Peer:
    """Another client of the broker: keeps what is published, and publishes."""

    def __init__(self, port, tls=None, user=None):
        self.lock, self.retained, self.messages = threading.Lock(), {}, []
        self.client = paho(f"peer-{port}-{id(self)}")
        if tls:
            self.client.tls_set(tls, tls_version=ssl.PROTOCOL_TLS_CLIENT)
        if user:
            self.client.username_pw_set(*user)
        self.client.on_socket_open = lambda _client, _context, sock: sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client.on_connect = lambda *_: self.client.subscribe("#", 1)
        self.client.on_message = self.take
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def take(self, _client, _context, message):
        with self.lock:
            self.messages.append((message.topic, message.payload))
            self.retained[message.topic] = message.payload

    def state(self, **members):
        """Waits until the device's state has these members, and returns it."""
        def has():
            found = json.loads(self.retained.get("ringer/test/state", b"{}"))
            return found if found.items() >= members.items() and found else None
        return wait_until(has, lambda: f"{members} of {self.retained.get('ringer/test/state')}")

    def availability(self, value):
        wait_until(lambda: self.retained.get("ringer/test/availability") == value.encode(), value)

    def results(self):
        with self.lock:
            return [json.loads(payload) for topic, payload in self.messages if topic == "ringer/test/result"]

    def publish(self, command, payload, retain=False):
        text = json.dumps(payload) if isinstance(payload, dict) else payload
        self.client.publish(f"ringer/test/{command}", text, qos=1, retain=retain)

    def ask(self, command, payload):
        """Publishes, and returns the next result."""
        before = len(self.results())
        self.publish(command, payload)
        return wait_until(lambda: self.results()[before:], f"a result of {command} {payload!r:.80}")[0]

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


class Bench(unittest.TestCase):
    """Each test has a service, a broker and a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringer-mqtt.")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.bus = self.begin(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"], stdout=subprocess.PIPE)
        self.address = self.bus.stdout.readline().decode().strip()
        self.addCleanup(self.bus.stdout.close)
        self.start_service()
        self.port = free_port()

    def begin(self, command, **options):
        process = subprocess.Popen(command, **{"stderr": subprocess.DEVNULL, **options})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_service(self):
        environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.address}
        self.service = self.begin(
            [RINGERD, "--session", "--board", "simulated", "--config", "/dev/null"], env=environment, stdout=subprocess.DEVNULL)

    def start_broker(self, *lines):
        path = f"{self.folder}/mosquitto.conf"
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in (
                f"listener {self.port} 127.0.0.1", "user root", "max_queued_messages 0", "set_tcp_nodelay true", *(lines or ["allow_anonymous true"]))))
        self.broker = self.begin(["mosquitto", "-c", path], stdout=subprocess.DEVNULL)
        wait_until(self.answers, "mosquitto listens")

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def peer(self, **options):
        peer = Peer(self.port, **options)
        self.addCleanup(peer.close)
        return peer

    def configure(self, *lines):
        path = f"{self.folder}/ringer-mqtt.conf"
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in ("broker = 127.0.0.1", f"port = {self.port}", "name = test", *lines)))
        return path

    def start(self, *lines):
        """The bridge, with these lines of configuration."""
        self.errors = open(f"{self.folder}/errors", "a+", encoding="utf-8")
        self.addCleanup(self.errors.close)
        self.bridge = self.begin(
            [PROGRAM, "--session", "--config", self.configure(*lines)], stderr=self.errors,
            env=os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.address, "PYTHONDONTWRITEBYTECODE": "1"})
        return self.bridge

    def said(self):
        """What the bridge has printed."""
        with open(f"{self.folder}/errors", encoding="utf-8") as file:
            return file.read()

    def running(self, *lines):
        """A peer of a bridge that runs."""
        self.start_broker()
        peer = self.peer()
        self.start(*lines)
        peer.availability("online")
        return peer

    def board(self, method, signature=None, body=()):
        """Calls a method of the simulated board, and returns the reply's body."""
        connection = open_dbus_connection(self.address)
        try:
            address = jeepney.DBusAddress("/org/ringer/Ringer1", "org.ringer.Ringer1", "org.ringer.SimulatedBoard1")
            reply = connection.send_and_get_reply(jeepney.new_method_call(address, method, signature, body), timeout=PATIENCE)
            assert reply.header.message_type == jeepney.MessageType.method_return, reply.body
            return reply.body
        finally:
            connection.close()

    def tone(self, path="tone.wav", seconds=0.2):
        """A sound file in the folder of sounds."""
        os.makedirs(f"{self.folder}/sounds", exist_ok=True)
        path = f"{self.folder}/sounds/{path}"
        with wave.open(path, "wb") as file:
            file.setparams((1, 2, 48000, 0, "NONE", ""))
            file.writeframes(b"\0\x40\0\xc0" * int(24000 * seconds))
        return path

    def stop(self, number=signal.SIGTERM):
        self.bridge.send_signal(number)
        return self.bridge.wait(PATIENCE)
