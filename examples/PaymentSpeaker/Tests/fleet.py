"""Many speakers at one broker that is restarted, while some of them are killed."""
import bisect
import collections
import json
import os
import random
import re
import resource
import signal
import sqlite3
import statistics
import subprocess
import threading
import time

from broker import Broker, Publisher, Speaker, notice, processes, wait_until
from common import program

# How often each speaker is paid, in seconds; and how long all are connected before the broker is restarted: after 6 min a
# speaker's first pause may take 45 s.
INTERVAL, HELD = 20, 380


class LoggingBroker(Broker):
    """A broker whose subscriptions are known, with their times."""

    def __init__(self, directory):
        # By the client's identifier: the times of its SUBACKs.
        self.subscribed = collections.defaultdict(list)
        super().__init__(directory, ["allow_anonymous true", "log_dest stderr", "log_type debug"])

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", self.configuration], stderr=subprocess.PIPE, text=True)
        processes.append(self.process)
        self.log = self.process.stderr
        self.reader = threading.Thread(target=self.read, args=(self.log,))
        self.reader.start()
        wait_until(self.answers, "mosquitto listens")

    def read(self, log):
        for line in log:
            if found := re.search(r"Sending SUBACK to (\S+)", line):
                self.subscribed[found[1]].append(time.time())

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()
        self.reader.join()
        self.log.close()


class Traffic:
    """Pays each speaker in turn, as long as the broker is there."""

    def __init__(self, publisher, count):
        self.publisher, self.count = publisher, count
        # By its transaction: who is paid.
        self.payments = {}
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        begin = time.monotonic()
        for number in range(10**9):
            if self.is_over.wait(max(0, begin + number * INTERVAL / self.count - time.monotonic())):
                return
            if self.publisher.client.is_connected():
                transaction, speaker = f"t{number}", number % self.count
                self.payments[transaction] = speaker
                self.publisher.client.publish(f"payments/s{speaker}", json.dumps(notice(transaction)), qos=1)

    def stop(self):
        self.is_over.set()
        self.thread.join()


def kilobytes(process, file, name):
    with open(f"/proc/{process.pid}/{file}") as text:
        return int(re.search(rf"{name}:\s+(\d+)", text.read())[1])


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def ledger(speaker):
    with sqlite3.connect(f"file:{speaker.ledger}?mode=ro", uri=True, timeout=30) as database:
        return database.execute("SELECT transaction_id, state, received_at, paid_at, first_frame FROM payments").fetchall()


def fleet(directory):
    """SPEAKERS speakers, 500 by default, each a process: none of their payments is lost, and none finished twice."""
    count, chance = int(os.environ.get("SPEAKERS", 500)), random.Random(1)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65_536, hard), hard))
    broker = LoggingBroker(directory)
    publisher = Publisher(broker.port, "fleet")
    alone = kilobytes(broker.process, "status", "VmRSS")

    def online(since):
        return sum(times[-1] >= since for name, times in list(broker.subscribed.items()) if "speaker" in name)

    speakers = []
    for number in range(count):
        speakers.append(Speaker(program, directory, broker.port, f"s{number}"))
        wait_until(lambda: online(0) > number - 20, "speakers are online", 120)
    wait_until(lambda: online(0) == count, "all speakers are online", 120)
    session = (kilobytes(broker.process, "status", "VmRSS") - alone) / count
    traffic = Traffic(publisher, count)
    time.sleep(HELD)

    broker.stop()
    time.sleep(2)
    up = time.time()
    broker.start()
    wait_until(lambda: online(up) == count, "all speakers are back", 300)
    back = sorted(times[-1] - up for name, times in broker.subscribed.items() if "speaker" in name)
    # A tenth of them is killed, one after another.
    killed = chance.sample(speakers, count // 10)
    for speaker in killed:
        time.sleep(60 / len(killed))
        speaker.stop(signal.SIGKILL)
        speaker.start()
    time.sleep(20)
    traffic.stop()
    load = os.getloadavg()[1]
    memory = statistics.median(kilobytes(speaker.process, "smaps_rollup", "Pss") for speaker in speakers[::25])

    def missing():
        announced = {row[0] for speaker in speakers for row in ledger(speaker) if row[1] == "announced"}
        return traffic.payments.keys() - announced

    wait_until(lambda: not missing(), "every payment is announced", 120)
    for speaker in speakers:
        speaker.stop()
    publisher.close()
    broker.stop()

    latencies, repeated = [], 0
    for number, speaker in enumerate(speakers):
        lines = [line for line in speaker.lines() if line["outcome"] == "announced"]
        times = collections.Counter(line["transaction"] for line in lines)
        assert set(times.values()) <= {1}, f"s{number} finished one twice: {times.most_common(1)}"
        repeated += sum(line["repeated"] for line in lines)
        subscribed = broker.subscribed[f"payment-speaker-s{number}"]
        for transaction, state, received, paid, first in ledger(speaker):
            assert traffic.payments[transaction] == number and state == "announced", (number, transaction, state)
            if first is None:
                # It arrived before the speaker was killed.
                continue
            heard = received / 1e6 + first
            latest = subscribed[max(0, bisect.bisect(subscribed, heard) - 1)]
            latencies.append(max(0, heard - max(paid / 1e6, latest)))
    assert repeated <= len(killed), f"{repeated} repeated, {len(killed)} killed"
    return (
        f"{count} speakers, {len(traffic.payments)} payments, {len(killed)} SIGKILLs, {repeated} repeated; back "
        f"{back[0]:.1f} to {back[-1]:.1f} s after the broker; to the first frame {1000 * statistics.median(latencies):.0f} ms, "
        f"99 of 100 within {1000 * percentile(latencies, 0.99):.0f} ms; a session takes the broker {session:.1f} kB, and a speaker "
        f"{memory:.0f} kB; load {load:.1f}")
