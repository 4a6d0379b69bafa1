"""Notices of every kind, and those that are signed."""
import base64
import collections
import hashlib
import hmac
import json
import os
import signal
import subprocess
import time

from broker import Broker, Publisher, Speaker, notice, now, wait_until
from common import rows, program


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
    return "stale, retained, refused, silenced, felt and requested notices; state, health and will"


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
    return f"TLS with client certificates; HMAC-SHA256 and Ed25519; {len(wrong)} forgeries refused; signed commands"
