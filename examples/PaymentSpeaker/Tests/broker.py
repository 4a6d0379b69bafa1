"""A mosquitto of the test's own, and a publisher that is independent of the speaker: paho-mqtt."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from witness import packets


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what, seconds=60):
    """Waits until `condition` holds; the limit only keeps a broken test from running for ever."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"it did not happen in {seconds} s: {what}")
        time.sleep(0.01)


def now(offset=0):
    instant = time.time() + offset
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(instant)) + f".{int(instant * 1e6) % 1000000:06}Z"


def notice(transaction, amount="12.50", **more):
    return {"transaction": transaction, "amount": amount, "currency": "CNY", "time": now(), **more}


# What is to be killed at the end of a scenario, also of one that failed.
processes = []
# Stops brokers, publishers and speakers, the newest first.
opened = contextlib.ExitStack()


class Broker:
    def __init__(self, directory, lines=()):
        self.directory = directory
        self.port = free_port()
        self.configuration = os.path.join(directory, "mosquitto.conf")
        with open(self.configuration, "w") as file:
            file.write(
                f"listener {self.port} 127.0.0.1\npersistence true\npersistence_location {directory}/\n"
                "autosave_interval 1\nmax_queued_messages 0\nmax_inflight_messages 1000\n"
                # It would become another user, who may not write here.
                "user root\n" + "".join(f"{line}\n" for line in lines or ["allow_anonymous true"]))
        self.process = None
        self.start()
        opened.callback(self.stop)

    def start(self):
        self.log = open(os.path.join(self.directory, "mosquitto.log"), "a")
        self.process = subprocess.Popen(
            ["mosquitto", "-c", self.configuration], stdout=self.log, stderr=subprocess.STDOUT)
        processes.append(self.process)
        wait_until(self.answers, "mosquitto listens")

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()
        self.log.close()


class OddBroker:
    """Speaks MQTT 5 by itself, and sets the keep-alive time: to 5 s, or to 1 s where it does not answer pings."""

    def __init__(self, grants=lambda connection: True, pongs=True, ends=None, delivers=lambda connection: [], answers=True,
                 expiry=None, refuses=lambda topic: False):
        """`delivers`: the notices that come with the answer to a connection. `answers`: whether it acknowledges messages.
        `grants`: whether it answers the subscription of a connection, the first of which is 1. `pongs`: whether it answers
        pings. `ends`: the reason for which it ends each connection. `expiry`: how long it keeps a session, in seconds, where
        that is its own choice. `refuses`: whether it refuses a message of this topic for now, as RabbitMQ does where a node
        is lost."""
        self.expiry, self.refuses = expiry, refuses
        self.grants, self.pongs, self.ends, self.delivers, self.answers = grants, pongs, ends, delivers, answers
        self.connections = self.pings = 0
        # The connections on which the speaker's health was published, and what it said.
        self.healths, self.texts = [], []
        self.client = None
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        opened.callback(self.stop)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            self.connections += 1
            self.client = client
            try:
                for _, first, body in packets(client.makefile("rb")):
                    self.packet(client, first >> 4, body)
            except OSError:
                # The speaker has broken it off.
                pass

    def packet(self, client, kind, body):
        if kind == 1:  # CONNECT: CONNACK with Server Keep Alive
            notices = b"".join(self.notice(*numbered) for numbered in enumerate(self.delivers(self.connections), 1))
            properties = bytes([0x13, 0, 5 if self.pongs else 1])
            if self.expiry is not None:
                properties += b"\x11" + self.expiry.to_bytes(4, "big")
            client.sendall(bytes([0x20, 3 + len(properties), 0, 0, len(properties)]) + properties + notices)
        elif kind == 8 and self.grants(self.connections):  # SUBSCRIBE: SUBACK, twice quality of service 1
            client.sendall(bytes([0x90, 5]) + body[:2] + bytes([0, 1, 1]))
            if self.ends:
                client.sendall(bytes([0xE0, 2, self.ends, 0]))
                client.shutdown(socket.SHUT_RDWR)
        elif kind == 3:  # PUBLISH: PUBACK
            after = 2 + int.from_bytes(body[:2], "big")
            if body[2:after].endswith(b"/health"):
                self.healths.append(self.connections)
                self.texts.append(body[after:].decode(errors="replace"))
            if self.refuses(body[2:after].decode()):
                client.sendall(bytes([0x40, 3]) + body[after:after + 2] + b"\x83")
            elif self.answers:
                client.sendall(bytes([0x40, 2]) + body[after:after + 2])
        elif kind == 12:  # PINGREQ: PINGRESP
            self.pings += 1
            if self.pongs:
                client.sendall(bytes([0xD0, 0]))

    @staticmethod
    def notice(number, contents, topic=b"payments/odd"):
        """A PUBLISH of quality of service 1, without properties."""
        body = len(topic).to_bytes(2, "big") + topic + number.to_bytes(2, "big") + b"\0" + json.dumps(contents).encode()
        return bytes([0x32, len(body) & 0x7F | 0x80, len(body) >> 7]) + body

    def cut(self):
        """Ends the connection."""
        self.client.shutdown(socket.SHUT_RDWR)

    def stop(self):
        self.server.close()


