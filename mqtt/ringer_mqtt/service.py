"""Ringer's service on the bus. Nothing waits for a reply: each is handed to who asked."""
import jeepney
from jeepney.bus_messages import MatchRule, message_bus
from jeepney.io.blocking import open_dbus_connection

NAME, PATH = "org.ringer.Ringer1", "/org/ringer/Ringer1"
PROPERTIES = "org.freedesktop.DBus.Properties"
DEVICE = jeepney.DBusAddress(PATH, NAME, NAME)


class Service:
    """The device of the service. Its connection to the bus is the process's life: an error of it ends the process, which
    systemd starts anew."""

    def __init__(self, loop, bus):
        self.replies = {}
        self.owner = None
        self.properties = {}
        # Called when the service came, with True, or went; when properties changed; with each signal of its own.
        self.on_presence = lambda is_there: None
        self.on_change = lambda: None
        self.on_signal = lambda member, body: None
        self.connection = open_dbus_connection(bus, enable_fds=True)
        loop.watch(self.connection.sock, self.read)

    def start(self):
        """Looks for the service, and follows it."""
        owners = MatchRule(
            type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged", path="/org/freedesktop/DBus")
        owners.add_arg_condition(0, NAME)
        for rule in (owners, MatchRule(type="signal", sender=NAME, path=PATH)):
            self.send(message_bus.AddMatch(rule))
        self.send(message_bus.GetNameOwner(NAME), lambda body, error: self.has_owner(body[0] if error is None else ""))
        # It may be started by the bus; where it is not there, it is awaited.
        self.send(message_bus.StartServiceByName(NAME))

    def call(self, method, signature=None, body=(), then=None):
        """Calls a method of the device; `then` gets the reply's body, or an error's text."""
        self.send(jeepney.new_method_call(DEVICE, method, signature, body), then)

    def set(self, name, value, then=None):
        """Sets a property to a variant."""
        address = jeepney.DBusAddress(PATH, NAME, PROPERTIES)
        self.send(jeepney.new_method_call(address, "Set", "ssv", (NAME, name, value)), then)

    def send(self, message, then=None):
        serial = next(self.connection.outgoing_serial)
        if then:
            self.replies[serial] = then
        self.connection.send(message, serial=serial)

    def read(self):
        while True:
            try:
                message = self.connection.receive(timeout=0)
            except TimeoutError:
                return
            self.take(message)

    def take(self, message):
        fields, kind = message.header.fields, message.header.message_type
        sender = fields.get(jeepney.HeaderFields.sender)
        if kind in (jeepney.MessageType.method_return, jeepney.MessageType.error):
            then = self.replies.pop(fields.get(jeepney.HeaderFields.reply_serial), None)
            if then:
                failed = kind == jeepney.MessageType.error
                text = message.body[0] if message.body and isinstance(message.body[0], str) else "failed"
                then(message.body, text if failed else None)
        elif kind == jeepney.MessageType.signal:
            member = fields.get(jeepney.HeaderFields.member)
            # Anybody may send a signal to anybody: only the bus's and the service's own count.
            if sender == "org.freedesktop.DBus" and member == "NameOwnerChanged" and message.body[0] == NAME:
                self.has_owner(message.body[2])
            elif sender == self.owner and fields.get(jeepney.HeaderFields.path) == PATH:
                self.signal(member, message.body)

    def has_owner(self, owner):
        if owner == self.owner:
            return
        self.owner = owner
        self.properties = {}
        if not owner:
            self.on_presence(False)
            return
        address = jeepney.DBusAddress(PATH, NAME, PROPERTIES)
        self.send(jeepney.new_method_call(address, "GetAll", "s", (NAME,)), self.has_properties)

    def has_properties(self, body, error):
        if error is None:
            self.properties = {name: value[1] for name, value in body[0].items()}
            self.on_presence(True)

    def signal(self, member, body):
        if member == "PropertiesChanged":
            if body[0] == NAME:
                self.properties.update({name: value[1] for name, value in body[1].items()})
                self.on_change()
        else:
            self.on_signal(member, body)

    def get(self, name, default=None):
        """The newest value of a property."""
        return self.properties.get(name, default)

    def preference(self, name, default=None):
        """The newest value of a preference."""
        return self.properties.get("Preferences", {}).get(name, (None, default))[1]
