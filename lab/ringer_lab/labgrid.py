"""labgrid's resource and driver for a bench: labgrid's places reserve it, and its power is switched from there.

    imports: [ringer_lab.labgrid]
    targets:
      main:
        resources:
          RingerBench: {path: bench.toml}
        drivers:
          RingerBenchDriver: {}

An exporter gives the same resource to a coordinator, so that a place can be made of it. The bench's lines are those of the
machine `host`, where labgrid's client has to run.
"""

import socket
import subprocess
import sys

import attr
from labgrid import target_factory
from labgrid.driver import Driver
from labgrid.driver.exception import ExecutionError
from labgrid.protocol import PowerProtocol
from labgrid.resource import Resource
from labgrid.step import step

from ringer_lab.bench.bench import Bench


@target_factory.reg_resource
@attr.s(eq=False)
class RingerBench(Resource):
    """The bench of a file, on the machine `host`; without `host` on this one."""

    path = attr.ib(validator=attr.validators.instance_of(str))
    host = attr.ib(default="", validator=attr.validators.instance_of(str))
    extra = attr.ib(default=None)  # an exporter's


@target_factory.reg_driver
@attr.s(eq=False)
class RingerBenchDriver(Driver, PowerProtocol):
    """Switches the device's power, and runs tests that use the fixture `lab` at the bench."""

    bindings = {"bench": RingerBench}

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.open_bench = None

    def on_activate(self):
        names = ("", "localhost", socket.gethostname(), socket.getfqdn())
        if self.bench.host not in names:
            raise ExecutionError(f"the bench {self.bench.path} is wired to {self.bench.host}: run labgrid's client there")

    @property
    def path(self):
        """The bench's file, which is beside the environment's unless its path is absolute."""
        return self.target.env.config.resolve_path(self.bench.path) if self.target.env else self.bench.path

    def on_deactivate(self):
        """Switches the device off, and lets go of the bench."""
        if self.open_bench:
            self.open_bench.close()
            self.open_bench = None

    @Driver.check_active
    @step()
    def on(self):
        """Switches the device on, unless it is, and waits until it answers."""
        if self.open_bench is None:
            bench = Bench(self.path)
            try:
                bench.open()
            except BaseException:
                bench.close()
                raise
            self.open_bench = bench

    @Driver.check_active
    @step()
    def off(self):
        """Switches the device off, whoever has switched it on."""
        if self.open_bench is None:
            bench = Bench(self.path)
            bench.take_power()
            bench.close()
        self.on_deactivate()

    @Driver.check_active
    @step()
    def cycle(self):
        self.on_deactivate()
        self.on()

    @Driver.check_active
    @step(args=["words"])
    def pytest(self, *words):
        """Runs `ringer-lab pytest --bench FILE` with these words, and returns its exit status. It switches the power itself."""
        self.on_deactivate()
        return subprocess.run([sys.executable, "-m", "ringer_lab", "pytest", "--bench", self.path, *words]).returncode
