"""Calls over TLS, whose sound is encrypted; and who is refused there."""
import base64
import contextlib
import os
import re
import ssl
import struct
import subprocess
import tempfile
import time

from baresip import RATE, configure, hang_up_once_heard
from common import PROGRAM, start
from handset import PATIENCE, Caller
from kamailio import Kamailio


@contextlib.contextmanager
def certificates():
    """A folder with two authorities, `right` and `other`; the handset's certificate and those of callers: of either authority,
    and one that has expired. Each .pem has the key as well."""
    with tempfile.TemporaryDirectory() as folder:
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        for authority in ("right", "other"):
            openssl("req", "-x509", *key, "-subj", f"/CN={authority}", "-keyout", f"{authority}.key", "-out", f"{authority}.crt")
        for name, authority, days in (("handset", "right", "30"), ("caller", "right", "30"), ("stranger", "other", "30"),
                                      ("late", "right", "-1")):
            with open(os.path.join(folder, "names"), "w", encoding="utf-8") as file:
                file.write("subjectAltName=IP:127.0.0.1\n")
            openssl("req", *key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key", "-CAcreateserial",
                    "-days", days, "-extfile", "names", "-out", f"{name}.crt")
            with open(os.path.join(folder, f"{name}.pem"), "w", encoding="utf-8") as file:
                for part in ("crt", "key"):
                    with open(os.path.join(folder, f"{name}.{part}"), encoding="utf-8") as source:
                        file.write(source.read())
        yield lambda name: os.path.join(folder, name)


def context(path, certificate=None, authority="right"):
    """Of a caller with that certificate, who trusts that authority."""
    made = ssl.create_default_context(cafile=path(f"{authority}.crt"))
    if certificate:
        made.load_cert_chain(path(f"{certificate}.pem"))
    return made


def secured(caller, crypto=None):
    """The caller's description with a key."""
    key = base64.b64encode(bytes(range(30))).decode()
    crypto = crypto or f"7 AES_CM_128_HMAC_SHA1_80 inline:{key}|2^31"
    return caller.description.replace("RTP/AVP", "RTP/SAVP") + f"a=crypto:{crypto.replace('KEY', key)}\r\n"


