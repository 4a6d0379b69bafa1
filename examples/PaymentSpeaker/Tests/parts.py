"""Payments that were heard in part."""
import os
import signal

from broker import notice, wait_until
from common import online, rows
from heard import make_recordings, words_of

# The frames of a word, half a second: an announcement takes five.
LENGTH = 24_000
AMOUNT = "123456789"


def begun(directory, device, *options, board):
    """A speaker and its publisher, in the middle of announcing the payment `a`."""
    make_recordings(os.path.join(directory, "clips"), LENGTH)
    _, publisher, speaker = online(
        directory, device, "--clips", os.path.join(directory, "clips"), "--language", "xx", *options, board=board)
    publisher.publish(notice("a", AMOUNT, currency="JPY"))
    wait_until(lambda: rows(speaker, "SELECT state FROM payments") == [("announcing",)], "its announcement begins")
    return publisher, speaker


def heard_until_the_switch_was_flipped(directory):
    """What the switch cuts off counts as unheard; the key announces it once more, whole."""
    publisher, speaker = begun(directory, "flipped", "--policy", "obey", board=("--board", "simulated"))
    speaker.input.write("position silent\n")
    wait_until(lambda: publisher.outcome("a"), "it has its outcome")
    result, = publisher.outcome("a")
    assert (result["outcome"], result["requested"]) == ("silenced", False), result
    wait_until(lambda: publisher.retained["state"].get("unheard") == 1, "it counts as unheard")
    # Nothing is announced by itself at ring: somebody asks for it.
    speaker.input.write("position ring\n")
    wait_until(lambda: publisher.retained["state"].get("position") == "ring", "the switch is at ring")
    publisher.publish(notice("b", "1", currency="JPY"))
    wait_until(lambda: publisher.outcome("b"), "the next one is announced")
    assert len(publisher.outcome("a")) == 1, publisher.outcome("a")
    speaker.input.write("repeat\n")
    wait_until(lambda: len(publisher.outcome("a")) == 2, "it is announced on request")
    result = publisher.outcome("a")[1]
    assert (result["outcome"], result["requested"]) == ("announced", True), result
    wait_until(lambda: publisher.retained["state"].get("unheard") == 0, "nothing is unheard")
    return "unheard, and announced on request"


def heard_until_the_power_was_cut(directory):
    """It is announced once more after the start, whole, after the words that say so; and then never again."""
    recording = os.path.join(directory, "recording")
    publisher, speaker = begun(
        directory, "cut", "--pcm", f"plug:'paced_hw:UNDERRUNS=false,RATE=48000,CHANNELS=1,CAPTURE={recording}'", board=())

    def heard():
        return words_of(recording, 1, LENGTH) if os.path.exists(recording) else []

    wait_until(lambda: heard()[:2] == ["start", "1"], "a part is heard")
    speaker.stop(signal.SIGKILL)
    before = heard()
    assert "end" not in before, before
    speaker.start()
    wait_until(lambda: publisher.outcome("a"), "it is announced")
    result, = publisher.outcome("a")
    assert (result["outcome"], result["repeated"]) == ("announced", True), result
    assert heard()[len(before):] == ["last-payment", "start", *AMOUNT, "end"], heard()
    speaker.stop()
    speaker.start()
    publisher.publish(notice("b", "1", currency="JPY"))
    wait_until(lambda: publisher.outcome("b"), "the next one is announced")
    assert heard()[len(before) + len(AMOUNT) + 3:] == ["start", "1", "end"], heard()
    assert len(publisher.outcome("a")) == 1, publisher.outcome("a")
    return "announced once more, whole, and marked"
