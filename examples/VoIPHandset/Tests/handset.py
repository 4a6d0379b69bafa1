"""A handset to be tested, and callers that send what they like."""
import json
import os
import queue
import re
import socket
import subprocess
import threading
import time

PATIENCE = 30
"""How long anything may take, in seconds: no test measures time."""


class Output:
    """What threads read of a process."""

    def __init__(self):
        self.changed = threading.Condition()

    def ended(self):
        """How the process ended; None while it runs."""
        raise NotImplementedError

    def last(self):
        """What was read last."""
        raise NotImplementedError

    def wait(self, condition, what):
        """Waits until the condition is true of what was printed, and returns it."""
        end = time.monotonic() + PATIENCE
        with self.changed:
            while True:
                found = condition()
                if found:
                    return found
                ended = self.ended()
                assert ended is None, f"{ended} before {what}; last: {self.last()}"
                if not self.changed.wait(end - time.monotonic()) and time.monotonic() >= end:
                    raise AssertionError(f"not within {PATIENCE} s: {what}; last: {self.last()}")


class Handset(Output):
    """A process of the handset."""

    def __init__(self, program, *options, board="simulated", **environment):
        super().__init__()
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--board", board, "--json", *options], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="backslashreplace",
            env={**os.environ, **environment})
        self.events = []
        self.lines = []
        self.errors = []
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self._event)),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors.append))]
        for reader in self._readers:
            reader.start()
        self.port = int(self.wait(self._listening, "the handset listens"))

    def _listening(self):
        for line in self.errors:
            found = re.search(r"Listening at .*:(\d+)\.", line)
            if found:
                return found[1]
        return None

    def _read(self, stream, take):
        for line in stream:
            with self.changed:
                take(line)
                self.changed.notify_all()

    def _event(self, line):
        self.lines.append(line)
        self.events.append(json.loads(line))

    def ended(self):
        status = self.process.poll()
        return None if status is None else f"the handset ended with {status}"

    def last(self):
        return f"{self.events[-3:]} {self.errors[-3:]}"

    def wait_for(self, call, kind):
        """Waits for the event of the call, and returns it."""
        def found():
            return next((event for event in self.events if event.get("call") == call and event.get("event") == kind), None)
        return self.wait(found, f"{kind} of {call}")

    def kinds(self, call):
        """The events of the call so far."""
        return [event["event"] for event in list(self.events) if event.get("call") == call]

    def command(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def answer(self, caller):
        """Answers the caller's call, and returns the reply that it got."""
        self.command("answer")
        reply = caller.expect(200)
        caller.acknowledge()
        self.wait_for(caller.call, "answered")
        return reply

    def status(self):
        """Calls, sound and motor now."""
        before = len(self.events)
        self.command("status")
        return self.wait(lambda: next((event for event in self.events[before:] if "calls" in event), None), "status")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        """Resident memory in KiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    def check_quiet(self):
        """Waits until there is no call and nothing is heard or felt."""
        end = time.monotonic() + PATIENCE
        quiet = {"calls": 0, "sound": False, "motor": False}
        status = self.status()
        while status != quiet:
            assert time.monotonic() < end, f"not quiet: {status}"
            time.sleep(0.05)
            status = self.status()

    def check_rings(self, transport="udp"):
        """A call rings until it is given up."""
        with Caller(self.port, transport) as caller:
            caller.invite()
            event = self.wait_for(caller.call, "ringing")
            assert event["sound"] and event["motor"], event
            caller.cancel()
            event = self.wait_for(caller.call, "cancelled")
            assert not event["sound"] and not event["motor"], event

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Caller:
    """A caller with its own socket, which speaks SIP as far as these tests need it."""

    last = 0

    def __init__(self, port, transport="udp", call=None, name="caller", context=None):
        """`context`: of TLS, with the transport tls."""
        Caller.last += 1
        self.call = call or f"caller-{os.getpid()}-{Caller.last}@test"
        self.name = name
        self.transport = transport
        self.port = port
        kind = socket.SOCK_DGRAM if transport == "udp" else socket.SOCK_STREAM
        self.socket = socket.socket(socket.AF_INET, kind)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.local = self.socket.getsockname()[1]
        self.branch = f"z9hG4bK-{self.call}"
        self.tag = None
        self.target = f"sip:handset@127.0.0.1:{port}"
        self.rtp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.rtp.settimeout(PATIENCE)
        self.rtp.bind(("127.0.0.1", 0))
        self._left = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.rtp.close()

    @property
    def description(self):
        return (f"v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
                f"m=audio {self.rtp.getsockname()[1]} RTP/AVP 0\r\na=rtpmap:0 PCMU/8000\r\n")

    def message(self, method, number=1, body="", branch=None, headers="", target=None,
                kind="application/sdp"):
        to = f"<sip:handset@127.0.0.1:{self.port}>" + (f";tag={self.tag}" if self.tag and method != "CANCEL" else "")
        kind = f"Content-Type: {kind}\r\n" if body else ""
        return (f"{method} {target or self.target} SIP/2.0\r\n"
                f"Via: SIP/2.0/{self.transport.upper()} 127.0.0.1:{self.local};branch={branch or self.branch}\r\n"
                f"From: <sip:{self.name}@127.0.0.1:{self.local}>;tag=caller\r\nTo: {to}\r\nCall-ID: {self.call}\r\n"
                f"CSeq: {number} {method}\r\n"
                f"Contact: <sip:{self.name}@127.0.0.1:{self.local};transport={self.transport}>\r\nMax-Forwards: 70\r\n"
                f"{headers}{kind}Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def send(self, data):
        self.socket.sendall(data)

    def invite(self, **options):
        self.send(self.message("INVITE", body=options.pop("body", self.description), **options))

    def cancel(self):
        self.send(self.message("CANCEL"))

    def next_packet(self):
        """The next packet of RTP that comes: those that have come already are dropped."""
        self.rtp.setblocking(False)
        try:
            while self.rtp.recv(2048):
                pass
        except BlockingIOError:
            self.rtp.settimeout(PATIENCE)
        return self.rtp.recv(2048)

    def receive(self):
        """The next message."""
        if self.transport == "udp":
            return self.socket.recv(65536).decode()
        while True:
            head, end, rest = self._left.partition(b"\r\n\r\n")
            found = re.search(rb"Content-Length:\s*(\d+)", head, re.I)
            if end and found and len(rest) >= int(found[1]):
                self._left = rest[int(found[1]):]
                return (head + end + rest[:int(found[1])]).decode()
            data = self.socket.recv(65536)
            assert data, "the handset closed the connection"
            self._left += data

    def expect(self, status):
        """Reads until the response of that status, and returns it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.receive()
            if message.startswith(f"SIP/2.0 {status} "):
                found = re.search(r"^To:.*;tag=([^\s;]+)", message, re.I | re.M)
                if found and status != 100:
                    self.tag = found[1]
                contact = re.search(r"^Contact:\s*<([^>]+)>", message, re.I | re.M)
                if contact:
                    self.target = contact[1]
                return message
        raise AssertionError(f"no {status}")

    def expect_request(self, method):
        """Reads until a request of that method, and answers it."""
        while True:
            message = self.receive()
            if message.startswith(method + " "):
                kept = "\r\n".join(
                    line for line in message.split("\r\n") if re.match(r"(Via|From|To|Call-ID|CSeq):", line, re.I))
                self.send(f"SIP/2.0 200 OK\r\n{kept}\r\nContent-Length: 0\r\n\r\n".encode())
                return message

    def acknowledge(self):
        self.send(self.message("ACK", branch=self.branch + "-ack"))

    def hang_up(self):
        self.send(self.message("BYE", number=2, branch=self.branch + "-bye"))
        self.expect(200)
