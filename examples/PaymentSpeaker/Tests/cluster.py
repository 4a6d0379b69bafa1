"""Many speakers at a cluster of RabbitMQ, a node of which is killed, another one cut off, and each restarted."""
import contextlib
import json
import os
import resource
import socket
import statistics
import time

import paho.mqtt.client as mqtt

from broker import Publisher, Speaker, notice, wait_until
from common import product, program
from fleet import Traffic, kilobytes, ledger, percentile
from rabbitmq import Cluster

# How long nothing happens before the node is killed and between the failures, and how long a node is away, in seconds.
CALM, AWAY = 60, 30
# How often a notice is delivered that is never acknowledged.
DELIVERIES = 30


class Watcher:
    """Knows when each speaker became online."""

    def __init__(self, port):
        self.times = {}
        self.client = mqtt.Client("watcher", protocol=mqtt.MQTTv5)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda *_: self.client.subscribe("payments/+/state", qos=1)
        self.client.on_message = self.received
        self.client.connect("127.0.0.1", port, keepalive=10)
        self.client.loop_start()

    def received(self, _client, _context, message):
        if json.loads(message.payload)["state"] == "online":
            self.times.setdefault(message.topic.split("/")[1], []).append(time.time())

    def back(self, since):
        """How long after that time each of the speakers that connected anew was online."""
        return sorted(found for times in list(self.times.values()) if (found := times[-1] - since) > 0)

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def connected(address, name):
    """A connection of a session of that name, which is kept for 10 min, and its stream of packets."""
    made = socket.create_connection((address, 1883), timeout=60)
    properties = b"\x11" + (600).to_bytes(4, "big")
    body = b"\0\4MQTT\5\0\0\0" + bytes([len(properties)]) + properties + len(name).to_bytes(2, "big") + name.encode()
    made.sendall(bytes([0x10, len(body)]) + body)
    return made, made.makefile("rb")


def await_packet(stream, kind):
    """Reads until a packet of that kind; all are shorter than 128 bytes."""
    while len(header := stream.read(2)) == 2:
        stream.read(header[1])
        if header[0] >> 4 == kind:
            return
    raise ConnectionError("the broker has ended the connection")


def subscribed(address, name, topic):
    """A connection of a session with a subscription. A busy cluster that cannot make its queue in time ends the connection."""
    while True:
        made, stream = connected(address, name)
        body = b"\0\1\0" + len(topic).to_bytes(2, "big") + topic.encode() + b"\1"
        try:
            await_packet(stream, 2)
            made.sendall(bytes([0x82, len(body)]) + body)
            await_packet(stream, 9)
            return made, stream
        except OSError:
            stream.close()
            made.close()


def memory_of_sessions(cluster, count):
    """What a session takes, in kB on each node: of a client that is connected, and of one that is away."""
    before = cluster.memory()
    clients = []
    for number in range(count):
        node = cluster.nodes[number % len(cluster.nodes)]
        clients.append(subscribed(node.address, f"idle-{number}", f"idle/{number}"))
    present = cluster.memory()
    for client in clients:
        for part in client:
            part.close()
    time.sleep(10)
    away = cluster.memory()
    return [(memory - before) / count / len(cluster.nodes) for memory in (present, away)]


def never_acknowledged(cluster, publisher):
    """A notice that a speaker cannot record is delivered again and again, and not dropped."""
    address = cluster.nodes[0].address
    made, stream = subscribed(address, "unable", "payments/unable")
    publisher.client.publish("payments/unable", "{}", qos=1).wait_for_publish(60)
    for _ in range(DELIVERIES):
        await_packet(stream, 3)
        stream.close()
        made.close()
        made, stream = connected(address, "unable")
    stream.close()
    made.close()


def cluster(directory):
    """SPEAKERS speakers, 300 by default, are paid PAYMENTS times or more, 5,000 by default, while nodes fail: none is lost, and none
    finished twice."""
    count, least, idle = (int(os.environ.get(*pair)) for pair in (("SPEAKERS", 300), ("PAYMENTS", 5000), ("SESSIONS", 300)))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65_536, hard), hard))
    broker = Cluster(directory, os.path.join(product, "../.."))
    with contextlib.closing(broker):
        watcher = Watcher(broker.port)
        publisher = Publisher(broker.port, "fleet")
        speakers = []
        for number in range(count):
            speakers.append(Speaker(program, directory, broker.port, f"s{number}"))
            wait_until(lambda: len(watcher.times) > number - 20, "speakers are online", 120)
        wait_until(lambda: len(watcher.times) == count, "all speakers are online", 120)
        phases = []

        def phase(name):
            phases.append((time.time(), name))

        phase("before")
        traffic = Traffic(publisher, count)
        time.sleep(CALM)
        first, second, _ = broker.nodes
        phase("a node is killed")
        first.kill()
        time.sleep(AWAY)
        back = watcher.back(phases[-1][0])
        first.start()
        wait_until(first.is_up, "the node is back", 300)
        phase("between")
        time.sleep(CALM)
        phase("a node is cut off")
        second.cut()
        time.sleep(AWAY)
        second.heal()
        time.sleep(AWAY)
        phase("between")
        time.sleep(CALM)
        phase("each is restarted")
        for node in broker.nodes:
            node.restart()
        phase("after")
        time.sleep(CALM)
        wait_until(lambda: len(traffic.payments) >= least, "enough payments", 3600)
        traffic.stop()
        load = os.getloadavg()[1]

        def missing():
            announced = {row[0] for speaker in speakers for row in ledger(speaker) if row[1] == "announced"}
            return traffic.payments.keys() - announced

        wait_until(lambda: not missing(), "every payment is announced", 180)
        memory = statistics.median(kilobytes(speaker.process, "smaps_rollup", "Pss") for speaker in speakers[::25])
        for speaker in speakers:
            speaker.stop()
        never_acknowledged(broker, publisher)
        session = memory_of_sessions(broker, idle)
        publisher.close()
        watcher.close()

    times, duplicates = {name: [] for _, name in phases}, 0
    for number, speaker in enumerate(speakers):
        lines = speaker.lines()
        finished = [line["transaction"] for line in lines if line["outcome"] == "announced"]
        assert len(finished) == len(set(finished)), f"s{number} finished one twice"
        duplicates += sum(line["outcome"] == "duplicate" for line in lines)
        # The cluster keeps the sessions, whatever becomes of its nodes.
        assert "session" not in speaker.errors(), speaker.errors()
        for transaction, state, received, paid, frame in ledger(speaker):
            assert traffic.payments[transaction] == number and state == "announced", (number, transaction, state)
            name = next(name for begin, name in reversed(phases) if begin <= paid / 1e6)
            times[name].append((received - paid) / 1e6 + frame)
    return (
        f"{count} speakers, {len(traffic.payments)} payments, {duplicates} delivered twice; {len(back)} speakers connected anew, "
        f"the last one {max(back, default=0):.1f} s after the kill; to the first frame, median, 99 of 100, longest: "
        + "; ".join(f"{name} {1000 * statistics.median(found):.0f} ms, {1000 * percentile(found, 0.99):.0f} ms, "
                    f"{1000 * max(found):.0f} ms" for name, found in times.items())
        + f"; a session takes each node {session[0]:.0f} kB, {session[1]:.0f} kB while its client is away, a speaker "
        f"{memory:.0f} kB; load {load:.1f}")
