"""Ringer's device on an MQTT broker. One thread reads the bus and the broker; another one makes speech and fetches sounds."""

VERSION = "0.2.0"
