"""What the speaker plays, recorded sample for sample from the other side of the loopback card."""

import array
import contextlib
import ctypes
import errno
import math
import os
import re
import threading
import time
import wave
from typing import NamedTuple

from ringer_lab import LabError

CHANNELS, FRAME = 2, 4
# The card moves its position when the kernel's clock ticks. In nanoseconds.
TICK = 10_000_000
# A shorter silence is part of a sound.
GAP = 0.02
# Source: alsa/pcm.h.
CAPTURE, NONBLOCK, S16_LE, INTERLEAVED = 1, 1, 2, 3


def card():
    """The name of the loopback card."""
    with open("/proc/asound/cards", encoding="utf-8") as file:
        found = re.search(r"^ *\d+ \[(\w+) *\]: Loopback ", file.read(), re.MULTILINE)
    return found[1] if found else None


def set_timer_slack(nanoseconds):
    """How much later than asked for this thread may wake up; 0 is the default, 50 microseconds. Source: prctl(2)."""
    ctypes.CDLL(None).prctl(29, ctypes.c_ulong(nanoseconds))  # PR_SET_TIMERSLACK


def wait_between_ticks():
    """Sleeps until the same place between two ticks of the kernel's clock in every test, and returns the time.

    At a tick itself it would be chance whether the tick is over. The virtual clock moves in steps of 256 ns, of which two
    ticks are a multiple.
    """
    span, place = 20_000_000, 3_300_000
    now = time.monotonic_ns()
    moment = now + span + (place - now) % span  # the kernel's timers are inexact before its first tick
    set_timer_slack(1)
    time.sleep((moment - now) / 1e9)
    set_timer_slack(0)
    return moment / 1e9


