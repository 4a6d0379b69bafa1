"""What PaymentSpeaker promises, against a broker: see the script `test` beside this file."""
import array
import base64
import collections
import ctypes
import glob
import hashlib
import hmac
import json
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import wave

from broker import Broker, OddBroker, Publisher, Speaker, free_port, notice, now, processes, wait_until

program, ringerd, product, *chosen = sys.argv[1:]


def rows(speaker, query):
    with sqlite3.connect(speaker.ledger, timeout=10) as database:
        return database.execute(query).fetchall()


def every_payment_once(directory):
    """10,000 payments, some twice, out of order, while the broker is restarted and both are killed."""
    count, kills = 10_000, 20
    chance = random.Random(1)
    broker = Broker(directory)
    publisher = Publisher(broker.port, "counter")
    speaker = Speaker(program, directory, broker.port, "counter", "--sound", "skip")
    publisher.wait_online()
    order = [f"t{number}" for number in range(count)]
    # Reordered within a window, and one of ten twice.
    for start in range(0, count, 100):
        window = order[start:start + 100]
        chance.shuffle(window)
        order[start:start + 100] = window
    notices = {name: notice(name, f"{chance.randrange(10**9)}.{chance.randrange(100):02}") for name in order}
    for name in chance.sample(order, count // 10):
        order.insert(chance.randrange(len(order)), name)

    confirmed = set()

    def confirm():
        with publisher.lock:
            confirmed.update(result["transaction"] for result in publisher.results)
        return len(confirmed)

    step = len(order) // kills
    for part in range(kills):
        for name in order[part * step:(part + 1) * step if part < kills - 1 else None]:
            publisher.publish(notices[name])
        # In the middle of the work.
        target = (part + 1) * count // (kills + 1)
        wait_until(lambda: confirm() >= target - step // 2, f"payments until {target} are confirmed", 60)
        speaker.stop(signal.SIGKILL)
        if part in (5, 12):
            broker.stop(signal.SIGTERM if part == 5 else signal.SIGKILL)
            broker.start()
        speaker.start()

    # What the killed broker lost is published again.
    def all_confirmed():
        before = confirm()
        if before == count:
            return True
        time.sleep(0.5)
        if confirm() == before:
            for name in notices.keys() - confirmed:
                publisher.publish(notices[name])
        return False

    wait_until(all_confirmed, "every payment is confirmed", 120)
    speaker.stop()
    publisher.close()
    broker.stop()

    states = dict(rows(speaker, "SELECT state, count(*) FROM payments GROUP BY state"))
    assert states == {"announced": count}, states
    heard = collections.defaultdict(list)
    for line in speaker.lines():
        assert line["outcome"] in ("announced", "duplicate"), line
        if line["outcome"] == "announced":
            heard[line["transaction"]].append(line["repeated"])
    # The line of an announcement may be lost with the process, after the ledger has it.
    lost = count - len(heard)
    repeated = sum(len(marks) > 1 for marks in heard.values())
    assert lost <= kills, f"{lost} announcements without a line"
    for name, marks in heard.items():
        assert marks in ([False], [True], [False, True]), (name, marks)
    marked = sum(any(marks) for marks in heard.values())
    assert marked <= kills, f"{marked} announcements marked as repeated, {kills} crashes"
    amounts = dict(rows(speaker, "SELECT transaction_id, minor_units FROM payments"))
    assert amounts == {name: int(notices[name]["amount"].replace(".", "")) for name in notices}
    return f"{count} payments, {kills} SIGKILLs: each once in the ledger, {marked} marked as repeated, {repeated} heard twice"


def notices_of_every_kind(directory):
    """Stale, retained, expired, refused and repeated notices, the retained topics and the will."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "till")
    publisher.publish(notice("kept"), retain=True)
    publisher.publish(notice("gone"), expiry=1)
    speaker = Speaker(program, directory, broker.port, "till", "--policy", "obey")

    def has(transaction, outcome, count=1, reason=None):
        def holds():
            found = [r for r in publisher.outcome(transaction) if r["outcome"] == outcome]
            return len(found) >= count and (reason is None or found[-1]["reason"] == reason)
        wait_until(holds, f"{transaction} is {outcome}")

    has("kept", "stale", reason="retained")
    publisher.wait_online()
    publisher.publish(notice("fresh"))
    has("fresh", "announced")
    assert 0 <= publisher.outcome("fresh")[0]["firstFrame"]
    publisher.publish({**notice("old"), "time": now(-3600)})
    has("old", "stale", reason="old")
    publisher.publish({**notice("fresh"), "amount": "1250.00"})
    has("fresh", "refused")
    for broken in ("{", "[1]", '{"transaction":"n","amount":12.5,"currency":"CNY","time":"2026-01-01T00:00:00Z"}', "\0"):
        publisher.publish(broken)
    # Larger than the largest packet: it does not come.
    publisher.publish("x" * 20_000)
    publisher.publish(notice("behind"))
    has("behind", "announced")
    wait_until(lambda: publisher.retained["health"]["announced"] == 2, "two notices are announced")
    assert publisher.retained["health"]["refused"] == 5, publisher.retained["health"]
    health = publisher.retained["health"]
    assert health["version"] and health["uptime"] >= 0 and health["switch"] == "ring" and health["route"] == "speaker"
    assert health["queue"] == 0 and health["ledger"] > 0 and health["clock"] == "set" and health["lastError"] is None
    publisher.publish("repeat", name="command")
    has("behind", "announced", 2)
    assert publisher.outcome("behind")[-1]["requested"]
    assert publisher.retained["state"] == {"state": "online", "policy": "obey", "position": "ring", "unheard": 0}
    speaker.stop(signal.SIGKILL)
    wait_until(lambda: publisher.retained["state"] == {"state": "offline"}, "the will")

    # At silent it is silenced, also after a restart that finds the switch at ring.
    silent = Speaker(
        program, directory, broker.port, "till", "--policy", "vibrate", "--position", "silent")
    publisher.publish(notice("felt"))
    has("felt", "vibrated")
    wait_until(lambda: publisher.retained["state"].get("unheard") == 1, "one is unheard")
    assert publisher.retained["state"]["position"] == "silent"
    silent.stop()
    speaker.start()
    publisher.publish("repeat", name="command")
    has("felt", "announced")
    assert publisher.outcome("felt")[-1]["requested"] and not publisher.outcome("felt")[-1]["repeated"]
    wait_until(lambda: publisher.retained["state"].get("unheard") == 0, "none is unheard")
    assert speaker.stop() == -signal.SIGTERM
    publisher.close()
    broker.stop()
    return "stale, retained, refused, silenced, felt and requested notices; state, health and will"


def a_full_disk(directory):
    """While the ledger cannot grow no notice is acknowledged; once it can, all are delivered again."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "full")
    speaker = Speaker(program, directory, broker.port, "full", "--sound", "skip")
    publisher.wait_online()
    publisher.publish(notice("before"))
    wait_until(lambda: publisher.outcome("before"), "the first one is announced")
    # A few can be recorded, and not all announced.
    size = os.path.getsize(speaker.ledger + "-wal") + 40_000
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    for number in range(20):
        publisher.publish(notice(f"t{number}"))
    wait_until(lambda: publisher.retained["state"]["state"] == "offline", "the speaker leaves the broker")
    assert rows(speaker, "SELECT count(*) FROM payments")[0][0] < 21
    assert speaker.process.poll() is None
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wait_until(lambda: len(publisher.results) >= 21, "all are announced")
    assert rows(speaker, "SELECT state, count(*) FROM payments GROUP BY 1") == [("announced", 21)]
    assert not [result for result in publisher.results if result["outcome"] != "announced"], publisher.results
    speaker.stop()
    publisher.close()
    broker.stop()
    return "notices that could not be recorded were delivered again"


def in_namespace(speaker, *command):
    """Runs a command where the speaker's disk is mounted."""
    subprocess.run(["nsenter", "-t", str(speaker.process.pid), "-U", "--preserve-credentials", "-m", *command], check=True)


def with_disk(directory, options):
    """A command that runs a program whose ledger is on a disk of its own: a tmpfs that ends with the program."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c",
            f'mount -t tmpfs -o {options} none "$0" && exec "$@"', os.path.join(directory, "disk")]


def a_ledger_on_a_small_disk(directory):
    """The ledger has room on 300 kB for hundreds of payments; once the disk is full, it goes on when there is space."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "small")
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    speaker = Speaker(
        program, directory, broker.port, "small", "--sound", "skip", "--ledger", os.path.join(disk, "small.sqlite"),
        before=with_disk(directory, "size=300k"))
    publisher.wait_online()
    for number in range(200):
        publisher.publish(notice(f"t{number}"))
    wait_until(lambda: all(publisher.outcome(f"t{number}") for number in range(200)), "200 payments are announced")
    in_namespace(speaker, "sh", "-c", f"cat /dev/zero > {disk}/ballast 2>/dev/null; true")
    # What the log and the database have room for, and more.
    names = [f"u{number}" for number in range(200)]
    for name in names:
        publisher.publish(notice(name))
    wait_until(lambda: "full" in str(publisher.retained["health"]["problems"]), "health says that the disk is full")
    assert speaker.process.poll() is None
    in_namespace(speaker, "mount", "-o", "remount,size=600k", disk)
    wait_until(lambda: all(publisher.outcome(name) for name in names), "all are announced", 120)
    wait_until(lambda: publisher.retained["health"]["problems"] == [], "there is no problem")
    speaker.stop()
    announced = collections.Counter(line["transaction"] for line in speaker.lines() if line["outcome"] == "announced")
    assert len(announced) == 400 and set(announced.values()) == {1}, announced
    publisher.close()
    broker.stop()
    return "200 payments on 300 kB; full, then not"


def a_ledger_that_cannot_be_written(directory):
    """On a disk that is read-only at the start, health says so, and nothing is acknowledged until it can be written."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "fixed")
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    options = ("--sound", "skip", "--ledger", os.path.join(disk, "fixed.sqlite"))
    speaker = Speaker(
        program, directory, broker.port, "fixed", *options, before=with_disk(directory, "size=1m"))
    publisher.wait_online()
    speaker.stop()
    publisher.publish(notice("a"))
    speaker = Speaker(program, directory, broker.port, "fixed", *options, before=with_disk(directory, "size=1m,ro"))
    wait_until(lambda: "ledger" in str(publisher.retained["health"]["problems"]), "health names the ledger")
    assert speaker.process.poll() is None and not publisher.results
    in_namespace(speaker, "mount", "-o", "remount,rw", disk)
    wait_until(lambda: publisher.outcome("a"), "it is announced")
    wait_until(lambda: publisher.retained["health"]["problems"] == [], "there is no problem")
    speaker.stop()
    publisher.close()
    broker.stop()
    return "health names it; announced once it can be written"


def a_damaged_ledger(directory):
    """A ledger whose header is destroyed is set aside; the speaker goes on with a new one, and says so."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "worn")
    speaker = Speaker(program, directory, broker.port, "worn", "--sound", "skip")
    publisher.wait_online()
    publisher.publish(notice("before"))
    wait_until(lambda: publisher.outcome("before"), "it is announced")
    speaker.stop(signal.SIGKILL)
    # As one that the log was copied into.
    with sqlite3.connect(speaker.ledger) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    with open(speaker.ledger, "r+b") as file:
        file.write(b"\xa5" * 100)
    speaker.start()
    publisher.publish(notice("after"))
    wait_until(lambda: publisher.outcome("after"), "the next one is announced")
    wait_until(lambda: "worn.sqlite.damaged" in str(publisher.retained["health"]["problems"]), "health names the file")
    assert rows(speaker, "SELECT transaction_id FROM payments") == [("after",)]
    speaker.stop()
    publisher.close()
    broker.stop()
    return "set aside"


def a_damaged_ledger_on_a_small_disk(directory):
    """A new ledger has no room for all that the damaged one has: it takes over the newest, and the speaker goes on."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "tight")
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    whole = os.path.join(directory, "whole.sqlite")
    speaker = Speaker(program, directory, broker.port, "tight", "--sound", "skip", "--ledger", whole)
    publisher.wait_online()
    newest = notice("newest")
    publisher.publish(newest)
    wait_until(lambda: publisher.outcome("newest"), "it is announced")
    speaker.stop()
    with sqlite3.connect(whole) as database:
        # 0.2 MB of payments that are over.
        database.execute("UPDATE payments SET id = 10000")
        database.executemany(
            "INSERT INTO payments (transaction_id, minor_units, currency, paid_at, state) VALUES (?, 1, 'CNY', 0, 'announced')",
            [(f"{number:0100}",) for number in range(800)])
        database.execute("UPDATE payments SET id = id - 10000 WHERE id > 10000")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    # A page in the middle of the table.
    with open(whole, "r+b") as file:
        file.seek(20 * 4096)
        file.write(b"\xa5" * 4096)
    before = with_disk(directory, "size=450k")
    before[5] = before[5].replace("exec", f'cp {whole} "$0" && exec')
    speaker = Speaker(
        program, directory, broker.port, "tight", "--sound", "skip", "--ledger", os.path.join(disk, "whole.sqlite"),
        before=before)
    publisher.wait_online()
    publisher.publish(newest)
    wait_until(lambda: any(result["outcome"] == "duplicate" for result in publisher.results), "the newest is known")
    publisher.publish(notice("next"))
    wait_until(lambda: publisher.outcome("next"), "the next one is announced")
    wait_until(lambda: "whole.sqlite.damaged" in str(publisher.retained["health"]["problems"]), "health names the file")
    speaker.stop()
    publisher.close()
    broker.stop()
    return "the newest are taken over"


def a_notice_that_is_not_recorded(directory):
    """It is not acknowledged either, at a time when the status is published at once."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "full")
    speaker = Speaker(program, directory, broker.port, "full", "--sound", "skip")
    publisher.wait_online()
    publisher.publish(notice("before"))
    wait_until(lambda: publisher.outcome("before"), "the first one is announced")
    # The status is published once a second; from now on nothing changes it.
    time.sleep(2.5)
    size = os.path.getsize(speaker.ledger + "-wal")
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    publisher.publish(notice("after"))
    wait_until(lambda: publisher.retained["state"]["state"] == "offline", "the speaker leaves the broker")
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wait_until(lambda: publisher.outcome("after"), "it is delivered again", 20)
    assert publisher.outcome("after")[0]["outcome"] == "announced", publisher.outcome("after")
    with open(speaker.errors_path) as file:
        assert "cannot write the ledger" in file.read()
    speaker.stop()
    publisher.close()
    broker.stop()
    return "delivered again"


def a_subscription_that_is_refused(directory):
    """The speaker is not online without its notices; it tries again, and is once it may have them."""
    def allow(may_subscribe):
        # mosquitto 2.0 checks subscriptions by this plug-in only.
        allowed = dict.fromkeys(("publishClientSend", "publishClientReceive", "subscribe", "unsubscribe"), True)
        acl = {"acltype": "subscribeLiteral", "topic": "payments/shy", "priority": 0, "allow": may_subscribe}
        with open(os.path.join(directory, "acl.json"), "w") as file:
            json.dump({
                "defaultACLAccess": allowed, "roles": [{"rolename": "all", "acls": [acl]}],
                "groups": [{"groupname": "all", "roles": [{"rolename": "all"}], "clients": []}],
                "anonymousGroup": "all", "clients": []}, file)

    allow(False)
    plugin, = glob.glob("/usr/lib/*/mosquitto_dynamic_security.so")
    broker = Broker(directory, [
        "allow_anonymous true", f"plugin {plugin}", f"plugin_opt_config_file {os.path.join(directory, 'acl.json')}"])
    publisher = Publisher(broker.port, "shy")
    states = []
    publisher.on_state = states.append
    speaker = Speaker(program, directory, broker.port, "shy", "--sound", "skip")

    def log():
        with open(os.path.join(directory, "mosquitto.log")) as file:
            return file.read()

    wait_until(lambda: log().count("as payment-speaker-shy") >= 3, "the speaker tries again")
    with open(speaker.errors_path) as file:
        assert "cannot subscribe at" in file.read()
    assert all(state == {"state": "offline"} for state in states), states
    assert speaker.process.poll() is None
    broker.stop()
    allow(True)
    broker.start()
    publisher.wait_online()
    speaker.stop()
    publisher.close()
    broker.stop()
    return "not online until it is granted"


def a_broker_that_sets_the_keep_alive(directory):
    """Server Keep Alive (MQTT 5, 3.2.2.3.14) takes the place of the speaker's own; a broker that never answers the
    subscription is left after that."""
    # The first connection's subscription is not answered.
    broker = OddBroker(grants=lambda connection: connection > 1)
    speaker = Speaker(program, directory, broker.port, "capped", "--sound", "skip", "--keep-alive", "5")
    wait_until(lambda: broker.connections == 2, "the speaker leaves", 30)
    assert broker.pings >= 3, broker.pings
    before = broker.pings
    # Longer than its own time: it would ask once.
    wait_until(lambda: broker.pings >= before + 6, "the speaker asks every second", 30)
    # After a while its health once more: the answer makes the connection a good one.
    wait_until(lambda: broker.healths.count(2) >= 3, "the speaker asks for an answer", 30)
    assert broker.connections == 2
    with open(speaker.errors_path) as file:
        assert "cannot subscribe at" in file.read()
    speaker.stop()
    broker.stop()
    return "obeyed"


def what_systemd_expects(directory):
    """Reports that the speaker works; and both products' units expose little."""
    path = os.path.join(directory, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service_manager:
        service_manager.bind(path)
        service_manager.settimeout(30)
        broker = Broker(directory)
        publisher = Publisher(broker.port, "watched")
        os.environ.update(NOTIFY_SOCKET=path, WATCHDOG_USEC="1000000")
        try:
            # Beside the clock and what needs privileges, the unit forbids what changes scheduling.
            speaker = Speaker(
                program, directory, broker.port, "watched",
                prepare=forbidding("sched_setparam", "sched_setscheduler", "setpriority", "fchown"))
        finally:
            del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
        publisher.wait_online()
        for _ in range(5):
            report = service_manager.recv(100)
            assert report == b"WATCHDOG=1", report
        publisher.publish(notice("a"))
        wait_until(lambda: publisher.outcome("a"), "it is announced")
        assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
        speaker.stop()
    publisher.close()
    broker.stop()
    for unit in (f"{product}/payment-speaker.service", f"{product}/../VoIPHandset/voip-handset.service"):
        exposure = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", "--threshold=18", "--no-pager", unit], capture_output=True, text=True)
        assert exposure.returncode == 0, (unit, exposure.stdout[-200:], exposure.stderr)
    return "reports; the units' exposure is at most 1.8"


def reasons_in_sentences(directory):
    """Why a broker cannot be reached, is left or throws the speaker out: what a person can act on."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

    def certificate(name, *options):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                "-keyout", f"{name}.key", "-out", f"{name}.crt", *options)

    certificate("right", "-addext", "subjectAltName=IP:127.0.0.1")
    certificate("another", "-addext", "subjectAltName=DNS:another.example")
    # Not valid any more since yesterday.
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=expired",
            "-keyout", "expired.key", "-out", "expired.csr")
    openssl("x509", "-req", "-in", "expired.csr", "-signkey", "expired.key", "-days", "-1", "-out", "expired.crt")
    path = lambda name: os.path.join(directory, name)

    def reason(name, port, sentence, *options):
        speaker = Speaker(program, directory, port, name, "--sound", "skip", *options)
        wait_until(lambda: sentence in speaker.errors(), f"{name}: {sentence}; see {speaker.errors_path}", 30)
        assert speaker.process.poll() is None
        speaker.stop()

    for name, authority, sentence in [
            ("expired", "expired", "its certificate is not accepted: certificate has expired"),
            ("another", "another", "its certificate is for another name than 127.0.0.1"),
            ("right", "another", "its certificate is not accepted: self-signed certificate")]:
        port = free_port()
        processes.append(subprocess.Popen(
            ["openssl", "s_server", "-accept", str(port), "-cert", path(f"{name}.crt"), "-key", path(f"{name}.key"), "-quiet"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        reason(f"{name}-by-{authority}", port, sentence, "--cafile", path(f"{authority}.crt"))
    broker = Broker(directory)
    reason("unreadable", broker.port, "Unable to load CA certificates", "--cafile", path("expired.key"))
    reason("plain", broker.port, "TLS failed: ", "--cafile", path("right.crt"))
    reason("open", broker.port, "warning: the user name is sent without TLS", "--username", "till")

    broker.stop()

    # As brokers do when a second client has the same ID; mosquitto 2.0 only closes the connection.
    broker = OddBroker(ends=0x8E)
    reason("twin", broker.port, "another client has taken over its session: is the same --device used twice?")
    broker.stop()

    broker = OddBroker(pongs=False)
    reason("mute", broker.port, "it has not answered for 1 s")
    broker.stop()
    return "certificates, TLS, a client ID that is used twice, a broker that does not answer"


def an_output_that_nobody_reads(directory):
    """A reader of standard output that stands still holds nothing up; once it reads, it learns how much it has missed."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "unread")
    pipe = os.path.join(directory, "unread.lines")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    speaker = Speaker(program, directory, broker.port, "unread", "--sound", "skip")
    publisher.wait_online()
    names = [f"t{number}" for number in range(2000)]
    for name in names:
        publisher.publish(notice(name))
    wait_until(lambda: len({result["transaction"] for result in publisher.results}) == len(names), "all are announced")
    text = b""

    def read():
        nonlocal text
        try:
            text += os.read(reader, 65_536)
        except BlockingIOError:
            pass
        return b"lines were not read in time, and are lost" in text

    wait_until(read, "the reader learns what it has missed")
    lines = text.decode().splitlines()
    heard = [json.loads(line)["transaction"] for line in lines if line.startswith("{")]
    assert heard == names[:len(heard)] and len(heard) >= 1000, len(heard)
    assert f"{len(names) - len(heard)} lines were not read in time, and are lost" in lines, lines[-1]
    speaker.stop()
    os.close(reader)
    publisher.close()
    broker.stop()
    return f"{len(names)} payments; {len(heard)} lines read afterwards"


def results_of_an_outage(directory):
    """Announcements that end without a broker: their results are published when it is back."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "alone")
    speaker = Speaker(program, directory, broker.port, "alone")
    publisher.wait_online()
    names = [f"t{number}" for number in range(8)]
    for name in names:
        publisher.publish(notice(name))
    wait_until(lambda: publisher.outcome("t0"), "the first one is announced")
    # All are recorded by now: the broker sent them together.
    wait_until(lambda: rows(speaker, "SELECT count(*) FROM payments") == [(8,)], "all are recorded")
    broker.stop()
    wait_until(lambda: len(speaker.lines()) == 8, "all are announced")
    broker.start()
    wait_until(lambda: all(publisher.outcome(name) for name in names), "all results are published")
    assert {result["outcome"] for result in publisher.results} <= {"announced", "duplicate"}, publisher.results
    speaker.stop()
    publisher.close()
    broker.stop()
    return "published afterwards"


def forbidding(*names):
    """What makes system calls fail with EPERM in a new process, as the filter of a unit does."""
    machine = os.uname().machine
    numbers = [{
        "adjtimex": {"x86_64": 159, "aarch64": 171}, "clock_adjtime": {"x86_64": 305, "aarch64": 266},
        "sched_setparam": {"x86_64": 142, "aarch64": 118}, "sched_setscheduler": {"x86_64": 144, "aarch64": 119},
        "setpriority": {"x86_64": 141, "aarch64": 140}, "fchown": {"x86_64": 93, "aarch64": 55},
    }[name][machine] for name in names]
    load, is_equal, give = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0)]
    for number in numbers:
        code += [(is_equal, 0, 1, number), (give, 0, 0, 0x0005_0000 | 1)]  # SECCOMP_RET_ERRNO, EPERM
    code.append((give, 0, 0, 0x7FFF_0000))  # SECCOMP_RET_ALLOW
    instructions = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    memory = ctypes.create_string_buffer(instructions)
    filter = struct.pack("HxxxxxxP", len(code), ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)

    def forbid():
        assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
        assert libc.prctl(22, 2, filter, 0, 0) == 0 and memory  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER

    return forbid


def a_clock_that_may_not_be_asked(directory):
    """Where adjtimex(2) is forbidden, the clock counts as not set: payments wait for it, and no age is judged."""
    forbid = forbidding("adjtimex", "clock_adjtime")
    broker = Broker(directory)
    publisher = Publisher(broker.port, "early")
    speaker = Speaker(program, directory, broker.port, "early", "--sound", "skip", "--clock", "auto", prepare=forbid)
    publisher.wait_online()
    publisher.publish({**notice("a"), "time": "1999-01-01T00:00:00Z"})
    wait_until(lambda: "wall clock" in str(publisher.retained["health"]["problems"]), "it waits for the clock")
    assert not publisher.results
    speaker.stop()
    speaker = Speaker(program, directory, broker.port, "early", "--sound", "skip", "--clock", "unset")
    wait_until(lambda: publisher.outcome("a"), "it has its outcome")
    assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
    speaker.stop()
    publisher.close()
    broker.stop()
    return "its ages are not judged"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed_notices_over_tls(directory):
    """A broker that wants certificates of a CA of the test's own, and notices that are signed."""
    def openssl(*arguments, data=None):
        return subprocess.run(
            ["openssl", *arguments], cwd=directory, input=data, check=True, capture_output=True).stdout

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj", "/CN=test CA", "-keyout", "ca.key", "-out", "ca.crt")
    for name in ("broker", "speaker", "publisher"):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-days", "1",
                "-copy_extensions", "copy", "-out", f"{name}.crt")
    path = lambda name: os.path.join(directory, name)
    broker = Broker(directory, [
        f"cafile {path('ca.crt')}", f"certfile {path('broker.crt')}", f"keyfile {path('broker.key')}",
        "require_certificate true", "use_identity_as_username true", "allow_anonymous false"])

    secret = os.urandom(32)
    openssl("genpkey", "-algorithm", "ed25519", "-out", "sign.key")
    public = openssl("pkey", "-in", "sign.key", "-pubout", "-outform", "DER")[-32:]
    with open(path("signing-keys"), "w") as file:
        file.write(f"# two keys\nshop HS256 {base64url(secret)}\nbank EdDSA {base64url(public)}\n")

    def sign(name, algorithm, contents, **more):
        header = base64url(json.dumps({"alg": algorithm, "kid": name, **more}).encode())
        text = f"{header}.{base64url(json.dumps(contents).encode())}"
        if algorithm == "HS256":
            signature = hmac.new(secret, text.encode(), hashlib.sha256).digest()
        else:
            with open(path("text"), "w") as file:
                file.write(text)
            signature = openssl("pkeyutl", "-sign", "-inkey", "sign.key", "-rawin", "-in", "text")
        return f"{text}.{base64url(signature)}"

    publisher = Publisher(broker.port, "secure", {
        "ca_certs": path("ca.crt"), "certfile": path("publisher.crt"), "keyfile": path("publisher.key")})
    speaker = Speaker(
        program, directory, broker.port, "secure", "--cafile", path("ca.crt"), "--cert", path("speaker.crt"), "--key",
        path("speaker.key"), "--signing-keys", path("signing-keys"), "--sound", "skip")
    publisher.wait_online()
    right = [
        sign("shop", "HS256", notice("a", device="secure")), sign("bank", "EdDSA", notice("b", device="secure"))]
    header, contents, signature = right[0].split(".")
    forged = base64url(json.dumps(notice("a", "9000.00", device="secure")).encode())
    none = base64url(b'{"alg":"none","kid":"shop"}')
    # An extension that the speaker does not know.
    extended = sign("shop", "HS256", notice("g", device="secure"), crit=["b64"], b64=True)
    wrong = [
        json.dumps(notice("c", device="secure")), f"{header}.{forged}.{signature}", f"{none}.{contents}.",
        sign("shop", "HS256", notice("d", device="another")), sign("nobody", "HS256", notice("e", device="secure")),
        sign("bank", "HS256", notice("f", device="secure")), f"{header}.{contents}.{signature}A", extended,
    ]
    for payload in wrong + right + right:
        publisher.publish(payload)
    expected = {"refused": len(wrong), "announced": 2, "duplicate": 2}
    wait_until(
        lambda: collections.Counter(result["outcome"] for result in publisher.results) == expected,
        f"outcomes {expected}, not {collections.Counter(r['outcome'] for r in publisher.results)}")
    assert rows(speaker, "SELECT transaction_id FROM payments ORDER BY 1") == [("a",), ("b",)]

    # A command is signed as well, and obeyed once.
    def command(name, jti, offset=0, **more):
        return sign("shop", "HS256", {
            "command": name, "device": "secure", "jti": jti, "iat": int(time.time()) + offset, **more})

    publisher.results.clear()
    first, second = command("repeat", "1"), command("repeat", "2")
    late, early = command("repeat", "3", -3600), command("repeat", "4", 3600)
    for payload in ["repeat", first, first, right[0], command("repeat", "5", device="another"), late, early, second, first]:
        publisher.publish(payload, name="command")
    # A command is no notice.
    publisher.publish(command("repeat", "6"))
    publisher.publish(command("policy", "7", policy="obey"), name="command")
    expected = {"refused": 8, "announced": 2, "obeyed": 3}
    wait_until(
        lambda: collections.Counter(result["outcome"] for result in publisher.results) == expected,
        f"the commands' outcomes {expected}; see {speaker.lines_path}")
    assert all(result["requested"] for result in publisher.results if result["outcome"] == "announced")
    assert [result["jti"] for result in publisher.results if result["outcome"] == "obeyed"] == ["1", "2", "7"]
    reasons = collections.Counter(result["reason"] for result in publisher.results)
    assert reasons["the message is not signed"] == 1 and reasons["the command is a replay"] == 2, reasons
    wait_until(lambda: publisher.retained["state"]["policy"] == "obey", "the policy is another one")

    # A speaker whose certificate is of another authority is not let in, and goes on trying.
    speaker.stop()
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj", "/CN=stranger", "-keyout", "stranger.key", "-out", "stranger.crt")
    stranger = Speaker(
        program, directory, broker.port, "stranger", "--cafile", path("ca.crt"), "--cert", path("stranger.crt"),
        "--key", path("stranger.key"))
    def log():
        with open(path("mosquitto.log")) as file:
            return file.read()

    wait_until(lambda: log().count("certificate verify failed") >= 2, "the broker refuses the certificate twice")
    wait_until(lambda: "it does not accept this client over TLS: unknown ca" in stranger.errors(), "the speaker says why")
    assert stranger.process.poll() is None
    stranger.stop()
    assert "payment-speaker-secure" in log() and "payment-speaker-stranger" not in log()
    publisher.close()
    broker.stop()
    return f"TLS with client certificates; HMAC-SHA256 and Ed25519; {len(wrong)} forgeries refused; signed commands"


def recordings_without_a_gap(directory):
    """Recordings by espeak-ng, joined; a missing one is found at the start, and silences no payment."""
    subprocess.run([os.path.join(product, "make-clips"), program, os.path.join(directory, "clips")], check=True)
    check = subprocess.run(
        [program, "voices", "check", os.path.join(directory, "clips")], capture_output=True, text=True)
    assert check.returncode == 0 and "zh: right, with" in check.stdout, check.stdout[-300:]
    broker = Broker(directory)
    publisher = Publisher(broker.port, "voice")
    clips = os.path.join(directory, "clips")
    speaker = Speaker(
        program, directory, broker.port, "voice", "--clips", clips, "--language", "en", "--sound", "skip")
    publisher.wait_online()
    publisher.publish(notice("a", "999999999.99"))
    wait_until(lambda: publisher.outcome("a"), "it is announced")
    assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
    speaker.stop()
    os.remove(os.path.join(clips, "zh", "10000.wav"))
    check = subprocess.run([program, "voices", "check", clips], capture_output=True, text=True)
    assert check.returncode == 1 and "10000.wav" in check.stdout, check
    speaker = Speaker(program, directory, broker.port, "voice", "--clips", clips, "--sound", "skip")
    wait_until(lambda: "10000.wav" in str(publisher.retained["health"]["problems"]), "health names the recording")
    with open(speaker.errors_path) as file:
        assert "10000.wav" in file.read()
    publisher.publish(notice("b", "10000"))
    publisher.publish(notice("c", "12.50"))
    wait_until(lambda: publisher.outcome("b") and publisher.outcome("c"), "both are announced")
    outcomes = [(publisher.outcome(name)[0]["outcome"], publisher.outcome(name)[0]["reason"]) for name in "bc"]
    assert outcomes == [("announced", "chime"), ("announced", None)], outcomes
    speaker.stop()
    publisher.close()
    broker.stop()
    recordings = glob.glob(os.path.join(clips, "*", "*.wav"))
    for recording in recordings:
        with wave.open(recording) as file:
            samples = array.array("h", file.readframes(file.getnframes()))
            margin = file.getframerate() * file.getnchannels() // 20
        # No silence of 50 ms at either end: nothing would close the gap.
        for end in (samples[:margin], samples[-margin:]):
            assert max(map(abs, end)) > 50, f"{recording} begins or ends with silence"
    return f"{len(recordings)} recordings by espeak-ng, without silence at their ends"


def the_board_of_the_service(directory):
    """The service's simulated board, over a bus of the test's own."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, "shared")
    environment = dict(os.environ, RINGER_BUS="session")
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--print-address", "--nofork"], stdout=subprocess.PIPE, text=True)
    environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
    service = subprocess.Popen(
        [ringerd, "--session", "--board", "simulated"], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ.update(environment)
    try:
        wait_until(lambda: subprocess.run(
            ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
             "org.freedesktop.DBus.ListNames"],
            env=environment, capture_output=True, text=True).stdout.count("inger") > 0, "ringerd is on the bus")
        speaker = Speaker(program, directory, broker.port, "shared", board=("--board", "service"))
        publisher.wait_online()
        publisher.publish(notice("a"))
        wait_until(lambda: publisher.outcome("a"), "it is announced")
        assert publisher.outcome("a")[0]["outcome"] == "announced", publisher.outcome("a")
        assert publisher.outcome("a")[0]["firstFrame"] is not None
        speaker.stop()
    finally:
        service.terminate()
        service.wait()
        bus.terminate()
        bus.wait()
    publisher.close()
    broker.stop()
    return "announced by ringerd"


scenarios = [
    every_payment_once, notices_of_every_kind, a_full_disk, a_ledger_on_a_small_disk, a_ledger_that_cannot_be_written,
    a_damaged_ledger, a_damaged_ledger_on_a_small_disk, a_notice_that_is_not_recorded,
    a_subscription_that_is_refused, a_broker_that_sets_the_keep_alive, reasons_in_sentences, what_systemd_expects,
    an_output_that_nobody_reads, results_of_an_outage, a_clock_that_may_not_be_asked, signed_notices_over_tls,
    recordings_without_a_gap, the_board_of_the_service]
unknown = set(chosen) - {scenario.__name__ for scenario in scenarios}
if unknown:
    sys.exit(f"no such scenario: {', '.join(sorted(unknown))}")
failed = 0
for scenario in scenarios:
    if chosen and scenario.__name__ not in chosen:
        continue
    # The ledger waits for the disk at each payment: in memory the test does not measure the disk.
    directory = tempfile.mkdtemp(prefix="ringer-payments.", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    begin = time.monotonic()
    try:
        result = scenario(directory)
        print(f"ok    {scenario.__name__}: {result} ({time.monotonic() - begin:.1f} s)", flush=True)
        shutil.rmtree(directory)
    except Exception as error:
        failed += 1
        print(f"FAILED {scenario.__name__}: {error!r}; its files are in {directory}", flush=True)
    finally:
        for process in processes:
            process.kill()
count = len(chosen or scenarios)
print(f"payment speaker: {count - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
