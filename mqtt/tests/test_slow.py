"""Servers and brokers that answer byte by byte, or not at all."""
import socket
import threading
import unittest
import unittest.mock

from bench import Bench, wait_until
from ringer_mqtt import sounds
from ringer_mqtt.configuration import Configuration


class SlowServer:
    """Accepts connections and sends each the beginning at once, then a byte now and then, for as long as the peer is there."""

    def __init__(self, test, beginning, byte=b"x", port=0):
        self.beginning, self.byte = beginning, byte
        self.accepted, self.ended = threading.Semaphore(0), threading.Semaphore(0)
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.close)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()
        except OSError:
            pass

    def serve(self, peer):
        self.accepted.release()
        try:
            peer.sendall(self.beginning)
            peer.settimeout(0.05)
            while True:
                try:
                    if not peer.recv(65536):
                        break
                except TimeoutError:
                    peer.sendall(self.byte)
        except OSError:
            pass
        finally:
            peer.close()
            self.ended.release()

    def close(self):
        # Closing alone does not end an accept() of another thread.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


# The header of a record of TLS's handshake, which is then never complete.
RECORD = b"\x16\x03\x03\x40\x00"


class SlowServerTests(Bench):
    def test_a_server_that_sends_its_headers_byte_by_byte_does_not_hold_up_other_sounds(self):
        self.tone()
        server = SlowServer(self, b"HTTP/1.1 200 OK\r\nX-Header: ")
        peer = self.running(f"addresses = http://127.0.0.1:{server.port}/", f"sounds = {self.folder}/sounds")
        peer.publish("announce", {"address": f"http://127.0.0.1:{server.port}/tone.wav", "id": "slow"})
        peer.publish("announce", {"file": "tone.wav", "id": "next"})
        wait_until(lambda: len(peer.results()) == 2, lambda: f"both have ended: {peer.results()}")
        slow, following = peer.results()
        self.assertEqual((slow["id"], slow["outcome"], following["id"], following["outcome"]), ("slow", "refused", "next", "finished"))
        self.assertIn("was not there within 10 s", slow["message"])
        self.assertTrue(server.ended.acquire(timeout=30), "the connection is closed")


class DeadlineTests(unittest.TestCase):
    def test_a_sound_is_there_in_time_whatever_the_server_sends_slowly(self):
        for scheme, beginning in (
                ("http", b""), ("http", b"HTTP/1.1 200 OK\r\n"), ("http", b"HTTP/1.1 200 OK\r\n\r\nRIFF"),
                ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\nRIFF"),
                ("http", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), ("https", RECORD)):
            with self.subTest(beginning), unittest.mock.patch.object(sounds, "PATIENCE", 0.5):
                server = SlowServer(self, beginning)
                address = f"{scheme}://127.0.0.1:{server.port}/"
                opened = sounds.Sounds(None, Configuration(addresses=(address,)))
                with self.assertRaisesRegex(sounds.SoundError, "was not there within 0.5 s"):
                    opened.address(address)
                self.assertTrue(server.ended.acquire(timeout=30), "the connection is closed")

    def test_a_redirection_does_not_begin_the_time_anew(self):
        slow = SlowServer(self, b"HTTP/1.1 200 OK\r\nX-Header: ")
        first = SlowServer(self, b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:%d/\r\n\r\n" % slow.port)
        addresses = tuple(f"http://127.0.0.1:{server.port}/" for server in (first, slow))
        with unittest.mock.patch.object(sounds, "PATIENCE", 0.5):
            with self.assertRaisesRegex(sounds.SoundError, "was not there within 0.5 s"):
                sounds.Sounds(None, Configuration(addresses=addresses)).address(addresses[0])
        self.assertTrue(slow.ended.acquire(timeout=30), "the connection is closed")
