"""The rows of PaymentSpeaker: see payment-speaker.bench beside this file."""
import os
import re
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

work, support = sys.argv[1:]
sys.path.insert(0, support)
from broker import Broker, Publisher, Speaker, notice, processes, wait_until
from rows import missed, percentile, row

program = os.path.join(work, "PaymentSpeaker")


def rss(process):
    """The resident memory in kB, once it stands still."""
    before = -1
    while True:
        time.sleep(0.5)
        with open(f"/proc/{process.pid}/status") as file:
            now = int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
        if now == before:
            return now
        before = now


def started(*command):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    processes.append(process)
    return process


def latencies(ledger):
    """The seconds from publishing to the first frame, of each announced payment in a ledger."""
    with sqlite3.connect(ledger, timeout=30) as database:
        return [
            (received - paid) / 1e6 + first for received, paid, first in database.execute(
                "SELECT received_at, paid_at, first_frame FROM payments WHERE state = 'announced'")]


def first_frame(directory):
    """One payment a second: on the disk that TMPDIR is on."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "one")
    speaker = Speaker(program, directory, broker.port, "one", "--clock", "set")
    publisher.wait_online()
    for number in range(60):
        publisher.publish(notice(f"t{number}"))
        time.sleep(0.9)
    wait_until(lambda: len(publisher.results) == 60, "60 payments are announced", 120)
    values = [1000 * value for value in latencies(speaker.ledger)]
    row("publish to first frame, median of 60", statistics.median(values), 50, "ms")
    row("publish to first frame, 99 of 100", percentile(values, 0.99), 100, "ms")
    publisher.close()


def memory(directory):
    """At rest, connected; each alone. The median of five starts."""
    broker = Broker(directory)
    figures = {"Minimal": [], "client": [], "speaker": []}
    for number in range(5):
        minimal = started(os.path.join(work, "Minimal"))
        figures["Minimal"].append(rss(minimal))
        minimal.kill()
        client = started(os.path.join(work, "client"), str(broker.port), "payments/client")
        figures["client"].append(rss(client))
        client.kill()
        speaker = Speaker(program, directory, broker.port, f"m{number}")
        figures["speaker"].append(rss(speaker.process))
        speaker.process.kill()
    minimal, client, speaker = (statistics.median(values) for values in figures.values())
    row("Minimal, resident", minimal, None, "kB", 0)
    row("C client of libmosquitto, resident", client, None, "kB", 0)
    row("PaymentSpeaker, resident (target: 1.1 of both)", speaker, 1.1 * (minimal + client), "kB", 0)


def rest(directory):
    """Context switches of all threads while nothing happens, beside those of the keep-alive."""
    broker = Broker(directory)
    speaker = Speaker(program, directory, broker.port, "rest", "--keep-alive", "20")

    def switches():
        total = 0
        for thread in os.listdir(f"/proc/{speaker.process.pid}/task"):
            with open(f"/proc/{speaker.process.pid}/task/{thread}/status") as file:
                total += sum(int(count) for count in re.findall(r"ctxt_switches:\s+(\d+)", file.read()))
        return total

    # Between two keep-alives there is none. The first one is 20 s after the start's last message, the health after 10 s.
    time.sleep(32)
    before = switches()
    time.sleep(14)
    row("context switches in 14 s without a keep-alive", switches() - before, 0, "", 0)
    before = switches()
    time.sleep(60)
    row("context switches in 60 s with three keep-alives", switches() - before, None, "", 0)


def fleet(directory):
    """500 speakers, a payment to each every 10 s for a minute."""
    count, rounds = 500, 6
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, hard), hard))
    broker = Broker(directory)
    publisher = Publisher(broker.port, "fleet")
    online = set()

    def received(_client, _context, message):
        if b"online" in message.payload:
            online.add(message.topic)

    publisher.client.on_message = received
    publisher.client.subscribe("payments/+/state", qos=1)
    speakers = []
    for number in range(count):
        speakers.append(Speaker(program, directory, broker.port, f"s{number}", "--clock", "set"))
        wait_until(lambda: len(online) > number - 20, "speakers are online", 120)
    wait_until(lambda: len(online) == count, "all speakers are online", 120)
    time.sleep(5)

    def processor_time():
        total = 0
        for speaker in speakers:
            with open(f"/proc/{speaker.process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total

    before, begin = processor_time(), time.monotonic()
    for payment in range(rounds * count):
        # Evenly: 50 a second.
        time.sleep(max(0, begin + payment * 10 / count - time.monotonic()))
        speaker = payment % count
        publisher.client.publish(
            f"payments/s{speaker}", str(notice(f"t{payment}")).replace("'", '"'), qos=1)
    time.sleep(5)
    used = processor_time() - before
    values = [1000 * value for speaker in speakers for value in latencies(speaker.ledger)]
    row(f"fleet of {count}: payments announced of {rounds * count}, missing", rounds * count - len(values), 0, "", 0)
    row("fleet: publish to first frame, median", statistics.median(values), None, "ms")
    row("fleet: publish to first frame, 99 of 100", percentile(values, 0.99), 1000, "ms")
    row("fleet: processor time of a payment", 1000 * used / (rounds * count), None, "ms", 2)
    pss = []
    for speaker in speakers[::25]:
        with open(f"/proc/{speaker.process.pid}/smaps_rollup") as file:
            pss.append(int(re.search(r"Pss:\s+(\d+)", file.read())[1]))
    row("fleet: memory of one speaker, its share of what is shared", statistics.median(pss), None, "kB", 0)
    publisher.close()


for part in (first_frame, memory, rest, fleet):
    # The fleet's ledgers are in memory: 500 boards do not share one disk.
    shared = "/dev/shm" if part is fleet and os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="ringer-payments.", dir=shared, ignore_cleanup_errors=True) as directory:
        try:
            part(directory)
        finally:
            for process in processes:
                process.kill()
                process.wait()
            processes.clear()
sys.exit(1 if missed else 0)