def test_tls_with_baresip():
    """baresip calls over TLS with SRTP: its tone is heard. Without SRTP, or with a certificate of another authority, nothing
    rings. Debian's baresip does not verify the handset's certificate."""
    with certificates() as path, tempfile.TemporaryDirectory() as work:
        heard = os.path.join(work, "heard.raw")
        with start("--transport", "tls", "--certificate", path("handset.pem"), "--caller-authorities", path("right.crt"),
                   "--answer-after", "0", "--microphone-pcm", "null", "--call-pcm",
                   f"paced:CAPTURE={heard},RATE={RATE},CHANNELS=1") as handset:
            def call(encryption, certificate="caller"):
                folder = tempfile.mkdtemp(dir=work)
                configure(folder, "127.0.0.1")
                with open(os.path.join(folder, "config"), "a", encoding="utf-8") as file:
                    file.write(f"sip_cafile {path('right.crt')}\nsip_certificate {path(certificate + '.pem')}\nmodule srtp.so\n")
                with open(os.path.join(folder, "accounts"), "w", encoding="utf-8") as file:
                    file.write(f"<sip:desk@127.0.0.1;transport=tls>;regint=0;audio_codecs=pcmu{encryption}\n")
                return subprocess.Popen(
                    ["baresip", "-f", folder, "-e", f"/dial sip:handset@127.0.0.1:{handset.port};transport=tls"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

            with call("") as peer:
                try:
                    refused = handset.wait(
                        lambda: next((event for event in handset.events if event.get("event") == "refused"), None), "refused")
                    assert refused["reason"] == "488 Not Acceptable Here", refused
                finally:
                    peer.kill()
            # The stranger calls all the while.
            with call(";mediaenc=srtp-mand", "stranger") as stranger, call(";mediaenc=srtp-mand") as peer:
                try:
                    share, said = hang_up_once_heard(peer, heard)
                finally:
                    peer.kill()
                    stranger.kill()
            ended = handset.wait(
                lambda: next((event for event in handset.events if event.get("event") == "ended"), None), f"ended; {said[-800:]}")
            assert ended["heard"] > 0.5 and share > 0.9, (ended, share, said[-800:])
            assert len({event["call"] for event in list(handset.events) if "call" in event}) == 2, handset.events
            handset.check_quiet()


def test_tls_with_kamailio():
    """Kamailio relays a caller's offer of SRTP to the handset by TLS: it rings, and its sound is encrypted. A Kamailio with a
    certificate of another authority does not get through, nor does a handset with one that Kamailio does not trust."""
    def relayed(kamailio, handset):
        """Whether a call rings; it is answered, and ended."""
        with Caller(kamailio.port) as caller:
            caller.invite(body=secured(caller))
            caller.expect(100)
            while not (reply := caller.receive()).startswith("SIP/2.0 180"):
                status = int(reply.split()[1])
                if status >= 300:
                    assert status in (408, 477, 500, 503), reply
                    assert not handset.kinds(caller.call), handset.kinds(caller.call)
                    return False
            handset.wait_for(caller.call, "ringing")
            reply = handset.answer(caller)
            assert re.search(r"^m=audio \d+ RTP/SAVP 0", reply, re.M) and "a=crypto:7 " in reply, reply
            # Encrypted silence, with the tag of 80 bits.
            packet = caller.next_packet()
            assert len(packet) == 12 + 160 + 10 and packet[12:172] != b"\xff" * 160, packet
            caller.hang_up()
            handset.wait_for(caller.call, "ended")
            return True

    with certificates() as path:
        for ours, theirs, rings in (("handset", "caller", True), ("handset", "stranger", False), ("stranger", "caller", False)):
            with start("--transport", "tls", "--certificate", path(f"{ours}.pem"), "--caller-authorities", path("right.crt"),
                       "--call-pcm", "null", "--microphone-pcm", "null") as handset:
                with Kamailio("unused", secure=(path(f"{theirs}.pem"), path("right.crt"), handset.port)) as kamailio:
                    assert relayed(kamailio, handset) == rings, (ours, theirs, kamailio.last())
                handset.check_quiet()


def test_wrong_certificates():
    """Callers without a certificate of the authorities do not get through the handshake; nor does TLS 1.1."""
    with certificates() as path, start(
            "--transport", "tls", "--certificate", path("handset.pem"), "--caller-authorities", path("right.crt")) as handset:
        descriptors = handset.descriptors()

        def asks(made):
            """Whether OPTIONS is answered."""
            try:
                with Caller(handset.port, "tls", context=made) as caller:
                    caller.send(caller.message("OPTIONS"))
                    caller.expect(200)
                    return True
            except (ssl.SSLError, ConnectionError, AssertionError):
                return False

        assert asks(context(path, "caller"))
        old = context(path, "caller")
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        for wrong in (context(path), context(path, "stranger"), context(path, "late"), old, context(path, "caller", "other")):
            assert not asks(wrong)
        # Without TLS nobody answers, and what is no handshake does not linger.
        with Caller(handset.port, "tcp") as caller:
            caller.send(caller.message("OPTIONS"))
            try:
                assert caller.socket.recv(100)[:3] != b"SIP"
            except ConnectionError:
                pass
        assert asks(context(path, "caller"))
        end = time.monotonic() + PATIENCE
        while handset.descriptors() > descriptors:
            assert time.monotonic() < end, f"descriptors: {descriptors}, then {handset.descriptors()}"
            time.sleep(0.1)
        assert len(handset.errors) == 1, handset.errors
    for file, reason in (("missing.pem", "are needed"), ("right.crt", "are needed")):
        with certificates() as path:
            result = subprocess.run(
                [PROGRAM, "--listen", "127.0.0.1:0", "--board", "simulated", "--transport", "tls", "--certificate", path(file)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
            assert result.returncode == 1 and reason in result.stderr and result.stderr.count("\n") == 1, result


def test_encrypted_sound():
    """Over TLS the sound is encrypted: offers without a usable key are refused, plain RTP is neither sent nor taken."""
    with certificates() as path, start(
            "--transport", "tls", "--certificate", path("handset.pem"), "--lost-after", "2", "--call-pcm", "null", "--microphone-pcm",
            "null") as handset:
        made = context(path)
        for crypto in ("1 AES_CM_128_HMAC_SHA1_80 inline:KEY|2^31|1:1", "1 AES_CM_128_HMAC_SHA1_80 inline:KEY UNENCRYPTED_SRTP",
                       "1 F8_128_HMAC_SHA1_80 inline:KEY", "1 AES_CM_128_HMAC_SHA1_80 inline:QUJD", "x AES_CM_128_HMAC_SHA1_80 inline:KEY",
                       "1 AES_CM_128_HMAC_SHA1_80 inline:KEYKEY", "1 AES_CM_128_HMAC_SHA1_80 inline:" + "=" * 40, "", "1", None):
            with Caller(handset.port, "tls", context=made) as caller:
                body = caller.description if crypto is None else secured(caller, crypto or " ")
                caller.invite(body=body)
                caller.expect(488)
                caller.send(caller.message("ACK"))
        with Caller(handset.port, "tls", context=made) as caller:
            caller.invite(body=secured(caller))
            caller.expect(180)
            handset.wait_for(caller.call, "ringing")
            reply = handset.answer(caller)
            found = re.search(r"^a=crypto:7 AES_CM_128_HMAC_SHA1_80 inline:([A-Za-z0-9+/]{40})\r$", reply, re.M)
            assert found and base64.b64decode(found[1]) != bytes(range(30)), reply
            # Encrypted silence, with the tag of 80 bits.
            packet = caller.next_packet()
            assert len(packet) == 12 + 160 + 10 and packet[12:172] != b"\xff" * 160, packet
            # Who takes the place of this caller gets another key: this one knows the first.
            with Caller(handset.port, "tls", context=made) as second:
                second.invite(
                    body=secured(second), headers=f"Replaces: {caller.call};to-tag={caller.tag};from-tag=caller\r\n")
                other = re.search(r"^a=crypto:7 AES_CM_128_HMAC_SHA1_80 inline:(.*)\r$", second.expect(200), re.M)
                second.acknowledge()
                caller.expect_request("BYE")
                assert other[1] != found[1]
                assert len(second.next_packet()) == 12 + 160 + 10
                second.hang_up()
            handset.wait_for(caller.call, "ended")
        with Caller(handset.port, "tls", context=made) as caller:
            caller.invite(body=secured(caller))
            handset.wait_for(caller.call, "ringing")
            port = int(re.search(r"^m=audio (\d+) RTP/SAVP 0", handset.answer(caller), re.M)[1])
            # Plain packets are no sign of life.
            for sequence in range(50):
                caller.next_packet()
                caller.rtp.sendto(struct.pack(">BBHII", 0x80, 0, sequence, sequence * 160, 1) + bytes(160), ("127.0.0.1", port))
                caller.rtp.sendto(bytes([0x80, 0xC9, 0, 1, 0, 0, 0, 1]), ("127.0.0.1", port + 1))
            caller.expect_request("BYE")
            assert handset.wait_for(caller.call, "ended")["heard"] == 0
        handset.check_quiet()