class Publisher:
    """Publishes notices and collects what the speaker publishes."""

    def __init__(self, port, device, tls=None):
        self.topic = f"payments/{device}"
        self.lock = threading.Lock()
        self.results = []
        self.retained = {}
        # Called with each state, also with those that are soon replaced.
        self.on_state = lambda state: None
        self.client = mqtt.Client(f"publisher-{device}", protocol=mqtt.MQTTv5)
        self.client.max_queued_messages_set(0)
        self.client.max_inflight_messages_set(1000)
        self.client.reconnect_delay_set(1, 1)
        if tls:
            self.client.tls_set(**tls)
        self.client.on_connect = lambda *_: self.client.subscribe(self.topic + "/#", qos=1)
        self.client.on_message = self.received
        session = Properties(PacketTypes.CONNECT)
        session.SessionExpiryInterval = 3600
        self.client.connect("127.0.0.1", port, keepalive=10, clean_start=False, properties=session)
        self.client.loop_start()
        opened.callback(self.close)

    def received(self, _client, _context, message):
        name = message.topic[len(self.topic) + 1:]
        with self.lock:
            if name == "result":
                self.results.append(json.loads(message.payload))
            elif name in ("state", "health"):
                self.retained[name] = json.loads(message.payload)
                if name == "state":
                    self.on_state(self.retained[name])

    def publish(self, payload, retain=False, expiry=None, name=None, qos=1):
        properties = Properties(PacketTypes.PUBLISH)
        if expiry is not None:
            properties.MessageExpiryInterval = expiry
        text = json.dumps(payload) if isinstance(payload, dict) else payload
        topic = f"{self.topic}/{name}" if name else self.topic
        return self.client.publish(topic, text, qos=qos, retain=retain, properties=properties)

    def wait_online(self):
        """Waits until the speaker has subscribed: before its first time no broker keeps notices for it."""
        wait_until(lambda: self.retained.get("state", {}).get("state") == "online", "the speaker is online")

    def outcome(self, transaction):
        """The results of a transaction so far."""
        with self.lock:
            return [result for result in self.results if result["transaction"] == transaction]

    def close(self):
        self.client.loop_stop()
        self.client.disconnect()


class Speaker:
    """The program, whose lines are kept over its restarts."""

    def __init__(self, program, directory, port, device, *options, board=("--board", "simulated"), prepare=None, before=()):
        self.ledger = os.path.join(directory, f"{device}.sqlite")
        self.lines_path = os.path.join(directory, f"{device}.lines")
        self.errors_path = os.path.join(directory, f"{device}.errors")
        # `before` is a command that runs the program.
        self.command = [
            *before, program, "--broker", f"127.0.0.1:{port}", "--device", device, "--ledger", self.ledger, "--json",
            "--clock", "set", *board,
            *options]
        # Its standard input, where a person would write.
        self.input = None
        # Called in the new process.
        self.prepare = prepare
        self.process = None
        self.start()
        opened.callback(self.stop)

    def start(self):
        reader, writer = os.pipe()
        with open(self.lines_path, "a") as lines, open(self.errors_path, "a") as errors:
            self.process = subprocess.Popen(
                self.command, stdin=reader, stdout=lines, stderr=errors, preexec_fn=self.prepare)
        os.close(reader)
        self.input = os.fdopen(writer, "w", buffering=1)
        processes.append(self.process)

    def stop(self, number=signal.SIGTERM):
        self.input.close()
        self.process.send_signal(number)
        return self.process.wait()

    def lines(self):
        with open(self.lines_path) as file:
            return [json.loads(line) for line in file]

    def errors(self):
        """What it has written to standard error."""
        with open(self.errors_path) as file:
            return file.read()
