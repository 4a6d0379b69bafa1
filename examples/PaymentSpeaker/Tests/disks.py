"""Ledgers on disks that are full, small or read-only."""
import collections
import os
import resource
import subprocess
import threading
import time

from broker import OddBroker, Speaker, notice, wait_until
from common import online, program, rows


def a_full_disk(directory):
    """While the ledger cannot grow no notice is acknowledged; once it can, all are delivered again."""
    _, publisher, speaker = online(directory, "full", "--sound", "skip")
    publisher.publish(notice("before"))
    wait_until(lambda: publisher.outcome("before"), "the first one is announced")
    # A few can be recorded, and not all announced: how many are recorded depends on how many come at once.
    size = os.path.getsize(speaker.ledger + "-wal") + 40_000
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    for number in range(20):
        publisher.publish(notice(f"t{number}"))
    wait_until(lambda: publisher.retained["state"]["state"] == "offline", "the speaker leaves the broker")
    assert rows(speaker, "SELECT count(*) FROM payments WHERE state = 'announced'")[0][0] < 21
    assert speaker.process.poll() is None
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wait_until(lambda: len(publisher.results) >= 21, "all are announced")
    assert rows(speaker, "SELECT state, count(*) FROM payments GROUP BY 1") == [("announced", 21)]
    assert not [result for result in publisher.results if result["outcome"] != "announced"], publisher.results
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
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    _, publisher, speaker = online(
        directory, "small", "--sound", "skip", "--ledger", os.path.join(disk, "small.sqlite"),
        before=with_disk(directory, "size=300k"))
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
    return "200 payments on 300 kB; full, then not"


def a_ledger_that_cannot_be_written(directory):
    """On a disk that is read-only at the start, health says so, and nothing is acknowledged until it can be written."""
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    options = ("--sound", "skip", "--ledger", os.path.join(disk, "fixed.sqlite"))
    broker, publisher, speaker = online(directory, "fixed", *options, before=with_disk(directory, "size=1m"))
    speaker.stop()
    publisher.publish(notice("a"))
    speaker = Speaker(program, directory, broker.port, "fixed", *options, before=with_disk(directory, "size=1m,ro"))
    wait_until(lambda: "ledger" in str(publisher.retained["health"]["problems"]), "health names the ledger")
    assert speaker.process.poll() is None and not publisher.results
    in_namespace(speaker, "mount", "-o", "remount,rw", disk)
    wait_until(lambda: publisher.outcome("a"), "it is announced")
    wait_until(lambda: publisher.retained["health"]["problems"] == [], "there is no problem")
    return "health names it; announced once it can be written"


def a_ledger_that_cannot_be_read(directory):
    """While another user owns the ledger's file, health says so, and nothing is acknowledged; then all goes on, and what was
    announced is known still."""
    folder = os.path.join(directory, "folder")
    os.mkdir(folder)
    os.chmod(directory, 0o755)
    os.chmod(folder, 0o777)
    as_nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
    ledger = os.path.join(folder, "closed.sqlite")
    _, publisher, speaker = online(directory, "closed", "--sound", "skip", "--ledger", ledger, before=as_nobody)
    speaker.ledger = ledger
    first = notice("a")
    publisher.publish(first)
    wait_until(lambda: publisher.outcome("a"), "it is announced")
    speaker.stop()
    os.chown(speaker.ledger, 0, 0)
    os.chmod(speaker.ledger, 0o600)
    publisher.publish(first)
    publisher.publish(notice("b"))
    publisher.retained.clear()
    speaker.start()
    wait_until(lambda: "ledger" in str(publisher.retained.get("health", {}).get("problems")), "health names the ledger")
    assert "unable to open database file" in speaker.errors(), speaker.errors()
    assert speaker.process.poll() is None and len(publisher.results) == 1, publisher.results
    os.chmod(speaker.ledger, 0o666)
    wait_until(lambda: publisher.outcome("b"), "it is announced")
    outcomes = [result["outcome"] for result in publisher.outcome("a")]
    assert outcomes == ["announced", "duplicate"], outcomes
    wait_until(lambda: publisher.retained["health"]["problems"] == [], "there is no problem")
    assert not os.path.exists(speaker.ledger + ".damaged")
    return "health names it; what it has is known once it can be read"


def a_notice_that_is_not_recorded(directory):
    """It is not acknowledged either, at a time when the status is published at once."""
    _, publisher, speaker = online(directory, "full", "--sound", "skip")
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
    return "delivered again"


def a_full_disk_while_results_wait(directory):
    """Health says so although the broker sends a notice together with its answer, and has not acknowledged results: nothing of
    it was published, because the notice broke the connection off first."""
    is_cut = threading.Event()
    broker = OddBroker(
        delivers=lambda connection: [{}] * 3 if connection == 1 else [notice("a")] * is_cut.is_set(), answers=False)
    speaker = Speaker(program, directory, broker.port, "odd", "--sound", "skip")
    wait_until(lambda: len(speaker.lines()) == 3, "three results are published")
    resource.prlimit(speaker.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    is_cut.set()
    broker.cut()
    wait_until(lambda: any("cannot write the ledger" in text for text in broker.texts), "health names the ledger", 120)
    return "in health"
