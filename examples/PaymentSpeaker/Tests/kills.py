"""Payments while the speaker is killed, the broker restarted and the disk full: none is lost, and none finished twice."""
import collections
import hashlib
import hmac
import json
import os
import random
import signal
import subprocess
import threading
import time

from broker import Broker, Publisher, Speaker, now, processes, wait_until
from common import program
from disks import with_disk
from heard import announcements, make_recordings
from notices import base64url
from witness import Witness

DEVICE = "counter"


# Answers queries of the ledger where its disk is.
READER = """
import json, sqlite3, sys
print(flush=True)
for line in sys.stdin:
    mode, query, arguments = json.loads(line)
    # A reader that may write would copy the log into the database when it closes.
    database = sqlite3.connect(f"file:{sys.argv[1]}?mode={mode}", uri=True, timeout=30)
    print(json.dumps(database.execute(query, arguments).fetchall()), flush=True)
    database.close()
"""


class Disk:
    """A disk of 4 MB for the ledger that outlives the speaker, in a mount namespace of its own."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "disk")
        self.ledger = os.path.join(self.path, "counter.sqlite")
        os.mkdir(self.path)
        self.reader = subprocess.Popen(
            [*with_disk(directory, "size=4m"), "/usr/bin/python3", "-c", READER, self.ledger], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        processes.append(self.reader)
        self.lock = threading.Lock()
        self.reader.stdout.readline()
        # What runs a program where the disk is.
        self.enter = ["nsenter", "-t", str(self.reader.pid), "-U", "--preserve-credentials", "-m"]
        self.ballast = f"/proc/{self.reader.pid}/root{self.path}/ballast"

    def rows(self, query, *arguments, mode="ro"):
        with self.lock:
            self.reader.stdin.write(json.dumps([mode, query, arguments]) + "\n")
            self.reader.stdin.flush()
            return [tuple(row) for row in json.loads(self.reader.stdout.readline())]

    def has(self, transaction):
        return bool(self.rows("SELECT 1 FROM payments WHERE transaction_id = ?", transaction))

    def fill(self):
        """Leaves the ledger no room: its log, which it would write again from the beginning, is emptied before."""
        wait_until(lambda: self.rows("PRAGMA wal_checkpoint(TRUNCATE)", mode="rw")[0][0] == 0, "the log is empty")
        with open(self.ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def clear(self):
        os.remove(self.ballast)


class Payments:
    """What is published: signed notices of quality of service 1 and 2, and what is mixed with them."""

    def __init__(self, publisher, secret, chance):
        self.publisher, self.secret, self.chance = publisher, secret, chance
        # By its payload, and by its amount, which is in the recording.
        self.transactions = {}
        self.amounts = {}
        self.forged = 0

    def sign(self, contents):
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": "shop"}, contents))
        return f"{text}.{base64url(hmac.new(self.secret, text.encode(), hashlib.sha256).digest())}"

    def notice(self, transaction, amount):
        return {"transaction": transaction, "amount": str(amount), "currency": "JPY", "time": now(), "device": DEVICE}

    def publish(self):
        """The next payment; one of ten twice, and with one of ten forged amounts."""
        amount = 1000 + len(self.amounts)
        transaction = f"t{amount}"
        payload = self.sign(self.notice(transaction, amount))
        self.transactions[payload.encode()] = transaction
        self.amounts[amount] = transaction
        again = self.chance.random() < 0.1
        if self.chance.random() < 0.1:
            self.forge(payload, transaction, amount)
        for _ in range(2 if again else 1):
            self.publisher.publish(payload, qos=self.chance.choice((1, 2)))

    def forge(self, payload, transaction, amount):
        # The signature of the right amount.
        header, _, signature = payload.split(".")
        contents = base64url(json.dumps(self.notice(transaction, amount + 500_000)).encode())
        # A key that the speaker does not have.
        stranger = Payments(self.publisher, os.urandom(32), self.chance).sign(self.notice(transaction, amount + 600_000))
        for forgery in (f"{header}.{contents}.{signature}", stranger):
            self.publisher.publish(forgery, qos=self.chance.choice((1, 2)))
            self.forged += 1


def run(directory, payments, kills, restarts, full_disks):
    chance = random.Random(1)
    secret = os.urandom(32)
    with open(os.path.join(directory, "signing-keys"), "w") as file:
        file.write(f"shop HS256 {base64url(secret)}\n")
    make_recordings(os.path.join(directory, "clips"))
    recording = os.path.join(directory, "recording")
    disk = Disk(directory)
    broker = Broker(directory)
    publisher = Publisher(broker.port, DEVICE)
    published = Payments(publisher, secret, chance)
    acknowledged, violations = collections.Counter(), []

    def on_acknowledgement(payload):
        transaction = published.transactions.get(payload)
        acknowledged[transaction] += 1
        if transaction and not disk.has(transaction):
            violations.append(transaction)

    witness = Witness(broker, on_acknowledgement)
    speaker = Speaker(
        program, directory, witness.port, DEVICE, "--ledger", disk.ledger, "--signing-keys",
        os.path.join(directory, "signing-keys"), "--clips", os.path.join(directory, "clips"), "--language", "xx",
        "--stale-after", "0", "--pcm", f"plug:'paced_hw:UNDERRUNS=false,RATE=48000,CHANNELS=1,CAPTURE={recording}'",
        board=(), before=disk.enter)
    publisher.wait_online()

    def recorded():
        return os.path.getsize(recording) if os.path.exists(recording) else 0

    def waiting():
        return len(published.amounts) - disk.rows("SELECT count(*) FROM payments WHERE state = 'announced'")[0][0]

    def is_full():
        return "full" in str(publisher.retained.get("health", {}).get("problems"))

    for number in range(kills):
        is_disk_full = number * full_disks // kills != (number + 1) * full_disks // kills
        is_restart = (number + 3) * restarts // kills != (number + 4) * restarts // kills
        if is_disk_full:
            disk.fill()
        for _ in range(payments // kills):
            published.publish()
        if is_disk_full:
            wait_until(is_full, "health says that the disk is full")
        if is_restart:
            broker.stop()
        if not is_disk_full and chance.random() < 0.5:
            # In the middle of a sound, where there is one.
            before, end = recorded(), time.monotonic() + 1
            while recorded() == before and time.monotonic() < end:
                time.sleep(0.005)
        time.sleep(chance.random() * 0.4)
        speaker.stop(signal.SIGKILL)
        if is_restart:
            broker.start()
        speaker.start()
        if is_disk_full:
            # Not before it has met the full disk once more, perhaps.
            time.sleep(chance.random())
            disk.clear()
            publisher.retained.pop("health", None)
        wait_until(lambda: waiting() < 10, "most are announced", 120)

    count = len(published.amounts)
    wait_until(lambda: waiting() == 0, f"{count} payments are announced", 120)
    speaker.stop()
    publisher.close()
    broker.stop()
    witness.close()

    assert not violations, f"acknowledged before they were recorded: {violations}"
    assert set(published.transactions.values()) <= set(acknowledged), "not each was acknowledged"
    assert dict(disk.rows("SELECT transaction_id, minor_units FROM payments")) == {
        transaction: amount for amount, transaction in published.amounts.items()}
    # The line of an announcement may be lost with the process, after the ledger has it.
    lines = collections.Counter(line["transaction"] for line in speaker.lines() if line["outcome"] == "announced")
    assert set(lines.values()) == {1} and count - len(lines) <= kills, (lines.most_common(3), count - len(lines))
    # What was heard to its end, with the marks of repetitions.
    heard = collections.defaultdict(list)
    for amount, is_repetition in announcements(recording, 1):
        heard[amount].append(is_repetition)
    assert heard.keys() <= published.amounts.keys(), f"heard, never published: {heard.keys() - published.amounts.keys()}"
    assert heard.keys() == published.amounts.keys(), f"never heard: {published.amounts.keys() - heard.keys()}"
    twice = {amount: marks for amount, marks in heard.items() if len(marks) > 1}
    assert all(all(marks[1:]) for marks in twice.values()), f"not marked as a repetition: {twice}"
    # A kill between the end of a sound and the commit: the shorter the sounds, the more often.
    assert len(twice) <= max(3, count // 100), f"{len(twice)} of {count} heard twice"
    return (f"{count} payments, {published.forged} forged, {kills} SIGKILLs, {restarts} restarts of the broker, "
            f"{full_disks} full disks: each heard, {len(twice)} twice")


def some_kills(directory):
    """A twentieth of the kills of `kills`."""
    return run(directory, 60, 10, 1, 1)


def kills(directory):
    """The whole of it."""
    return run(directory, 2000, 200, 20, 20)
