"""A time at which connections end, whatever they wait for."""
import socket
import threading


class Deadline:
    """Ends the connections that are added once the seconds are over. A timeout of a socket begins anew with each byte, so that a
    peer that sends one now and then would never reach it."""

    def __init__(self, seconds):
        self.is_over, self.sockets = False, []
        self.timer = threading.Timer(seconds, self.end)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.timer.join()
        for sock in self.sockets:
            sock.close()

    def add(self, sock):
        # A descriptor of its own: TLS takes the socket's away from it, and its owner may close it.
        self.sockets.append(socket.fromfd(sock.fileno(), sock.family, sock.type))
        # The time may have come before this was in the list.
        if self.is_over:
            raise TimeoutError("timed out")

    def end(self):
        self.is_over = True
        for sock in list(self.sockets):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The peer has ended it.
                pass
