"""Brokers that are away, refuse, or set their own terms."""
import collections
import glob
import json
import os
import subprocess
import time

from broker import Broker, OddBroker, Publisher, Speaker, free_port, notice, processes, wait_until
from common import online, program, rows


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
    return "not online until it is granted"


def a_broker_that_sets_the_keep_alive(directory):
    """Server Keep Alive (MQTT 5, 3.2.2.3.14) takes the place of the speaker's own; a broker that never answers the
    subscription is left after that."""
    # The first connection's subscription is not answered.
    broker = OddBroker(grants=lambda connection: connection > 1)
    speaker = Speaker(program, directory, broker.port, "capped", "--sound", "skip", "--keep-alive", "25")
    wait_until(lambda: broker.connections == 2, "the speaker leaves", 120)
    assert broker.pings >= 3, broker.pings
    before = broker.pings
    # Longer than its own time: it would ask once.
    wait_until(lambda: broker.pings >= before + 6, "the speaker asks every 5 s", 120)
    # After a while its health once more: the answer makes the connection a good one.
    wait_until(lambda: broker.healths.count(2) >= 3, "the speaker asks for an answer", 120)
    assert broker.connections == 2
    with open(speaker.errors_path) as file:
        assert "cannot subscribe at" in file.read()
    return "obeyed"


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

    # As brokers do when a second client has the same ID; mosquitto 2.0 only closes the connection.
    broker = OddBroker(ends=0x8E)
    reason("twin", broker.port, "another client has taken over its session: is the same --device used twice?")

    broker = OddBroker(pongs=False)
    reason("mute", broker.port, "it has not answered for 1 s")
    return "certificates, TLS, a client ID that is used twice, a broker that does not answer"


def results_of_an_outage(directory):
    """Announcements that end without a broker: their results are published when it is back."""
    broker, publisher, speaker = online(directory, "alone")
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
    return "published afterwards"


def messages_that_are_refused(directory):
    """What a broker refuses for now is published again: RabbitMQ does so where a node of the cluster was lost."""
    topics = collections.Counter()

    def refuses(topic):
        topics[topic] += 1
        return topics[topic] == 1

    broker = OddBroker(delivers=lambda connection: [notice("a"), notice("b")] if connection == 1 else [], refuses=refuses)
    speaker = Speaker(program, directory, broker.port, "odd", "--sound", "skip")
    # The first result is refused, the second one is not.
    wait_until(lambda: topics["payments/odd/result"] == 3, "the result is published again")
    wait_until(lambda: topics["payments/odd/state"] == 2, "the state is published again")
    wait_until(lambda: topics["payments/odd/health"] > 2 and '"problems":[]' in broker.texts[-1], "there is no problem")
    assert "Implementation specific error" in speaker.errors(), speaker.errors()
    # Once is enough.
    time.sleep(12)
    assert topics["payments/odd/result"] == 3 and broker.connections == 1, topics
    return "published again"
