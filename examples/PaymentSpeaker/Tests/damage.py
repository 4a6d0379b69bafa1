"""Ledgers that are damaged."""
import os
import signal
import sqlite3

from broker import Speaker, notice, wait_until
from common import online, program, rows
from disks import with_disk


def a_damaged_ledger(directory):
    """A ledger whose header is destroyed is set aside; the speaker goes on with a new one, and says so."""
    _, publisher, speaker = online(directory, "worn", "--sound", "skip")
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
    return "set aside"


def a_damaged_ledger_on_a_small_disk(directory):
    """A new ledger has no room for all that the damaged one has: it takes over the newest, and the speaker goes on."""
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    whole = os.path.join(directory, "whole.sqlite")
    broker, publisher, speaker = online(directory, "tight", "--sound", "skip", "--ledger", whole)
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
    return "the newest are taken over"
