"""What the scenarios share: the programs under test, and the ledger."""
import sqlite3
import sys

program, ringerd, product = sys.argv[1:4]


def rows(speaker, query):
    with sqlite3.connect(speaker.ledger, timeout=10) as database:
        return database.execute(query).fetchall()
