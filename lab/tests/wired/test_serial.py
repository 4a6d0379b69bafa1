"""Run by ../test_bench.py over a serial line: those whose name begins with test_bad have to fail, for the bench alone."""

import pytest
from pytest import raises

SCRIPT = 'trap "echo got it" USR1; trap "exit 3" TERM; echo "ready $NAME"; while :; do sleep 0.1; done'


@pytest.fixture
def program(lab):
    return lab.firmware("sh", "-c", SCRIPT, ready="ready", env={"NAME": "a b"})


def test_its_output_signals_and_status(lab, program):
    assert program.output == "ready a b"
    at = program.signal("SIGUSR1")
    assert 0 <= program.wait_for("got it") - at < 0.2
    program.signal("SIGTERM")
    assert program.wait() == 3


def test_lacks_input(lab, program):
    program.input("text\n")


def test_a_contact_to_ground(lab):
    contact = lab.line("CONTACT")
    before = contact.value
    at = contact.set(0)
    lab.advance(0.1)
    contact.set(1)
    lab.advance(0.1)
    assert [level for _, level in contact.edges] == ([0, 1] if before else [])
    assert all(0 < edge - at < 0.11 for edge, _ in contact.edges)


def test_bad_garbled(lab, program, fault):
    fault("garble")
    program.signal("SIGUSR1")
    lab.advance(1)


def test_bad_flipped(lab, program, fault):
    fault("flip")
    program.signal("SIGUSR1")
    lab.advance(1)


def test_works_again(lab, program):
    with raises(AssertionError, match="did not say 'nonsense'"):
        program.wait_for("nonsense", within=1)
    program.signal("SIGTERM")
    assert program.wait() == 3
