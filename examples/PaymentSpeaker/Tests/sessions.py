"""Who else is at the broker, and what the broker has forgotten."""
import os

from broker import OddBroker, Publisher, Speaker, notice, wait_until
from common import online, program


def a_second_speaker(directory):
    """A second process with the same name and ledger does not connect: it would throw the first one off the broker."""
    broker, publisher, first = online(directory, "twin", "--sound", "skip")
    second = Speaker(program, directory, broker.port, "twin", "--sound", "skip")
    wait_until(lambda: "another process uses it" in second.errors(), "the second one says why it does nothing")
    for number in range(20):
        publisher.publish(notice(f"t{number}"))
    wait_until(lambda: len(publisher.results) == 20, "all are announced")
    assert {result["outcome"] for result in publisher.results} == {"announced"}, publisher.results
    with open(os.path.join(directory, "mosquitto.log")) as file:
        assert file.read().count("as payment-speaker-twin") == 1
    # It takes the place of the first one.
    first.stop()
    publisher.publish(notice("after"))
    wait_until(lambda: publisher.outcome("after"), "the second one announces")
    return "waits for the ledger"


def a_session_that_the_broker_forgot(directory):
    """A broker that lost its sessions has lost notices: health says so, until the broker has kept a session again."""
    broker, publisher, speaker = online(directory, "gone", "--sound", "skip")

    def problems():
        return str(publisher.retained.get("health", {}).get("problems"))

    assert "session" not in problems(), problems()
    speaker.stop()
    broker.stop()
    os.remove(os.path.join(directory, "mosquitto.db"))
    publisher.retained.clear()
    broker.start()
    speaker.start()
    wait_until(lambda: "cannot resume the session" in problems(), "health says that the session is gone")
    publisher.wait_online()
    speaker.stop()
    speaker.start()
    wait_until(lambda: problems() == "[]", "the session is kept again")
    odd = OddBroker(expiry=3600)
    speaker = Speaker(program, directory, odd.port, "brief", "--sound", "skip")
    wait_until(lambda: any("3600 s instead of 604800 s" in text for text in odd.texts), "health says for how long")
    assert "cannot keep the session long enough" in speaker.errors()
    return "health says so"


def two_providers(directory):
    """Each provider has its topic, its transactions and its results; a person flips the simulated board's switch."""
    broker, publisher, speaker = online(directory, "till", "--provider", "bank", "--policy", "obey")
    bank = Publisher(broker.port, "till/bank")
    publisher.publish(notice("1", "1.00"))
    bank.publish(notice("1", "2.00"))
    wait_until(lambda: publisher.outcome("1") and bank.outcome("1"), "both are announced")
    for its, amount in ((publisher, "1.00"), (bank, "2.00")):
        results = its.outcome("1")
        assert [(result["outcome"], result["amount"]) for result in results] == [("announced", amount)], results
    speaker.input.write("position silent\n")
    wait_until(lambda: publisher.retained["state"].get("position") == "silent", "the switch is at silent")
    bank.publish(notice("2"))
    wait_until(lambda: bank.outcome("2"), "it has its outcome")
    assert bank.outcome("2")[0]["outcome"] == "silenced", bank.outcome("2")
    speaker.input.write("position ring\nrepeat\n")
    wait_until(lambda: len(bank.outcome("2")) == 2, "it is announced on request")
    assert bank.outcome("2")[1]["outcome"] == "announced", bank.outcome("2")
    speaker.input.write("volume 0\n")
    wait_until(lambda: "its volume is 0" in str(publisher.retained["health"]["problems"]), "health names the volume")
    speaker.stop()
    # The broker's session has the subscription still: a provider that is no longer one is not heard.
    speaker = Speaker(program, directory, broker.port, "till", "--sound", "skip")
    bank.publish(notice("3"))
    publisher.publish(notice("4"))
    wait_until(lambda: publisher.outcome("4"), "the speaker's own is announced")
    assert not bank.outcome("3") and not publisher.outcome("bank/3"), publisher.results
    return "apart, one after another"
