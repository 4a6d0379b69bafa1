"""What Home Assistant is told: MQTT discovery, a retained message for each entity."""
import dataclasses

from . import VERSION
from .configuration import COMMANDS, CONTROLS
from .state import POSITIONS, VOLUMES

KEYS = ("repeat", "silence", "volumeUp", "volumeDown")


def entities(configuration):
    """The component, the name and the fields of each entity."""
    base, may = configuration.base, configuration.commands
    value = "{{ value_json.%s }}"
    state = {"state_topic": f"{base}/state"}

    def read(field):
        return {**state, "value_template": value % field}

    def command(name):
        return {"command_topic": f"{base}/{name}"}

    def flag(field, **more):
        return {**read(field), "payload_on": "ON", "payload_off": "OFF", **more}

    per_cent = {"unit_of_measurement": "%"}
    scale = {"min": 0, "max": 100, "step": 1, **per_cent}
    found = []

    def add(component, name, title, **fields):
        found.append((component, name, {"name": title, **fields}))

    # Where software may set it, the position that it sets; what counts beside the switch is the sensor.
    if "position" in may:
        add("select", "kept", "Position", **read("kept"), **command("position"), options=list(POSITIONS))
    add("sensor", "position", "Effective position", **read("position"), device_class="enum", options=list(POSITIONS))
    add("sensor", "silenced_by", "Silenced by", **read("silenced_by"))
    add("sensor", "silenced_until", "Silenced until", **read("silenced_until"), device_class="timestamp")
    add("binary_sensor", "quiet_hours", "Quiet hours", **flag("quiet_hours"))
    if "quiet-hours" in may:
        add("text", "quiet_hours_spans", "Times of quiet hours", **read("quiet_hours_spans"), **command("quiet-hours"), max=255,
            entity_category="config")
    if "do-not-disturb" in may:
        add("switch", "do_not_disturb", "Do not disturb", **flag("do_not_disturb"), **command("do-not-disturb"))
    else:
        add("binary_sensor", "do_not_disturb", "Do not disturb", **flag("do_not_disturb"))
    if "lock" in may:
        add("lock", "locked", "Screen", **read("locked"), **command("lock"), payload_lock="LOCK", payload_unlock="UNLOCK",
            state_locked="LOCKED", state_unlocked="UNLOCKED")
    else:
        # Home Assistant's locks are on where they are open.
        add("binary_sensor", "locked", "Screen", **read("locked"), payload_on="UNLOCKED", payload_off="LOCKED",
            device_class="lock")
    for name in ("volume", *VOLUMES):
        field, title = name.replace("-", "_"), name.replace("-", " ").capitalize()
        if name in may:
            add("number", field, title, **read(field), **command(name), **scale)
        else:
            add("sensor", field, title, **read(field), **per_cent)
    add("sensor", "route", "Route", **read("route"))
    for jack in ("headphone", "microphone"):
        add("binary_sensor", jack, jack.capitalize(), **flag(jack, device_class="plug"))
    add("event", "key", "Key", state_topic=f"{base}/key", event_types=list(KEYS), device_class="button")
    if "announce" in may and configuration.speech:
        add("notify", "announce", "Announce", **command("announce"))
    if "stop" in may:
        add("button", "stop", "Stop", **command("stop"), payload_press="all")
    if "vibrate" in may:
        add("button", "vibrate", "Vibrate", **command("vibrate"), payload_press="standard")
    return found


def topic_of(configuration, component, name):
    return f"{configuration.discovery_prefix}/{component}/ringer_{configuration.name}/{name}/config"


def withdrawn(configuration):
    """The topics of what another configuration offers, and this one does not."""
    def topics(**changes):
        changed = dataclasses.replace(configuration, **changes)
        return {topic_of(changed, component, name) for component, name, _ in entities(changed)}
    return sorted((topics(commands=COMMANDS + CONTROLS, speech=("/speech",)) | topics(commands=())) - topics())


def messages(configuration):
    """The topic and the contents of each discovery message."""
    device = {
        "identifiers": [f"ringer_{configuration.name}"], "name": configuration.title, "manufacturer": "Ringer", "model": "ringerd",
        "sw_version": VERSION}
    for component, name, fields in entities(configuration):
        identity = f"ringer_{configuration.name}_{name}"
        yield topic_of(configuration, component, name), {
            **fields, "unique_id": identity, "availability_topic": f"{configuration.base}/availability",
            "device": device, "origin": {"name": "ringer-mqtt", "sw_version": VERSION}}
