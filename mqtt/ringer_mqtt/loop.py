"""One thread that waits for descriptors, times, and what other threads hand over."""
import collections
import heapq
import itertools
import selectors
import socket
import time


class Loop:
    """Sleeps in one call until there is something to do."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.timers, self.order = [], itertools.count()
        self.handed = collections.deque()
        self.wake, self.woken = socket.socketpair()
        self.wake.setblocking(False)
        self.woken.setblocking(False)
        self.selector.register(self.woken, selectors.EVENT_READ, lambda: self.woken.recv(4096))
        self.runs = True

    def watch(self, descriptor, callback, writable=False):
        """Calls back when the descriptor can be read, or also be written; once more to change that."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if writable else 0)
        try:
            self.selector.modify(descriptor, events, callback)
        except KeyError:
            self.selector.register(descriptor, events, callback)

    def unwatch(self, descriptor):
        try:
            self.selector.unregister(descriptor)
        except (KeyError, ValueError):
            pass

    def after(self, seconds, callback):
        """Calls back once. Returns what `cancel` takes."""
        timer = [time.monotonic() + seconds, next(self.order), callback]
        heapq.heappush(self.timers, timer)
        return timer

    @staticmethod
    def cancel(timer):
        if timer:
            timer[2] = None

    def hand_over(self, callback):
        """Has the loop's thread call back; from any thread, and from handlers of signals."""
        self.handed.append(callback)
        try:
            self.wake.send(b"\0")
        except BlockingIOError:
            pass

    def run(self):
        while self.runs:
            while self.timers and self.timers[0][2] is None:
                heapq.heappop(self.timers)
            wait = max(0, self.timers[0][0] - time.monotonic()) if self.timers else None
            for key, _ in self.selector.select(wait):
                # An earlier one of these may have ended it.
                if self.selector.get_map().get(key.fd) is key:
                    key.data()
            while self.handed:
                self.handed.popleft()()
            while self.timers and self.timers[0][0] <= time.monotonic():
                callback = heapq.heappop(self.timers)[2]
                if callback:
                    callback()
