"""A call by baresip, through Kamailio, with sound."""
import math
import os
import struct
import subprocess
import tempfile
import time
import wave

from calls import share_of_tone
from handset import PATIENCE
from kamailio import REALM, Kamailio
from registration import PASSWORD, registering

RATE = 8000


def configure(directory, proxy):
    """A baresip that plays 440 Hz, and hears nothing."""
    tone = os.path.join(directory, "tone.wav")
    with wave.open(tone, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", None))
        file.writeframes(struct.pack(
            f"<{RATE * 60}h", *(int(12000 * math.sin(2 * math.pi * 440 * frame / RATE)) for frame in range(RATE * 60))))
    with open(os.path.join(directory, "config"), "w") as file:
        # Port 0: one that is free.
        file.write("sip_listen 127.0.0.1:0\nmodule_path /usr/lib/baresip/modules\n"
                   f"audio_source aufile,{tone}\naudio_alert aufile,/dev/null\naudio_player aufile,/dev/null\n"
                   "ausrc_srate 8000\nauplay_srate 8000\nausrc_channels 1\nauplay_channels 1\n"
                   "module g711.so\nmodule aufile.so\nmodule_app account.so\nmodule_app menu.so\n")
    with open(os.path.join(directory, "accounts"), "w") as file:
        file.write(f'<sip:desk@{REALM}>;outbound="sip:{proxy}";regint=0;audio_codecs=pcmu\n')
    open(os.path.join(directory, "contacts"), "w").close()


def tone(path):
    """The share of the tone in what was captured so far."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return 0
    return share_of_tone(struct.unpack(f"<{len(data) // 2}h", data[:len(data) // 2 * 2]), 440, RATE)


def hang_up_once_heard(peer, path):
    """Waits until the tone is heard, and has baresip hang up. The tone's share, and what baresip printed."""
    end, share = time.monotonic() + PATIENCE, 0
    while share <= 0.9 and time.monotonic() < end:
        time.sleep(0.2)
        share = tone(path)
    peer.terminate()
    return share, peer.communicate(timeout=PATIENCE)[0]


def test_baresip():
    """baresip calls the handset's account at the proxy; its tone is heard; its end is the call's."""
    with tempfile.TemporaryDirectory() as work, Kamailio(PASSWORD) as kamailio:
        configure(work, kamailio.address)
        heard = os.path.join(work, "heard.raw")
        with registering([kamailio.address], "--answer-after", "0", "--microphone-pcm", "null", "--call-pcm",
                         f"paced:CAPTURE={heard},RATE={RATE},CHANNELS=1") as handset:
            kamailio.wait(lambda: kamailio.said("saved"), "registered")
            with subprocess.Popen(
                    ["baresip", "-f", work, "-e", f"/dial sip:door@{REALM}"], stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as peer:
                try:
                    share, said = hang_up_once_heard(peer, heard)
                finally:
                    peer.kill()
            event = handset.wait(
                lambda: next((event for event in handset.events if event.get("event") == "ended"), None),
                f"ended; baresip said {said[-1000:]}")
            assert event["heard"] > 0.5, (event, said)
            # An answer may come before the first frame of the ring.
            assert handset.kinds(event["call"])[-2:] == ["answered", "ended"], handset.kinds(event["call"])
        assert share > 0.9, f"{share} of the power is the tone's"
