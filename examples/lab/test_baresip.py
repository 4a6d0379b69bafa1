"""Debian's baresip rings although the switch is at silent: ringer-lab pytest --rate 8000 test_baresip.py"""

import array
import socket
import wave

import pytest

CONFIG = """\
net_interface 127.0.0.1
sip_listen 127.0.0.1:5060
module_path /usr/lib/baresip/modules
module g711.so
module alsa.so
module_app account.so
module_app menu.so
audio_player alsa,default
audio_source alsa,null
audio_alert alsa,default
audio_path /usr/share/baresip
ring_aufile ring.wav
"""

INVITE = """\
INVITE sip:bell@127.0.0.1 SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:{port};branch=z9hG4bKlaboratory
Max-Forwards: 70
From: <sip:guest@127.0.0.1>;tag=laboratory
To: <sip:bell@127.0.0.1>
Call-ID: laboratory
CSeq: 1 INVITE
Contact: <sip:guest@127.0.0.1:{port}>
Content-Type: application/sdp
Content-Length: {length}

"""

SDP = "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 4000 RTP/AVP 0\na=rtpmap:0 PCMU/8000\n"


@pytest.fixture
def baresip(lab, tmp_path):
    (tmp_path / "config").write_text(CONFIG)
    (tmp_path / "accounts").write_text("<sip:bell@127.0.0.1>;regint=0\n")
    (tmp_path / "contacts").write_text("")
    return lab.firmware("baresip", "-f", str(tmp_path), ready="baresip is ready", within=30)


def call():
    body = SDP.replace("\n", "\r\n")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
        caller.bind(("127.0.0.1", 0))
        request = INVITE.format(port=caller.getsockname()[1], length=len(body)).replace("\n", "\r\n") + body
        caller.sendto(request.encode(), ("127.0.0.1", 5060))


def decoded(code):
    """A sample of mu-law (ITU-T G.711) as 16 bits; baresip takes the positive zero for 2."""
    inverse = code ^ 0xFF
    size = (((inverse & 15) << 3) + 132 << (inverse >> 4 & 7)) - 132
    return 2 if code == 0xFF else -size if inverse & 128 else size


@pytest.fixture
def tone(tmp_path):
    """baresip's ring tone, as a file of 16 bits."""
    with open("/usr/share/baresip/ring.wav", "rb") as file:
        data = file.read().partition(b"data")[2]
    codes = data[4 : 4 + int.from_bytes(data[:4], "little")]
    path = tmp_path / "ring.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(array.array("h", map(decoded, codes)))
    return path


def test_baresip_rings_at_silent(lab, baresip, tone):
    lab.switch("SW_MUTE_DEVICE").set(1)
    lab.advance(1)
    call()
    lab.advance(15)
    # It would be right if nothing were heard.
    assert not lab.speaker.differs(tone, whole=False)