class Sound(NamedTuple):
    start: float
    end: float
    peak: float
    frequency: float


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class Speaker:
    NAME = "the speaker"
    INTERVAL = 1  # seconds until the recording is taken from the card

    def __init__(self, lab, rate=None):
        self.lab, self.rate = lab, rate or int(os.environ["RINGER_LAB_RATE"])
        self.pieces, self.frames = [], 0  # [(first frame, samples)] without what is silent; how many there were
        self.problem, self.is_closed = None, False
        self.lock, self.closing = threading.Lock(), threading.Event()
        try:
            self.library = ctypes.CDLL("libasound.so.2")
        except OSError:
            raise LabError("libasound.so.2 is missing: apt-get install libasound2") from None
        self.library.snd_pcm_avail.restype = self.library.snd_pcm_readi.restype = ctypes.c_long
        self.library.snd_strerror.restype = ctypes.c_char_p
        self.buffer = ctypes.create_string_buffer(65536)
        wait_between_ticks()
        self.start = self.open()
        threading.Thread(target=self.drain_regularly, daemon=True).start()

    def open(self):
        """Starts recording, and returns the time of the first frame."""
        # What is played to the other side would be recorded by its microphone, and not be heard.
        number = os.readlink(f"/proc/asound/{card()}").removeprefix("card")
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"/dev/snd/pcmC{number}D1p")
        self.pcm = ctypes.c_void_p()
        self.call("snd_pcm_open", ctypes.byref(self.pcm), f"hw:{card()},1,0".encode(), CAPTURE, NONBLOCK)
        self.call("snd_pcm_set_params", self.pcm, S16_LE, INTERLEAVED, CHANNELS, self.rate, 0, 4_000_000)
        self.call("snd_pcm_start", self.pcm)
        status, stamp = ctypes.c_void_p(), Timespec()
        self.call("snd_pcm_status_malloc", ctypes.byref(status))
        self.call("snd_pcm_status", self.pcm, status)
        self.library.snd_pcm_status_get_trigger_htstamp(status, ctypes.byref(stamp))
        self.library.snd_pcm_status_free(status)
        # The first frame came at the tick before.
        return (stamp.seconds * 1_000_000_000 + stamp.nanoseconds) // TICK * TICK / 1e9

    def __repr__(self):
        return "Speaker()"

    def call(self, function, *arguments):
        result = getattr(self.library, function)(*arguments)
        if result < 0:
            raise LabError(f"{self.NAME} cannot be recorded: {function}: {self.library.snd_strerror(result).decode()}")

    def drain_regularly(self):
        while not self.closing.wait(self.INTERVAL):
            self.drain()

    def drain(self):
        """Takes what the card has recorded until now."""
        with self.lock:
            while not self.is_closed and self.problem is None:
                available = self.library.snd_pcm_avail(self.pcm)
                count = (
                    available
                    if available <= 0
                    else self.library.snd_pcm_readi(self.pcm, self.buffer, ctypes.c_ulong(len(self.buffer) // FRAME))
                )
                if count in (0, -errno.EAGAIN):
                    return
                if count < 0:
                    self.problem = f"the recorder of the speaker stopped: {self.library.snd_strerror(count).decode()}"
                    # A card goes only when nobody has it open.
                    self.library.snd_pcm_close(self.pcm)
                    self.is_closed = True
                else:
                    self.keep(self.buffer.raw[: count * FRAME])

    def keep(self, samples):
        first, self.frames = self.frames, self.frames + len(samples) // FRAME
        if samples.count(0) == len(samples):
            return
        if self.pieces and self.pieces[-1][0] + len(self.pieces[-1][1]) // FRAME == first:
            self.pieces[-1][1].extend(samples)
        else:
            self.pieces.append((first, bytearray(samples)))

    def samples(self, first, end):
        """Those of some frames."""
        data = bytearray((end - first) * FRAME)
        for start, piece in self.pieces:
            begin, stop = max(first, start), min(end, start + len(piece) // FRAME)
            if begin < stop:
                data[(begin - first) * FRAME : (stop - first) * FRAME] = piece[(begin - start) * FRAME : (stop - start) * FRAME]
        return array.array("h", data)

    def problems(self):
        now = time.monotonic()
        self.drain()
        if self.problem is None and not self.is_closed:
            behind = now - self.start - self.frames / self.rate
            if behind > 3 * TICK / 1e9:
                self.problem = f"the recorder of the speaker stopped: it is {behind:.3f} s behind"
        return [self.problem] if self.problem else []

    def plug(self):
        """Goes on after unplug(); nothing was heard meanwhile."""
        with self.lock:
            if self.problem is None and not self.closing.is_set():
                first = self.open()
                self.frames = max(self.frames, round((first - self.start) * self.rate))
                self.is_closed = False

    def close(self):
        """Ends the recording; what was recorded stays."""
        self.closing.set()
        self.unplug()

    def unplug(self):
        """Lets the card go, which it can only when nobody has it open."""
        self.drain()
        with self.lock:
            if not self.is_closed:
                self.library.snd_pcm_close(self.pcm)
                self.is_closed = True

    def checked(self):
        if problems := self.problems():
            raise LabError(problems[0])

    def spans(self):
        """[(first, behind the last)] of the frames of each sound."""
        self.checked()
        block, found = self.rate // 1000 * FRAME, []
        for start, piece in self.pieces:
            for position in range(0, len(piece), block):
                part = piece[position : position + block]
                if part.count(0) == len(part):
                    continue
                first = start + (position + len(part) - len(part.lstrip(b"\0"))) // FRAME
                end = start - (-(position + len(part.rstrip(b"\0"))) // FRAME)
                if found and first - found[-1][1] < GAP * self.rate:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((first, end))
        return found

    @property
    def heard(self):
        """What was heard: start and end, the largest sample (1 is full scale), and the frequency in Hz."""
        return [
            Sound(
                round(self.start + first / self.rate, 6),
                round(self.start + end / self.rate, 6),
                *self.measure(first, end),
            )
            for first, end in self.spans()
        ]

    def measure(self, first, end):
        frames = self.samples(first, end)
        left = frames[::CHANNELS]
        rises = [
            index - right / (right - before)
            for index, (before, right) in enumerate(zip(left, left[1:]), 1)
            if before < 0 <= right
        ]
        frequency = (len(rises) - 1) * self.rate / (rises[-1] - rises[0]) if len(rises) > 1 else 0.0
        return max(map(abs, frames)) / 32768, round(frequency, 1)

    @property
    def silent_since(self):
        """The time at which the last sound ended; infinite while one can be heard."""
        spans = self.spans()
        if not spans:
            raise AssertionError("the speaker was never heard")
        if not self.is_closed and self.frames - spans[-1][1] < GAP * self.rate:
            return math.inf
        return round(self.start + spans[-1][1] / self.rate, 6)

    def differs(self, path, whole=True):
        """Where what was heard, silence around it left out, differs from a WAV file; empty if it is equal. With
        `whole=False` what was heard may go on behind the file, as a tone does that is repeated.
        """
        wanted = wave_samples(path, self.rate)
        self.checked()
        got = trimmed(array.array("h", b"".join(self.chunks())))
        if not whole:
            got = got[: len(wanted)]
        if got == wanted:
            return ""
        pairs = enumerate(zip(got, wanted))
        at = next((index for index, (one, other) in pairs if one != other), min(len(got), len(wanted)))
        at, heard, whole = at // CHANNELS, len(got) // CHANNELS, len(wanted) // CHANNELS
        return f"differs from frame {at} on; {heard} frames heard, {whole} wanted"

    def save(self, path):
        with wave.open(path, "wb") as file:
            file.setparams((CHANNELS, 2, self.rate, 0, "NONE", ""))
            for chunk in self.chunks():
                file.writeframesraw(chunk)

    def chunks(self):
        """All samples until the last sound, the silence before and between sounds included."""
        position = 0
        for start, piece in self.pieces:
            yield bytes((start - position) * FRAME)
            yield bytes(piece)
            position = start + len(piece) // FRAME


def wave_samples(path, speaker_rate):
    """The samples of a WAV file with the speaker's rate, for two channels, without the silent frames at both ends."""
    try:
        with wave.open(os.fspath(path), "rb") as file:
            channels, width, rate, count, _, _ = file.getparams()
            data = file.readframes(count)
    except (wave.Error, EOFError) as error:
        raise LabError(f"{path} is no WAV file with plain samples: {error}") from None
    if width != 2 or channels > 2 or rate != speaker_rate:
        raise LabError(
            f"{path}: {8 * width} bits, {channels} channels, {rate} Hz; the speaker has 16 bits, at most 2 "
            f"channels, and {speaker_rate} Hz: --rate sets that"
        )
    wanted = array.array("h", data)
    if channels == 1:
        wanted = array.array("h", [sample for sample in wanted for _ in range(2)])
    wanted = trimmed(wanted)
    if not wanted:
        raise LabError(f"{path} is silent, as if nothing had been heard: compare lab.speaker.heard with []")
    return wanted


def trimmed(samples):
    """Without the silent frames at both ends."""
    data = samples.tobytes()
    first = (len(data) - len(data.lstrip(b"\0"))) // FRAME
    end = -(-len(data.rstrip(b"\0")) // FRAME)
    return samples[first * CHANNELS : end * CHANNELS]
