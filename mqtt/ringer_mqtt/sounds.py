"""Where sounds come from: a file below a folder, an address of an allow-list, or text that a command speaks."""
import http.client
import os
import queue
import signal
import stat
import subprocess
import threading
import urllib.parse
import urllib.request

from .deadline import Deadline

# How long speaking, or fetching from the first step to the last byte, may take, in seconds.
PATIENCE = 10
# What waits for the thread; more is refused.
MOST_WAITING = 8


class SoundError(Exception):
    """Why there is no sound, for people."""


class Sounds:
    """Opens sounds on a thread of its own, one after another."""

    def __init__(self, loop, configuration):
        self.loop, self.configuration = loop, configuration
        self.jobs = queue.Queue(MOST_WAITING)
        threading.Thread(target=self.work, daemon=True).start()

    def open(self, kind, value, then):
        """Has the sound opened; `then` gets a descriptor, which it closes, or an error's text."""
        try:
            self.jobs.put_nowait((kind, value, then))
        except queue.Full:
            then(None, "too many sounds wait")

    def work(self):
        while True:
            kind, value, then = self.jobs.get()
            descriptor, error = None, None
            try:
                descriptor = {"file": self.file, "address": self.address, "text": self.text}[kind](value)
            except SoundError as failure:
                error = str(failure)
            # Whatever it is: nobody else takes the next job.
            except Exception as failure:  # pylint: disable=broad-except
                error = f"{kind}: {failure}"
            self.loop.hand_over(lambda then=then, descriptor=descriptor, error=error: then(descriptor, error))

    def file(self, name):
        """A regular file of the folder or below, by links of the folder's owner only as far as they stay there."""
        folder = self.configuration.sounds
        if folder is None:
            raise SoundError("files are not played: the key sounds is missing")
        folder = os.path.realpath(folder)
        path = os.path.realpath(os.path.join(folder, name.lstrip("/")))
        if os.path.commonpath([folder, path]) != folder:
            raise SoundError(f"{name} is not below the folder of sounds")
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > self.configuration.largest_sound:
            os.close(descriptor)
            raise SoundError(f"{name} is no file, or larger than {self.configuration.largest_sound} bytes")
        return descriptor

    def may_fetch(self, address):
        """Whether the address begins like one of the list. One that leads out of its folder does not."""
        parts = urllib.parse.urlsplit(address)
        plain = urllib.parse.unquote(parts.path)
        if any(step in (".", "..") for step in plain.replace("\\", "/").split("/")) or "@" in parts.netloc:
            return False
        return all("!" <= character <= "~" for character in address) and any(
            address.startswith(allowed) for allowed in self.configuration.addresses)

    def address(self, address):
        if not self.may_fetch(address):
            raise SoundError(f"{address} is not among the addresses")
        most, sound = self.configuration.largest_sound, bytearray()
        late = SoundError(f"{address} was not there within {PATIENCE} s")
        with Deadline(PATIENCE) as deadline:
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), Redirections(self.may_fetch), Connections(deadline))
            try:
                with opener.open(address, timeout=PATIENCE) as response:
                    # What has come, without waiting for more of it.
                    while chunk := response.read1(65536):
                        sound += chunk
                        if len(sound) > most:
                            raise SoundError(f"{address} has more than {most} bytes")
            except (OSError, http.client.HTTPException) as error:
                raise late if deadline.is_over else error
            # A connection that was ended looks like a sound that is complete.
            if deadline.is_over:
                raise late
        return in_memory(sound)

    def text(self, text):
        """The WAV file that the command writes to standard output; it gets the text on standard input, never as an argument."""
        command, most, sound = self.configuration.speech, self.configuration.largest_sound, b""
        if not command:
            raise SoundError("text is not spoken: the key speech is missing")

        # What it says is of no interest, and more than there may be is not waited for.
        with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}) as process:
            end = threading.Timer(PATIENCE, kill, [process])
            end.start()
            try:
                # It is shorter than what a pipe takes.
                process.stdin.write(text.encode())
                process.stdin.close()
                sound = process.stdout.read(most + 1)
            except BrokenPipeError:
                sound = b""
            finally:
                # Not after it was waited for: its number may be another one's then.
                end.cancel()
            try:
                status = process.wait(0 if len(sound) > most else PATIENCE)
            except subprocess.TimeoutExpired:
                kill(process)
                status = process.wait()
        if len(sound) > most or status != 0:
            raise SoundError(f"{command[0]} ended with {status}, after {len(sound)} bytes; {most} bytes and {PATIENCE} s are allowed")
        return in_memory(sound)


def kill(process):
    """Ends a command with all that it has begun."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def in_memory(sound):
    """A file in memory with the sound, to be read alone: the service takes none that is being written."""
    descriptor = os.memfd_create("sound", os.MFD_CLOEXEC)
    with open(descriptor, "wb") as file:
        file.write(sound)
        file.flush()
        return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)


class Redirections(urllib.request.HTTPRedirectHandler):
    """Follows them to allowed addresses alone."""

    def __init__(self, may_fetch):
        self.may_fetch = may_fetch

    def redirect_request(self, request, file, code, message, headers, address):
        if not self.may_fetch(address):
            raise SoundError(f"{address} is not among the addresses")
        return super().redirect_request(request, file, code, message, headers, address)


class Connection(http.client.HTTPConnection):
    """A connection that ends at the deadline."""

    deadline = None

    def connect(self):
        super().connect()
        self.deadline.add(self.sock)


class SecureConnection(http.client.HTTPSConnection, Connection):
    """The same with TLS, whose handshake comes once `Connection` has connected."""


class Connections(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """Fetches over connections that end at the deadline."""

    def __init__(self, deadline):
        super().__init__()
        self.deadline = deadline

    def http_open(self, request):
        return self.do_open(self.maker(Connection), request)

    def https_open(self, request):
        return self.do_open(self.maker(SecureConnection), request)

    def maker(self, kind):
        def make(*arguments, **options):
            connection = kind(*arguments, **options)
            connection.deadline = self.deadline
            return connection
        return make
