"""Stands between the speaker and its broker, and sees what the speaker acknowledges."""
import socket
import threading


def packets(stream):
    """Each MQTT packet of a stream: the whole, its first byte, and its body."""
    while header := stream.read(1):
        length, shift, field = 0, 0, b""
        while True:
            byte = stream.read(1)
            if not byte:
                return
            field += byte
            length |= (byte[0] & 0x7F) << shift
            shift += 7
            if byte[0] < 0x80:
                break
        body = stream.read(length)
        if len(body) < length:
            return
        yield header + field + body, header[0], body


def variable_integer(data, start):
    """A variable byte integer of MQTT, and where it ends."""
    value = shift = 0
    while True:
        byte = data[start]
        start += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, start


class Witness:
    """Forwards connections to the broker, packet by packet."""

    def __init__(self, broker, on_acknowledgement):
        """`on_acknowledgement` is called with the payload that the speaker acknowledges, before the broker hears of it."""
        self.broker = broker
        self.on_acknowledgement = on_acknowledgement
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                speaker, _ = self.server.accept()
                broker = socket.create_connection(("127.0.0.1", self.broker.port))
            except ConnectionRefusedError:
                # The broker is away.
                speaker.close()
                continue
            except OSError:
                return
            for end in (speaker, broker):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # The payloads that are not acknowledged yet, by their identifiers in this connection.
            payloads = {}
            for arguments in ((broker, speaker, payloads, self.delivered), (speaker, broker, payloads, self.sent)):
                threading.Thread(target=self.forward, args=arguments, daemon=True).start()

    def forward(self, source, target, payloads, see):
        try:
            for whole, first, body in packets(source.makefile("rb")):
                see(payloads, first, body)
                target.sendall(whole)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def delivered(self, payloads, first, body):
        # PUBLISH of quality of service 1: the topic, an identifier, properties, the payload.
        if first >> 4 != 3 or not first & 0x06:
            return
        end = 2 + int.from_bytes(body[:2], "big")
        length, properties = variable_integer(body, end + 2)
        payloads[body[end:end + 2]] = body[properties + length:]

    def sent(self, payloads, first, body):
        # PUBACK
        if first >> 4 == 4:
            self.on_acknowledgement(payloads.pop(body[:2]))

    def close(self):
        self.server.close()
