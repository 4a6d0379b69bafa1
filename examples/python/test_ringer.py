"""A test bench: a program of the service's against a simulated board in virtual time, on a bus of its own.

    RINGERD=/usr/bin/ringerd python3 -m unittest
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import wave

from dbus_fast import Message, Variant
from dbus_fast.aio import MessageBus

from ringer import NAME, Ringer

RINGERD = os.environ.get("RINGERD", "ringerd")


class Bench(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # The bus starts the service when it is first called, and ends with the test.
        services = f"{self.folder}/dbus-1/services"
        os.makedirs(services)
        with open(f"{services}/org.ringer.Ringer1.service", "w", encoding="utf-8") as file:
            file.write("[D-BUS Service]\nName=org.ringer.Ringer1\n")
            file.write(f"Exec={RINGERD} --session --board simulated --clock virtual --config /dev/null\n")
        daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"],
            env=os.environ | {"XDG_DATA_HOME": self.folder},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(daemon.stdout.close)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        self.address = daemon.stdout.readline().strip()
        self.bus = await MessageBus(self.address, negotiate_unix_fd=True).connect()
        self.addCleanup(self.bus.disconnect)
        self.ringer = await Ringer.connect(self.bus)
        self.board = self.ringer.object.get_interface("org.ringer.SimulatedBoard1")

    def tone(self, seconds):
        """A sound file."""
        path = f"{self.folder}/tone.wav"
        with wave.open(path, "wb") as file:
            file.setparams((1, 2, 48000, 0, "NONE", ""))
            file.writeframes(b"\0\x40\0\xc0" * (24000 * seconds))
        return path

    async def playing(self, category):
        """A sound of 2 s of which 0.25 s were played."""
        sound = asyncio.create_task(self.ringer.play(self.tone(2), category))
        while not (await self.board.call_recordings()):
            await self.board.call_advance(0)
        await self.board.call_advance(250_000)
        return sound

    async def played(self):
        """How many frames were played of the one sound that began."""
        (recording,) = await self.board.call_recordings()
        return recording["played"].value

    async def test_a_flip_of_the_switch_silences_the_sound_there(self):
        sound = await self.playing("soloAmbient")
        await self.board.call_set_switch("silent")
        await self.board.call_advance(100_000)
        self.assertEqual((await sound)[:2], ("silenced", "ringSilentSwitch"))
        self.assertEqual(await self.played(), 12_000)

    async def test_what_ignores_the_switch_plays_on(self):
        sound = await self.playing("playback")
        await self.board.call_set_switch("silent")
        await self.board.call_advance(2_000_000)
        self.assertEqual((await sound)[0], "finished")
        self.assertEqual(await self.played(), 96_000)

    async def test_a_silent_phone_vibrates_for_a_call(self):
        await self.board.call_set_switch("silent")
        request = await self.ringer.device.call_alert(Variant("u", 1007), {"limit": Variant("d", 10.0)})
        await self.board.call_advance(20_000_000)
        outcome, _, details = await self.ringer.ended(request)
        self.assertEqual((outcome, details["sounded"].value, details["vibrated"].value), ("timedOut", False, True))
        self.assertEqual(await self.board.call_recordings(), [])
        self.assertTrue(await self.board.call_motor_turns())

    async def test_a_service_that_ends_is_an_error(self):
        sound = await self.playing("playback")
        bus = "org.freedesktop.DBus"
        call = Message(bus, f"/{bus.replace('.', '/')}", bus, "GetConnectionUnixProcessID", signature="s", body=[NAME])
        os.kill((await self.bus.call(call)).body[0], signal.SIGKILL)
        with self.assertRaises(ConnectionResetError):
            await sound

    def program(self, *words):
        here = os.path.dirname(os.path.abspath(__file__))
        return asyncio.create_subprocess_exec(
            sys.executable,
            f"{here}/ringer.py",
            "--session",
            *words,
            env=os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.address},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    async def test_the_program(self):
        await self.board.call_set_switch("silent")
        program = await self.program(self.tone(1))
        self.assertEqual((await program.communicate())[0].decode().split(), ["silenced", "ringSilentSwitch"])
        program = await self.program("/dev/null")
        self.assertIn(b"failed", (await program.communicate())[0])


if __name__ == "__main__":
    unittest.main()
