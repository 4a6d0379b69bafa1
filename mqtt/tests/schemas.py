"""Has Home Assistant's own schemas judge each discovery message of ringer-mqtt: mqtt/homeassistant runs it."""
import asyncio
import importlib
import json
import sys
import tempfile

import voluptuous
from homeassistant.const import __version__
from homeassistant.core import HomeAssistant
from homeassistant.helpers import frame

from ringer_mqtt import discovery
from ringer_mqtt.configuration import COMMANDS, CONTROLS, Configuration


def problems(component, message):
    """What the schema of the component's platform refuses, and which members it would drop."""
    schema = importlib.import_module(f"homeassistant.components.mqtt.{component}").DISCOVERY_SCHEMA
    try:
        return [f"no member is called {name}" for name in message.keys() - schema(message).keys()]
    except voluptuous.Invalid as error:
        return [str(error)]


async def main():
    # Templates are read by an instance of Home Assistant, which is not started.
    with tempfile.TemporaryDirectory() as folder:
        home = HomeAssistant(folder)
        frame.async_setup(home)
        status = judge()
        await home.async_stop(force=True)
        return status


def judge():
    count, found = 0, []
    for commands in (COMMANDS + CONTROLS, COMMANDS, ()):
        configuration = Configuration(name="hall", title="Hall", base="ringer/hall", commands=commands, speech=("/bin/cat",))
        for topic, contents in discovery.messages(configuration):
            count += 1
            # As it is published.
            message = json.loads(json.dumps(contents))
            found += [f"{topic}: {problem}" for problem in problems(topic.split("/")[1], message)]
    # A schema that takes everything would prove nothing.
    if not problems("select", {"command_topic": "a"}) or not problems("button", {"command_topic": "a", "colour": "red"}):
        found.append("the schemas of Home Assistant take what is wrong")
    print(*found, f"{count} messages, {len(found)} problems: Home Assistant {__version__}", sep="\n")
    return 1 if found else 0


sys.exit(asyncio.run(main()))
