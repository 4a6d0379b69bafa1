"""How many messages may come in a time."""
import sys
import time


class MessageRate:
    """Allows so many messages in each period of seconds. What it does not allow is dropped, which is printed once for each flood."""

    def __init__(self, limit, period):
        self.limit, self.period = limit, period
        # A bucket that fills with time: a message takes one.
        self.tokens, self.filled = float(limit), time.monotonic()
        self.is_flooded = False

    def allows(self):
        """Whether another message may come now."""
        now = time.monotonic()
        self.tokens = min(self.limit, self.tokens + (now - self.filled) * self.limit / self.period)
        self.filled = now
        if self.tokens < 1:
            if not self.is_flooded:
                print(f"ringer-mqtt: more than {self.limit} messages in {self.period:g} s: they are dropped",
                      file=sys.stderr, flush=True)
            self.is_flooded = True
            return False
        self.is_flooded = self.is_flooded and self.tokens < self.limit / 2
        self.tokens -= 1
        return True
