"""Makes the SDK of scripts/arm from a mirror on the loopback whose packages are empty, and that fails in one way at a time;
and the system of scripts/swift-debian from a mirror that does not answer, and on a small disk.

    failures.py SCRIPTS FOLDER

Each failure has to be one sentence, and to leave nothing in the cache. A mount of a small disk needs root.
"""
import hashlib
import http.server
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

scripts, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
text = (scripts / "arm").read_text()
names = re.search(r"^packages=\((.*?)\$\{ARM_", text, re.M | re.S).group(1).replace("$gcc", "14").split()


def package(name, size):
    """A package of Debian's format with this many random bytes in it."""
    tree = folder / "packages" / name
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: 1\nArchitecture: arm64\nMaintainer: nobody <nobody@localhost>\nDescription: empty\n")
    (tree / "bytes").write_bytes(os.urandom(size))
    file = tree.with_suffix(".deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, file], check=True, stdout=subprocess.DEVNULL)
    return file.read_bytes()


pool = {name: package(name, 20_000_000 if name == "swiftlang" else 10) for name in [*names, "swiftlang", "libswiftlang"]}
index = "".join(
    f"Package: {name}\nVersion: 1\nArchitecture: arm64\nMaintainer: nobody <nobody@localhost>\nDescription: empty\n"
    f"Filename: pool/{name}.deb\nSize: {len(bytes)}\nSHA256: {hashlib.sha256(bytes).hexdigest()}\n\n"
    for name, bytes in pool.items()).encode()
release = (f"Origin: Debian\nSuite: test\nDate: Thu, 01 Jan 2026 00:00:00 UTC\nArchitectures: arm64\nComponents: main\n"
           f"SHA256:\n {hashlib.sha256(index).hexdigest()} {len(index)} main/binary-arm64/Packages\n").encode()


class Mirror(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fault = None
    reached = threading.Event()

    def do_GET(self):
        name = urllib.parse.unquote(self.path).rsplit("/", 1)[1]
        body = {"Packages": index, "Release": release}.get(name) or pool.get(name.removesuffix(".deb"))
        if body is None:
            return self.send_error(404)
        fault = self.fault if name == "swiftlang.deb" else None
        if fault == "damaged":
            body = body[:1000] + b"damage" + body[1006:]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:len(body) // 2])
        self.wfile.flush()
        if fault == "interrupted":
            self.close_connection = True
            return
        if fault == "endless":
            self.reached.set()
            time.sleep(60)
        self.wfile.write(body[len(body) // 2:])

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Mirror)
threading.Thread(target=server.serve_forever, daemon=True).start()
(folder / "apt.conf").write_text(
    'Acquire::AllowInsecureRepositories "true"; APT::Get::AllowUnauthenticated "true"; Acquire::http::Proxy "DIRECT";')
failures = 0


def check(what, fault, sentence, port=server.server_port, small_disk=False, command=("arm", "trixie-arm64", "sdk")):
    """Fails unless the script says this one sentence and leaves nothing."""
    global failures
    Mirror.fault = fault
    Mirror.reached.clear()
    cache = folder / "cache"
    cache.mkdir()
    environment = dict(os.environ, RINGER_CACHE=str(cache), RINGER_DEBIAN=f"http://127.0.0.1:{port}/debian",
                       APT_CONFIG=str(folder / "apt.conf"), LC_ALL="C")
    kept = cache / command[0]
    command = [scripts / command[0], *command[1:]]
    if small_disk:
        mount = 'mount -t tmpfs -o size=8m none "$0" && { "$@"; status=$?; ls -A "$0"/* >"$0.left"; exit $status; }'
        command = ["unshare", "--mount", "sh", "-c", mount, str(cache), *command]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if fault == "endless":
        Mirror.reached.wait(60)
        process.send_signal(signal.SIGTERM)
    output, said = process.communicate(timeout=120)
    lines = [line for line in said.splitlines() if ": making " not in line]
    if small_disk:
        left = (folder / "cache.left").read_text().split()
    else:
        left = [path.name for path in kept.iterdir()]
    left = set(left) - {"lock", "log"}
    if process.returncode == 0 or output or len(lines) != 1 or not re.search(sentence, lines[0]) or left:
        print(f"arm: {what}: status {process.returncode}, left {left}, said:\n{said}{output}", file=sys.stderr)
        failures += 1
    else:
        print(f"arm: {what}: {lines[0].replace(str(folder), '')}")
    subprocess.run(["rm", "-r", cache], check=True)


check("no network", None, "cannot be reached", port=9)
check("a damaged download", "damaged", "download was damaged")
check("an interrupted download", "interrupted", "cannot be reached")
check("a signal during a download", "endless", "interrupted: the Swift SDK for trixie-arm64 was not made")
check("a full disk", None, "no space left", small_disk=True)
system = ("swift-debian", "root")
check("no network, for a system", None, "Failed getting release file", port=9, command=system)
check("a full disk, for a system", None, "no space", small_disk=True, command=system)
check("a package without the library", None, "has no library where it had one")
sys.exit(failures > 0)
