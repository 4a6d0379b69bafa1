"""What the device's speaker plays, recorded at a line-in of the bench, and how late that recording is."""

import array
import ctypes
import threading
import time

from ringer_lab import LabError
from ringer_lab.bench.bench import at_key
from ringer_lab.bench.config import CHANNELS as SIDES
from ringer_lab.bench.gpio import OUTPUT, Request
from ringer_lab.speaker import CAPTURE, CHANNELS, INTERLEAVED, NONBLOCK, S16_LE, Speaker, trimmed, wave_samples

EVERY, CLICK = 0.05, 0.005  # how often a click comes, and how long it lasts, in seconds
LOUD = 3277  # a sample of a click is at least that: a tenth of full scale
STEP = 0.01  # loudness is compared by steps of that length


class Capture(Speaker):
    """The speaker is wired to the one input of a stereo line-in, a line of the bench to the other one: it clicks all the time.
    Before the test one of them says how late the recording is; all of them say whether anything is missing.
    """

    INTERVAL = 0.1

    def __init__(self, lab, config):
        self.config, self.NAME = config, f"{config.pcm} of speaker.pcm"
        self.silence = max(1, round(config.silence * 32768))
        self.orders, self.clicks, self.quiet = [], [], 0  # [(from, until)] when clicks were made; their frames; how many ms since the last
        self.latency, self.is_ticking = config.latency, True
        with at_key("speaker.click"):
            self.click = Request(config.click, OUTPUT)
        try:
            super().__init__(lab, config.rate)
        except LabError:
            self.click.close()
            raise
        self.ticker = threading.Thread(target=self.tick, daemon=True)
        self.ticker.start()
        time.sleep(config.latency + 2 * EVERY)
        self.drain()
        if not self.clicks:
            self.close()
            raise LabError(
                f"no click of {config.click} was heard at {config.pcm} within {config.latency:g} s: look after the wire of "
                "speaker.click, and the card's gain"
            )
        # The click whose time is known best: between the others' two times this program may have had to wait for the processor.
        order, click = min(zip(self.orders, self.clicks), key=lambda pair: pair[0][1] - pair[0][0])
        self.latency = self.start + click / self.rate - order[0]
        self.start -= self.latency
        self.pieces.clear()  # what was heard before the test

    def tick(self):
        while self.is_ticking:
            at = time.monotonic()
            try:
                self.click.set(1)
                self.orders.append((at, time.monotonic()))
                time.sleep(CLICK)
                self.click.set(0)
            except LabError as error:
                self.problem = str(error)
                return
            time.sleep(max(0, at + EVERY - time.monotonic()))

    def open(self):
        self.pcm = ctypes.c_void_p()
        self.call("snd_pcm_open", ctypes.byref(self.pcm), self.config.pcm.encode(), CAPTURE, NONBLOCK)
        try:
            self.call("snd_pcm_set_params", self.pcm, S16_LE, INTERLEAVED, CHANNELS, self.rate, 0, 1_000_000)
            self.call("snd_pcm_start", self.pcm)
        except LabError:
            self.library.snd_pcm_close(self.pcm)
            raise
        return time.monotonic()

    def keep(self, samples):
        both = array.array("h", samples)
        own = SIDES[self.config.channel]
        self.find_clicks(both[1 - own :: 2])
        loud = self.audible(both[own::2])
        both[0::2] = both[1::2] = loud
        super().keep(both.tobytes())

    def audible(self, samples):
        """The samples as loud as the firmware's; those of milliseconds that are softer than silence are 0."""
        if self.config.gain != 1:
            samples = array.array("h", (max(-32768, min(32767, round(one * self.config.gain))) for one in samples))
        step = self.rate // 1000
        for first in range(0, len(samples), step):
            part = samples[first : first + step]
            if max(part) < self.silence and min(part) > -self.silence:
                samples[first : first + step] = array.array("h", bytes(2 * len(part)))
        return samples

    def find_clicks(self, samples):
        step = self.rate // 1000
        for first in range(0, len(samples), step):
            part = samples[first : first + step]
            if max(part) < LOUD and min(part) > -LOUD:
                self.quiet += 1
                continue
            if self.quiet > 10:
                self.clicks.append(self.frames + first + next(index for index, one in enumerate(part) if abs(one) >= LOUD))
            self.quiet = 0

    def problems(self):
        self.drain()
        behind = time.monotonic() - self.start - self.latency - self.frames / self.rate
        if self.problem is None and not self.is_closed and behind > 0.5:
            self.problem = f"the recorder of the speaker stopped: it is {behind:.3f} s behind"
        return [self.problem] if self.problem else []

    def checked(self):
        """Waits until what was played before is recorded."""
        behind = time.monotonic() - self.start - self.frames / self.rate
        if not self.is_closed and 0 < behind < 1:
            time.sleep(behind + self.INTERVAL)
        if problems := self.problems():
            raise LabError(self.lab.bench.named(problems[0]))

    def stop(self):
        """Ends the clicks. They have arrived by then, so that the next recording does not take them for its own."""
        if self.is_ticking:
            self.is_ticking = False
            self.ticker.join()
            time.sleep(max(0, self.latency) + 2 * EVERY)

    def check(self, tolerance):
        """What is wrong with the recording, once the test is over: each click has to be where it was made."""
        self.stop()
        if problems := self.problems():
            return problems
        tolerance = min(tolerance, EVERY / 3)  # the next click is another one
        heard = [self.start + frame / self.rate for frame in self.clicks]
        missing = [at for at, done in self.orders if not any(at - tolerance <= one <= done + tolerance for one in heard)]
        if missing:
            return [f"the recording of the speaker is not whole: {len(missing)} of {len(self.orders)} clicks are missing, from {missing[0]:.3f} s on"]
        return []

    def differs(self, path, whole=True):
        """Where what was heard differs from a WAV file in its loudness, by steps of 10 ms; empty if it is as loud everywhere,
        but for a factor, and as long.
        """
        wanted = wave_samples(path, self.rate)
        self.checked()
        got = trimmed(array.array("h", b"".join(self.chunks())))
        wanted, heard = (loudness(samples[::CHANNELS], self.rate) for samples in (trimmed(self.gated(wanted)), got))
        if not heard:
            return "nothing was heard"
        if not whole:
            heard = heard[: len(wanted)]
        if abs(len(heard) - len(wanted)) * STEP > self.lab.config.tolerance + STEP:
            return f"{len(heard) * STEP:.2f} s heard, {len(wanted) * STEP:.2f} s wanted"
        factor = sum(heard) / max(sum(wanted), 1)
        for number, (one, other) in enumerate(zip(heard, wanted)):
            if abs(one - other * factor) > 0.2 * max(heard):
                return f"differs from {number * STEP:.2f} s on: its loudness is {one:.0f}, {other * factor:.0f} wanted"
        return ""

    def gated(self, samples):
        loud = self.audible(samples[::CHANNELS]) if self.config.gain == 1 else samples[::CHANNELS]
        samples[0::2] = samples[1::2] = loud
        return samples

    def close(self):
        self.stop()
        super().close()
        self.click.close()


def loudness(samples, rate):
    """The mean absolute sample of each step."""
    step = round(rate * STEP)
    return [sum(map(abs, samples[first : first + step])) / step for first in range(0, len(samples), step)]
