"""The broker, by paho, which has no thread here."""
import random
import socket
import ssl
import sys

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from .deadline import Deadline

LONGEST_PAUSE = 60
# How long connecting, and TLS's handshake, may hold the loop up, in seconds.
PATIENCE = 5
# What a packet has besides the message: topic and properties.
OVERHEAD = 1024


class Handshake(ssl.SSLSocket):
    """A socket whose handshake takes no longer: paho would wait as long as the broker is left in peace."""

    def do_handshake(self, block=False):
        with Deadline(PATIENCE) as deadline:
            deadline.add(self)
            try:
                super().do_handshake(block)
            except OSError as error:
                raise TimeoutError("TLS's handshake timed out") if deadline.is_over else error


class Broker:
    """A connection that is made anew, after growing random pauses, whenever it is lost."""

    def __init__(self, loop, configuration, availability):
        self.loop, self.configuration, self.availability = loop, configuration, availability
        self.client, self.topics = None, []
        self.tls = configuration.tls_context()
        if self.tls:
            self.tls.sslsocket_class = Handshake
        self.pause, self.timer, self.socket, self.is_connected, self.is_refused, self.reason = 1, None, None, False, False, None
        # Called once connected; with each message of a topic that is subscribed.
        self.on_connected = lambda: None
        self.on_message = lambda topic, payload, is_retained: None

    def make_client(self):
        """A client for one connection: paho keeps what the broker has not acknowledged, and would publish it after the newest
        state of the next connection."""
        configuration = self.configuration
        arguments = {"client_id": f"ringer-{configuration.name}", "protocol": mqtt.MQTTv5}
        if hasattr(mqtt, "CallbackAPIVersion"):
            arguments["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION1
        self.client = mqtt.Client(**arguments)
        if configuration.user is not None:
            self.client.username_pw_set(configuration.user, configuration.password)
        if self.tls:
            self.client.tls_set_context(self.tls)
        # What nobody can take waits no further than this.
        self.client.max_queued_messages_set(100)
        self.client.will_set(self.availability, "offline", qos=1, retain=True)
        self.client.on_connect = self.connected
        self.client.on_disconnect = self.disconnected
        self.client.on_subscribe = self.subscribed
        self.client.on_message = lambda _client, _context, message: self.on_message(
            message.topic, message.payload, message.retain)
        self.client.on_socket_open = self.opened
        self.client.on_socket_close = self.closed
        self.client.on_socket_register_write = lambda *_: self.loop.watch(self.socket, self.ready, writable=True)
        self.client.on_socket_unregister_write = lambda *_: self.socket and self.loop.watch(self.socket, self.ready)

    def start(self):
        """Connects, or tries again later. Resolving the name and TLS's handshake hold the loop up for 5 s at most, each."""
        self.timer = None
        self.make_client()
        properties = Properties(PacketTypes.CONNECT)
        # The broker drops larger ones.
        properties.MaximumPacketSize = self.configuration.largest_message + OVERHEAD
        try:
            self.client.connect(
                self.configuration.broker, self.configuration.port, self.configuration.keep_alive, properties=properties)
        except (OSError, ValueError) as error:
            self.complain(f"cannot connect: {error}")
            self.again()

    def complain(self, reason):
        """Each new reason, once."""
        if reason != self.reason:
            print(f"ringer-mqtt: broker {self.configuration.broker}:{self.configuration.port}: {reason}", file=sys.stderr, flush=True)
        self.reason = reason

    def again(self):
        if self.timer is None:
            self.timer = self.loop.after(random.uniform(0.5, 1) * self.pause, self.start)
            self.pause = min(self.pause * 2, LONGEST_PAUSE)

    def opened(self, _client, _context, sock):
        self.socket = sock
        # A message is small, and waits for nothing.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.loop.watch(sock, self.ready, writable=self.client.want_write())
        self.tend(sock)

    def closed(self, _client, _context, sock):
        self.loop.unwatch(sock)
        self.socket = None

    def ready(self):
        if self.client.want_write():
            self.client.loop_write()
        if self.socket:
            self.client.loop_read()
        # What TLS has decrypted already wakes nobody up.
        while self.socket and hasattr(self.socket, "pending") and self.socket.pending():
            self.client.loop_read()

    def tend(self, sock):
        """Asks now and then whether the broker is there."""
        if sock is self.socket:
            self.client.loop_misc()
            self.loop.after(self.configuration.keep_alive / 3, lambda: self.tend(sock))

    def connected(self, _client, _context, _flags, reason, *_):
        self.is_refused = reason != 0
        if self.is_refused:
            return self.complain(f"it refuses the connection: {reason}")
        self.is_connected, self.reason, self.pause = True, None, 1
        self.on_connected()

    def disconnected(self, _client, _context, reason, *_):
        if self.loop.runs and not self.is_refused:
            text = mqtt.error_string(reason) if isinstance(reason, int) else reason
            self.complain(f"the connection is lost: {text}" if self.is_connected else f"it does not answer as a broker: {text}")
        self.is_connected = self.is_refused = False
        if self.loop.runs:
            self.again()

    def subscribe(self, topics):
        self.topics = topics
        if topics:
            self.client.subscribe([(topic, 1) for topic in topics])

    def subscribed(self, _client, _context, _number, reasons, *_):
        for topic, reason in zip(self.topics, reasons):
            if reason.value >= 0x80:
                self.complain(f"it refuses the subscription of {topic}: {reason}")

    def publish(self, topic, payload, is_retained=False):
        """Publishes, if there is a connection: whoever connects publishes the state anew. Returns whether it is on its way."""
        return self.is_connected and self.client.publish(topic, payload, qos=1, retain=is_retained).rc == mqtt.MQTT_ERR_SUCCESS

    def stop(self):
        """Leaves in order: the will is not published."""
        if self.client:
            self.client.disconnect()
        if self.socket:
            self.client.loop_write()
