"""A registrar and proxy, also one that calls by TLS: Debian's Kamailio, on loopback, with a configuration of its own."""
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading

from handset import PATIENCE, Output

TRIES = 20
"""How many ports are tried, of which other processes may have any."""

REALM = "example.test"

CONFIGURATION = """
debug=1
log_stderror=yes
children=1
tcp_children=1
auto_aliases=no
dns=no
rev_dns=no
listen=udp:127.0.0.1:{port}
listen={stream}:127.0.0.1:{port}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "xlog.so"
loadmodule "siputils.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", 1)
{tls}
request_route {{
    if ($rm == "REGISTER") {{
        if (!pv_www_authenticate("{realm}", "{password}", "0")) {{
            xlog("L_ERR", "TEST challenged $fU, CSeq $cs, with digest: $(hdr(Authorization){{s.len}})\\n");
            www_challenge("{realm}", "0");
            exit;
        }}
        save("location");
        xlog("L_ERR", "TEST saved $fU, contact: $ct\\n");
        exit;
    }}
    if (has_totag()) {{
        loose_route();
        t_relay();
        exit;
    }}
    if ($rm == "CANCEL") {{
        t_relay();
        exit;
    }}
    record_route();
    {route}
    if (!lookup("location")) {{
        sl_send_reply("404", "Not Found");
        exit;
    }}
    t_relay();
}}

event_route[core:worker-one-init] {{
    xlog("L_ERR", "TEST ready\\n");
}}
"""

# It verifies the certificate of whom it calls, and has one itself, for which the handset asks.
TLS = """
enable_tls=yes
loadmodule "tls.so"
modparam("tls", "config", "{directory}/tls.cfg")
modparam("tm", "fr_timer", 3000)
"""

TLS_DOMAINS = """
[server:default]
method = TLSv1.2+
certificate = {certificate}
private_key = {certificate}
[client:default]
method = TLSv1.2+
verify_certificate = yes
require_certificate = yes
certificate = {certificate}
private_key = {certificate}
ca_list = {authorities}
"""


def free_port():
    """A port that was free for UDP and TCP a moment ago."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, socket.socket() as stream:
            datagrams.bind(("127.0.0.1", 0))
            port = datagrams.getsockname()[1]
            try:
                stream.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Kamailio(Output):
    """A process group of Kamailio."""

    def __init__(self, password, port=None, secure=None):
        """`secure`: its certificate, the authorities that it trusts, and the port to which it relays all calls by TLS."""
        self._secure = secure
        self._directory = tempfile.TemporaryDirectory()
        super().__init__()
        for _ in range(TRIES):
            self.port = port or free_port()
            if self._start(password):
                return
        raise AssertionError(f"Kamailio does not start: {self.lines[-10:]}")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def _start(self, password):
        self.lines = []
        configuration = os.path.join(self._directory.name, "kamailio.cfg")
        stream, tls, route = "tcp", "", ""
        if self._secure:
            certificate, authorities, handset = self._secure
            with open(os.path.join(self._directory.name, "tls.cfg"), "w") as file:
                file.write(TLS_DOMAINS.format(certificate=certificate, authorities=authorities))
            stream, tls = "tls", TLS.format(directory=self._directory.name)
            route = f'$du = "sip:127.0.0.1:{handset};transport=tls"; t_relay(); exit;'
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(
                port=self.port, password=password, realm=REALM, stream=stream, tls=tls, route=route))
        # A group of its own, which ends together.
        self.process = subprocess.Popen(
            ["kamailio", "-f", configuration, "-DD", "-E", "-m", "16", "-M", "4", "-Y", self._directory.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="backslashreplace", start_new_session=True)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        try:
            self.wait(lambda: self.said("ready"), "Kamailio is ready")
            return True
        except AssertionError:
            self.end()
            return False

    def _read(self):
        with self.process.stderr as stream:
            for line in stream:
                with self.changed:
                    self.lines.append(line.rstrip())
                    self.changed.notify_all()
        with self.changed:
            self.lines.append("end")
            self.changed.notify_all()

    def said(self, pattern):
        """The lines of the configuration's own that have the pattern."""
        return [line for line in self.lines if re.search("TEST " + pattern, line)]

    def ended(self):
        return "Kamailio ended" if self.lines and self.lines[-1] == "end" else None

    def last(self):
        return self.lines[-5:]

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    def end(self):
        # The first process waits for its children, as nobody else may.
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
        self._reader.join(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self._directory.cleanup()
