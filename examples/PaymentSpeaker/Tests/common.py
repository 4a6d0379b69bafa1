"""What the scenarios share: the programs under test, a speaker at a broker, and the ledger."""
import sqlite3
import sys

from broker import Broker, Publisher, Speaker

program, ringerd, product = sys.argv[1:4]


def online(directory, device, *options, **more):
    """A broker, a publisher, and a speaker that has subscribed."""
    broker = Broker(directory)
    publisher = Publisher(broker.port, device)
    speaker = Speaker(program, directory, broker.port, device, *options, **more)
    publisher.wait_online()
    return broker, publisher, speaker


def rows(speaker, query):
    with sqlite3.connect(speaker.ledger, timeout=10) as database:
        return database.execute(query).fetchall()
