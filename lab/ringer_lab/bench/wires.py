"""The wires between the bench and the device: what is set and heard on them, and whether each one carried all of it."""

import math
import time
from typing import NamedTuple

from ringer_lab import LabError
from ringer_lab.bench.gpio import INPUT, OPEN_DRAIN, OUTPUT, Input, Request
from ringer_lab.lines import Line


class Edge(NamedTuple):
    """A change that was made or heard at the one end of a wire: not before `at`, and at `done` at the latest."""

    at: float
    level: int  # None is open
    done: float


class Wire(Line):
    """A line of the device. Levels are the wire's own; for a part that is active low, 1 is active."""

    def __init__(self, lab, name, part):
        self.lab, self.name, self.offset, self.part, self.is_active_low = lab, name, part.gpio, part, part.is_active_low
        self.orders, self.is_open = [], True  # orders: the edges that the bench has set
        self.slowness = None  # what the bench did more slowly than it was asked to
        self.output = self.input = self.sense = None
        if part.drive:
            self.output = Request(part.gpio)
        else:
            # Opposite to its rest, so that a broken wire is not taken for a device at rest.
            opposite = {0: "pull-up", 1: "pull-down"}.get(self._logical(part.rest) if part.rest >= 0 else None, "")
            self.input = Input(part.gpio, part.bias or opposite)
        if part.sense:
            try:
                self.sense = Input(part.sense)
            except LabError:
                (self.output or self.input).close()
                raise

    def begin(self):
        """The recording begins: the device is at rest."""
        for ear in self.ears:
            ear.begin()
        level = self.ear.start if self.ear else self.output.level
        self.start = (self.lab.start, level)
        if self.part.rest >= 0 and self._logical(level) != self.part.rest:
            raise LabError(
                f"{self!r} is {self._logical(level)} at rest, and {self.lab.config.path} says {self.part.rest}: its wire is "
                "broken, or the device is not at rest"
            )

    @property
    def ears(self):
        return [ear for ear in (self.input, self.sense) if ear]

    @property
    def ear(self):
        """The input that says what the wire is at the device; None if nothing does."""
        return self.input or self.sense

    def _hold(self, level):
        if self.output is None:
            raise LabError(f"{self!r} is an output of the device: it cannot be set from outside")
        at = time.monotonic()
        flags = OUTPUT | (OPEN_DRAIN if self.part.drive == "open-drain" else 0)
        if level is None:
            self.output.configure(INPUT)
        elif self.is_open:
            self.output.configure(flags, level)
        else:
            self.output.set(level)
        self.orders.append(Edge(at, level, time.monotonic()))
        self.is_open = level is None
        return at

    def bounce(self, level, times=5, within=0.004):
        at = super().bounce(level, times, within)
        self.check_pace("a bounce", at, self.orders[-1].done, within)
        return at

    def noise(self, pulses=10, within=0.1, width=0.0005):
        first = len(self.orders)
        at = super().noise(pulses, within, width)
        for begin, end in zip(self.orders[first::2], self.orders[first + 1 :: 2]):
            self.check_pace("a pulse of noise", begin.at, end.done, width)
        return at

    def check_pace(self, what, at, done, wanted):
        """The bench may have been busy: then the firmware was tried with something else than the test says."""
        if done - at > wanted + self.lab.config.skew:
            self.slowness = f"the bench was too slow for {self!r}: {what} took {done - at:.6f} s, and {wanted:g} s were asked for"

    @property
    def value(self):
        return self._logical((self.ear or self.output).level)

    def changes(self):
        """[(time, level)] of the wire's own levels: with the kernel's time stamps, where an input is wired to it."""
        if self.ear:
            self.ear.drain()
            found = self.ear.edges
        else:
            found = [(at, level) for at, level, _ in self.orders]
        return alternating(self.start[1], [(at, level) for at, level in found if at >= self.lab.start])

    @property
    def edges(self):
        return [(at, self._logical(level)) for at, level in self.changes()]

    def problems(self):
        """What the wire did not carry, in one sentence."""
        for ear in self.ears:
            ear.drain()
            if ear.problem:
                return [ear.problem]
        if self.slowness:
            return [self.slowness]
        if self.sense is None:
            return []
        # A wire that the bench has opened is at the level of the device's own pull.
        end = next((order.at for order in self.orders if order.level is None), math.inf)
        made = [Edge(at, level, at) for at, level in self.input.edges] if self.input else self.orders
        seen = alternating(self.sense.start, [edge for edge in self.sense.edges if edge[0] < end])
        wanted = alternating(self.start[1], [edge for edge in made if edge.at < end])
        text = difference(wanted, seen, self.lab.config.skew)
        if text and self.input:
            text = f"and that of its sense line differ: as if it {text}"
        return [f"the wire of {self!r} {text}"] if text else []

    def close(self):
        if self.output and not self.is_open:
            self.output.configure(INPUT)  # newer kernels keep an output's level
        for one in [*self.ears, *([self.output] if self.output else [])]:
            one.close()


def alternating(level, changes):
    """Without those that do not change the level, or that leave it open."""
    found = []
    for change in changes:
        if change[1] is not None and change[1] != level:
            found.append(change)
            level = change[1]
    return found


def difference(wanted, seen, skew):
    """How the edges at the one end of a wire differ from those at the other; empty if they do not."""
    if len(seen) < len(wanted):
        return f"dropped {len(wanted) - len(seen)} of {len(wanted)} edges"
    if len(seen) > len(wanted):
        return f"bounced: {len(seen)} edges came of {len(wanted)}"
    late, at, level = max(((max(one.at - at, at - one.done), one.at, one.level) for one, (at, _) in zip(wanted, seen)), default=(0, 0, 0))
    if late > skew:
        return f"was late: the edge to {level} at {at:.6f} s came {late:.6f} s later, and skew is {skew:g} s"
    return ""
