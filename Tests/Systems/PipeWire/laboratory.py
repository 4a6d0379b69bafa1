"""Programs on a private PipeWire beside ringerd: ./test runs this in a root of Debian, inside dbus-run-session.

Verdicts are about frames: how many of a stream were not silent after ringerd's word, and that a stream that may be heard is. Waits are
bounded by minutes, for what has to happen; that nothing more happens is watched for a number of the graph's cycles.
"""

import contextlib
import glob
import json
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time

WORK = os.path.dirname(os.path.abspath(__file__))
SESSION, HOME = os.environ["XDG_RUNTIME_DIR"], os.environ["HOME"]
SOCKET, LOGS = SESSION + "/pcm", WORK + "/logs"
SOURCE = WORK + "/source/Service/PipeWire"
SHORT, LONG, ZEROS = "/tmp/short.wav", "/tmp/long.wav", "/tmp/zeros.wav"
PATIENCE = int(os.environ["PATIENCE"])  # seconds, for what a quiet machine does at once
children = []


class Failure(Exception):
    pass


def check(condition, sentence):
    if not condition:
        raise Failure(sentence)


def spawn(name, *arguments, **options):
    log = open(f"{LOGS}/{name}", "ab")
    child = subprocess.Popen(arguments, stdin=options.pop("stdin", subprocess.DEVNULL),
                             stdout=options.pop("stdout", log), stderr=log, **options)
    children.append(child)
    return child


def end(child, number=signal.SIGTERM):
    if child.poll() is None:
        child.send_signal(number)
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    if child in children:
        children.remove(child)


def run(*arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE).stdout


def eventually(sentence, condition, patience=PATIENCE):
    limit = time.monotonic() + patience
    while not (result := condition()):
        check(time.monotonic() < limit, "never: " + sentence)
        time.sleep(0.02)
    return result


def wave(path, seconds, value=8192):
    data = struct.pack("<hh", value, value) * int(48000 * seconds)
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
                   struct.pack("<IHHIIHH", 16, 1, 2, 48000, 192000, 4, 16) + b"data" + struct.pack("<I", len(data)) + data)


class Probe:
    def __init__(self, sink="sink0"):
        self.process = spawn("probe", "/built/probe", sink, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        eventually("the probe records", lambda: self.read()["cycles"] > 0)

    def read(self):
        """What was counted since the last call."""
        self.process.stdin.write("\n")
        line = self.process.stdout.readline().split()
        check(len(line) == 7, "the probe has ended")
        return {"frames": int(line[0]), "peak": float(line[1]), "cycles": int(line[2]), "quantum": int(line[3]),
                "heard": line[4] == "1", "changed": int(line[5]), "began": int(line[6])}

    def over(self, cycles=12):
        """What is counted during so many cycles from now on; the first are those that were on their way."""
        self.more(4)
        return self.more(cycles)

    def more(self, cycles):
        """What is counted until so many cycles have begun and been counted after this call, those included that waited."""
        total = {"frames": 0, "peak": 0.0, "cycles": 0}
        now = time.monotonic_ns()
        while total["cycles"] < cycles:
            part = self.read()
            total["frames"] += part["frames"]
            total["cycles"] += part["cycles"] if part["began"] >= now else 0
            total["peak"] = max(total["peak"], part["peak"])
            time.sleep(0.01)
        return total

    def level(self):
        """The level once it stays: of two looks in a row that are the same."""
        last = -1.0
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            level = self.over(8)["peak"]
            if abs(level - last) < 1e-3:
                return level
            last = level
        raise Failure("the level does not stay")

    def becomes(self, level, sentence):
        last = [0.0]

        def is_there():
            last[0] = self.over(6)["peak"]
            return abs(last[0] - level) < max(0.02 * level, 1e-4)
        try:
            eventually(f"{sentence}: level {level}", is_there)
        except Failure as failure:
            raise Failure(f"{failure}, but {last[0]}") from None


class Lab:
    def __init__(self):
        self.ringer_options = []
        self.pipewire = self.wireplumber = self.pulse = self.ringer = self.ringerd = self.probe = None
        self.is_old = False

    def start_ringerd(self, *options):
        loader = glob.glob(WORK + "/service/ld-linux*")[0]
        self.ringerd = spawn("ringerd", loader, "--library-path", WORK + "/service", WORK + "/service/ringerd", "--session",
                             "--pcm-socket", SOCKET, *(options or ("--board", "simulated")))

        def answers():
            return "SwitchPosition" in run("dbus-send", "--session", "--print-reply", "--dest=org.ringer.Ringer1", "/org/ringer/Ringer1",
                                           "org.freedesktop.DBus.Introspectable.Introspect")
        eventually("ringerd serves", lambda: os.path.exists(SOCKET) and answers())

    def switch(self, position):
        output = run("dbus-send", "--session", "--print-reply", "--dest=org.ringer.Ringer1", "/org/ringer/Ringer1",
                     "org.ringer.SimulatedBoard1.SetSwitch", "string:" + position)
        check("method return" in output, "SetSwitch: " + output)

    def start_pipewire(self):
        self.pipewire = spawn("pipewire", "pipewire")
        eventually("PipeWire listens", lambda: os.path.exists(SESSION + "/pipewire-0"))
        self.wireplumber = spawn("wireplumber", "wireplumber")
        self.pulse = spawn("pulse", "pipewire-pulse")
        eventually("PipeWire has a sink", lambda: "sink0" in run("pw-cli", "ls", "Node") and os.path.exists(SESSION + "/pulse/native"))
        eventually("WirePlumber works", lambda: "sink0" in run("pactl", "info"))

    def stop_pipewire(self):
        for process in (self.pulse, self.wireplumber, self.pipewire):
            end(process)
        for path in (SESSION + "/pipewire-0", SESSION + "/pulse/native"):
            if os.path.exists(path):
                os.unlink(path)

    def start_ringer(self, *options, **more):
        self.mark = log_size("ringer-pipewire")
        config = os.environ.get("CONFIG", HOME + "/ringer.conf")
        self.ringer = spawn("ringer-pipewire", "/built/ringer-pipewire", "--verbose", "--config", config, *options, **more)

    def quantum(self, frames):
        run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(frames))
        eventually(f"the quantum is {frames}", lambda: self.probe.over(1) and self.probe.read()["quantum"] in (0, frames)
                   and self.probe.more(2) and self.probe.read()["quantum"] in (0, frames))


def log_size(name):
    path = f"{LOGS}/{name}"
    return os.path.getsize(path) if os.path.exists(path) else 0


def log(name, since=0):
    with open(f"{LOGS}/{name}", encoding="utf-8", errors="replace") as file:
        file.seek(since)
        return file.read()


PLAYERS = {
    "pw-play": ["pw-play", "--media-role", "Notification"],
    "paplay": ["paplay", "--property=media.role=event"],
    "paplay-volume": ["paplay", "--volume=40000"],
    "aplay": ["aplay", "-q", "-D", "pipewire"],
}
ON_THE_PLUGIN = {"judged": ["aplay", "-q", "-D", "judged"]}


def play(player, file, *options, **environment):
    return spawn("player", *(PLAYERS | ON_THE_PLUGIN).get(player, [player]), *options, file, env={**os.environ, **environment})


def over(child):
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failure(f"{child.args} does not end") from None
    finally:
        end(child)


def streams():
    """The nodes of programs: id, state and properties."""
    found = []

    def dump():
        try:
            return json.loads(run("pw-dump"))
        except ValueError:
            return None  # something changed meanwhile, which the older one prints as a second list
    for item in eventually("pw-dump prints", dump):
        properties = (item.get("info") or {}).get("props") or {}
        if item.get("type") == "PipeWire:Interface:Node" and properties.get("media.class") == "Stream/Output/Audio" \
                and "node.link-group" not in properties:
            found.append((item["id"], item["info"]["state"], properties))
    return found


def running(count=1):
    eventually(f"{count} streams run", lambda: sum(state == "running" for _, state, _ in streams()) >= count)


def shorts(lab, player, count, at_once=3, *options):
    """Plays short sounds, and returns how many frames of them were heard."""
    lab.probe.more(4)
    left = count
    while left > 0:
        batch = [play(player, SHORT, *options) for _ in range(min(left, at_once))]
        left -= len(batch)
        for child in batch:
            over(child)
    return lab.probe.more(6)["frames"]


def silent(lab, cycles=20):
    return lab.probe.over(cycles)["frames"] == 0


def no_leak(lab, frames, sentence):
    """Before PipeWire 0.3.72 it is best effort: what leaks is printed."""
    if frames > 0 and lab.is_old:
        print(f"{sentence}: {frames} frames leaked, which this PipeWire does not promise not to")
        return
    check(frames == 0, f"{sentence}: {frames} frames leaked")


def becomes_silent(lab, sentence):
    eventually(sentence, lambda: silent(lab, 6))
    check(silent(lab), sentence + ": not for long")


def stays_silent(lab, sentence):
    """Before PipeWire 0.3.72 it may have been heard first."""
    if lab.is_old:
        becomes_silent(lab, sentence)
    check(silent(lab), sentence + ": heard")


def becomes_heard(lab, sentence):
    eventually(sentence, lambda: lab.probe.over(4)["frames"] > 0)


# Scenarios.


def waits(lab):
    """How long it waits for the service, a client and a converter, by a clock of the test's."""
    ended = subprocess.run(["/built/waits"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    check(ended.returncode == 0, ended.stdout)


def leak(lab):
    """New streams at silent, then at ring."""
    lab.switch("silent")
    for player in PLAYERS:
        frames = shorts(lab, player, 10)
        no_leak(lab, frames, f"{player} at silent, of 144,000")
    lab.switch("ring")
    for player in PLAYERS:
        heard = shorts(lab, player, 2, 1)
        check(heard > 1000, f"{player} at ring: {heard} frames of 28,800 heard")


def without(lab):
    """By construction: new streams are silent without ringer-pipewire, and while it is stopped; later they are heard."""
    lab.switch("ring")
    end(lab.ringer, signal.SIGKILL)
    if not lab.is_old:
        for player in PLAYERS:
            frames = shorts(lab, player, 4)
            check(frames == 0, f"{player} without ringer-pipewire: {frames} frames leaked")
    lab.start_ringer()
    eventually("heard with it", lambda: shorts(lab, "pw-play", 1) > 1000)
    lab.ringer.send_signal(signal.SIGSTOP)
    if not lab.is_old:
        for player in ("pw-play", "paplay"):
            frames = shorts(lab, player, 4)
            check(frames == 0, f"{player}, ringer-pipewire stopped: {frames} frames leaked")
    child = play("pw-play", LONG)
    running()
    lab.ringer.send_signal(signal.SIGCONT)
    becomes_heard(lab, "heard once it goes on")
    end(child)


def flip(lab):
    """A stream is silent after a flip, and heard after the next one, at two quanta."""
    for quantum in (256, 1024):
        lab.quantum(quantum)
        for player in ("pw-play", "paplay"):
            lab.switch("ring")
            child = play(player, LONG)
            becomes_heard(lab, f"{player} at ring")
            for _ in range(3):
                lab.switch("silent")
                becomes_silent(lab, f"{player} at silent, quantum {quantum}")
                lab.switch("ring")
                becomes_heard(lab, f"{player} at ring again, quantum {quantum}")
            end(child)


def user(lab):
    """The user's volume and mute: moved at silent they make nothing heard, and they hold at ring."""
    lab.switch("ring")
    child = play("pw-play", LONG)
    becomes_heard(lab, "at ring")
    number = str(streams()[0][0])
    sink_input = str(streams()[0][2]["object.serial"])
    run("wpctl", "set-volume", number, "0.5")
    lab.probe.becomes(0.25 * 0.125, "the user's volume")
    lab.switch("silent")
    becomes_silent(lab, "at silent")
    lab.probe.read()
    for step in range(10):
        if step % 2:
            run("wpctl", "set-volume", number, f"{0.3 + 0.02 * step:.2f}")
        else:
            run("pactl", "set-sink-input-volume", sink_input, f"{30 + step}%")
    no_leak(lab, lab.probe.more(10)["frames"], "while the volume was moved")
    run("wpctl", "set-volume", number, "0.5")
    check("0.50" in run("wpctl", "get-volume", number), "the volume at silent is shown as " + run("wpctl", "get-volume", number))
    becomes_silent(lab, "still at silent")
    lab.switch("ring")
    lab.probe.becomes(0.25 * 0.125, "the user's volume after silence")
    run("wpctl", "set-mute", number, "1")
    becomes_silent(lab, "muted")
    lab.switch("silent")
    lab.switch("ring")
    check(silent(lab), "the user's mute ended by a flip")
    check("MUTED" in run("wpctl", "get-volume", number), "the mute is not shown")
    run("wpctl", "set-mute", number, "0")
    lab.probe.becomes(0.25 * 0.125, "no longer muted")
    run("wpctl", "set-volume", number, "1.0")
    lab.probe.becomes(0.25, "at full volume")
    end(child)


def duck(lab):
    """A program that ducks others lowers the level, whatever the user's volume; then it is as before."""
    lab.switch("ring")
    child = play("pw-play", LONG)
    lab.probe.becomes(0.25, "alone")
    number = str(streams()[0][0])
    other = spawn("player", "pw-play", "--media-role", "Navigation", ZEROS)
    lab.probe.becomes(0.25 * 0.1995, "ducked by 14 dB")
    run("wpctl", "set-volume", number, "0.5")
    lab.probe.becomes(0.25 * 0.1995 * 0.125, "ducked at the user's volume")
    check("0.50" in run("wpctl", "get-volume", number), "ducking is shown as volume")
    lab.switch("silent")
    becomes_silent(lab, "ducked, at silent")
    lab.switch("ring")
    lab.probe.becomes(0.25 * 0.1995 * 0.125, "ducked after silence")
    end(other)
    lab.probe.becomes(0.25 * 0.125, "no longer ducked")
    run("wpctl", "set-volume", number, "1.0")
    lab.probe.becomes(0.25, "at full volume")
    end(child)


def foreign(lab):
    """Others write what is there already: ducking and silence hold, and the answers to it end."""
    lab.switch("ring")
    child = play("pw-play", LONG)
    lab.probe.becomes(0.25, "alone")
    number = str(streams()[0][0])
    other = spawn("player", "pw-play", "--media-role", "Navigation", ZEROS)
    lab.probe.becomes(0.25 * 0.1995, "ducked")
    mark = log_size("ringer-pipewire")
    writes = ("{ mute: false }", "{ channelVolumes: [ 1.0, 1.0 ] }", "{ channelVolumes: [ 1.0, 0.5 ] }", "{ channelVolumes: [ 1.0, 1.0 ] }")
    for props in writes:
        run("pw-cli", "set-param", number, "Props", props)
        if "0.5" not in props:
            lab.probe.becomes(0.25 * 0.1995, f"ducked after {props}")
    # Each is answered a few times; then it ends, however late on a busy machine.
    answers = later = 0
    for _ in range(20):
        answers, later = later, log("ringer-pipewire", mark).count(f"({number}): heard")
        if 0 < later == answers:
            break
        lab.probe.more(100)
    check(later == answers, f"writes go on: {answers}, {later}")
    check(0 < answers <= 12 * len(writes), f"{len(writes)} writes of others were answered by {answers}")
    lab.switch("silent")
    becomes_silent(lab, "at silent")
    lab.probe.read()
    for props in writes[:2]:
        run("pw-cli", "set-param", number, "Props", props)
    no_leak(lab, lab.probe.more(10)["frames"], "while others wrote what was there")
    becomes_silent(lab, "at silent after it")
    end(other)
    end(child)


def locked(lab):
    """Volumes that the user or a script locked: they stay as they are, also where others duck it, and it is silenced all the same."""
    if lab.is_old:
        return  # its converter has no lock
    lab.switch("ring")
    child = play("pw-play", LONG, "-P", "{ channelmix.lock-volumes = true channelmix.min-volume = 0.5 }")
    lab.probe.becomes(0.25, "alone")
    number = str(streams()[0][0])
    run("wpctl", "set-volume", number, "0.5")
    mark = log_size("ringer-pipewire")
    other = spawn("player", "pw-play", "--media-role", "Navigation", ZEROS)
    eventually("it is ducked", lambda: f"({number}): heard, gain 0.2" in log("ringer-pipewire", mark))
    check(abs(lab.probe.level() - 0.25) < 1e-3, "the locked volume was changed")
    lab.switch("silent")
    becomes_silent(lab, "locked, at silent")
    end(other)
    lab.switch("ring")
    lab.probe.becomes(0.25, "locked, after silence")
    props = run("pw-cli", "enum-params", number, "Props")
    check(re.search(r'"channelmix.lock-volumes"\n\s*Bool true', props), "the lock is gone: " + props)
    end(child)


def stopped(lab):
    """A program that hangs while it plays: it is written again, which is said once, and it is silent when it goes on."""
    lab.switch("ring")
    child = play("pw-play", LONG)
    becomes_heard(lab, "at ring")
    mark = log_size("ringer-pipewire")
    child.send_signal(signal.SIGSTOP)
    lab.switch("silent")
    if not lab.is_old:
        eventually("it is said", lambda: "has not said" in log("ringer-pipewire", mark))
        eventually("it is written again", lambda: log("ringer-pipewire", mark).count("): silent") >= 3)
        check(log("ringer-pipewire", mark).count("has not said") == 1, "it is said more than once")
    child.send_signal(signal.SIGCONT)
    becomes_silent(lab, "once it goes on")
    lab.switch("ring")
    becomes_heard(lab, "at ring again")
    end(child)


def state(lab):
    """What WirePlumber stores of a program does not say that it was silenced."""
    def stored():
        """The lines about a role that no other scenario plays."""
        files = [open(path, encoding="utf-8").read() for path in glob.glob(HOME + "/.local/state/wireplumber/*stream*")]
        return [line for file in files for line in file.splitlines() if "Alert" in line]
    lab.switch("silent")
    no_leak(lab, shorts(lab, "pw-play", 2, 1, "--media-role", "Alert"), "before WirePlumber stores")
    lines = eventually("WirePlumber stores", stored)
    check(not any(re.search(r'mute["\s]*[=:]\s*true', line) for line in lines), f"a mute was stored: {lines}")
    lab.switch("ring")
    check(shorts(lab, "pw-play", 1) > 1000, "not heard at ring")


def deaths(lab):
    """ringerd and ringer-pipewire die, hang, and come back."""
    lab.switch("ring")
    child = play("pw-play", LONG)
    becomes_heard(lab, "at ring")
    end(lab.ringerd, signal.SIGKILL)
    becomes_silent(lab, "without ringerd")
    lab.start_ringerd()
    becomes_heard(lab, "ringerd is back")
    lab.ringerd.send_signal(signal.SIGSTOP)
    becomes_silent(lab, "ringerd is stopped")
    no_leak(lab, shorts(lab, "pw-play", 3), "new streams while ringerd was stopped")
    lab.ringerd.send_signal(signal.SIGCONT)
    becomes_heard(lab, "ringerd goes on")
    lab.switch("silent")
    becomes_silent(lab, "at silent")
    end(lab.ringer, signal.SIGKILL)
    check(silent(lab), "heard after ringer-pipewire's death")
    if not lab.is_old:
        serial = str(streams()[0][2]["object.serial"])
        run("pactl", "set-sink-input-volume", serial, "90%")
        check(silent(lab), "heard after the user's volume without ringer-pipewire")
        run("pactl", "set-sink-input-volume", serial, "100%")
    lab.start_ringer()
    check(silent(lab), "heard when ringer-pipewire came back at silent")
    lab.switch("ring")
    becomes_heard(lab, "at ring, ringer-pipewire is back")
    end(lab.ringer, signal.SIGKILL)
    lab.switch("silent")
    lab.start_ringer()
    becomes_silent(lab, "a flip while ringer-pipewire was away")
    lab.switch("ring")
    becomes_heard(lab, "at ring after that")
    end(child)


def unreachable(lab):
    """`if-unreachable = play`: heard at silent while ringerd is not there, but not while it hangs."""
    end(lab.ringer)
    os.environ["CONFIG"] = HOME + "/play.conf"
    with open(os.environ["CONFIG"], "w", encoding="utf-8") as file:
        file.write(f"if-unreachable = play\nsocket = {SOCKET}\n")
    lab.start_ringer()
    lab.switch("silent")
    lab.ringerd.send_signal(signal.SIGSTOP)
    no_leak(lab, shorts(lab, "pw-play", 4), "a service that is there was not waited for")
    end(lab.ringerd, signal.SIGKILL)
    eventually("heard without ringerd", lambda: shorts(lab, "pw-play", 1) > 1000)
    del os.environ["CONFIG"]
    end(lab.ringer)
    lab.start_ringerd()
    lab.start_ringer()


def restart(lab):
    """PipeWire ends in the middle of a sound: ringer-pipewire ends with it, and says so; with the next one all is as before."""
    lab.switch("ring")
    child = play("pw-play", LONG)
    becomes_heard(lab, "at ring")
    mark = log_size("ringer-pipewire")
    end(lab.probe.process)
    lab.stop_pipewire()
    eventually("ringer-pipewire ends", lambda: lab.ringer.poll() is not None)
    check(lab.ringer.returncode == 1 and "PipeWire" in log("ringer-pipewire", mark), "it ended without a word")
    end(child)
    end(lab.ringer)
    lab.start_pipewire()
    lab.start_ringer()
    lab.probe = Probe()
    lab.switch("silent")
    no_leak(lab, shorts(lab, "pw-play", 4), "after PipeWire's restart")
    lab.switch("ring")
    eventually("heard after PipeWire's restart", lambda: shorts(lab, "pw-play", 1) > 1000)


def through(lab):
    """A stream that goes through a loopback's or a filter's sink is judged once, and its level is not lowered twice."""
    for sink in ("loop", "filter"):
        lab.switch("ring")
        child = play("pw-play", LONG, "--target", sink)
        lab.probe.becomes(0.25, f"through {sink}")
        other = spawn("player", "pw-play", "--media-role", "Navigation", ZEROS)
        lab.probe.becomes(0.25 * 0.1995, f"ducked once through {sink}")
        end(other)
        lab.switch("silent")
        becomes_silent(lab, f"through {sink} at silent")
        end(child)


def many(lab, count=40):
    """Streams of 40 programs: none is refused, all are silent, all are heard."""
    lab.switch("silent")
    mark = log_size("ringer-pipewire")
    children = [play("pw-play", LONG) for _ in range(count)]
    running(count)
    stays_silent(lab, f"{count} streams at silent")
    lab.switch("ring")
    heard = eventually("all are heard", lambda: len(set(re.findall(r"\((\d+)\): heard", log("ringer-pipewire", mark)))) >= count)
    check(heard and "refuses" not in log("ringer-pipewire", mark), "streams were refused")
    becomes_heard(lab, f"{count} streams at ring")
    lab.switch("silent")
    becomes_silent(lab, f"{count} streams after a flip")
    for child in children:
        child.terminate()
    for child in children:
        end(child)


def hundred(lab):
    """100 streams are more than a user may have: those beyond are silent, and the journal says why."""
    lab.switch("ring")
    mark = log_size("ringer-pipewire")
    children = [play("pw-play", ZEROS) for _ in range(99)]
    running(99)
    eventually("a refusal is reported", lambda: "are the most for user" in log("ringer-pipewire", mark))

    def heard():
        return len(set(re.findall(r"\((\d+)\): heard", log("ringer-pipewire", mark))))
    eventually("64 are heard", lambda: heard() >= 64)
    extra = play("pw-play", LONG)
    running(100)
    stays_silent(lab, "a stream beyond the limit")
    check(heard() == 64, f"{heard()} of 100 were heard")
    for child in children:
        child.terminate()
    for child in children:
        end(child)
    becomes_heard(lab, "once the others have gone")
    end(extra)


def categories(lab):
    """The stream's own word, rules, roles, and the default."""
    lab.switch("silent")

    def is_heard(sentence, wanted, player, *options, **environment):
        child = spawn("player", *(PLAYERS["aplay"] if player == "aplay" else [player]), *options, LONG, env={**os.environ, **environment})
        running()
        if wanted:
            becomes_heard(lab, sentence)
        else:
            becomes_silent(lab, sentence)
        end(child)
        eventually("it has gone", lambda: not streams())

    is_heard("Movie", True, "pw-play", "--media-role", "Movie")
    is_heard("video of PulseAudio", True, "paplay", "--property=media.role=video")
    is_heard("Game", False, "pw-play", "--media-role", "Game")
    is_heard("Alarm", True, "pw-play", "--media-role", "Alarm")
    is_heard("no role", False, "paplay")
    is_heard("an unknown role", False, "paplay", "--property=media.role=nonsense")
    is_heard("its own word", True, "paplay", "--property=ringer.category=playback")
    is_heard("its own word against its role", False, "pw-play", "--media-role", "Movie",
             PIPEWIRE_PROPS="{ ringer.category = ambient }")
    is_heard("PULSE_PROP", True, "paplay", PULSE_PROP="ringer.category=playback ringer.options=mixWithOthers")
    is_heard("its own word with an option", False, "paplay", "--property=ringer.category=playback",
             "--property=ringer.options=honoursRingSilentSwitch")
    mark = log_size("ringer-pipewire")
    is_heard("a category that does not exist", False, "paplay", "--property=ringer.category=loud")
    check("do not exist" in log("ringer-pipewire", mark), "an unknown category is not reported")
    is_heard("a rule by name", True, "paplay", "--property=application.name=Sonata")
    is_heard("a rule before the role", False, "pw-play", "--media-role", "Movie", "-P", "{ application.id = org.example.Quiet }")
    is_heard("a role of the file", True, "paplay", "--property=media.role=Chime")
    child = play("paplay", LONG, "--property=media.role=video", "--client-name=Listed")
    running()
    listed = run("/built/ringer-pipewire", "--list", "--config", HOME + "/ringer.conf")
    for wanted in (r"^PipeWire \d+\.\d+\.\d+\nringer-pipewire runs$", r"^\d+ .*: playback mixWithOthers$", r"^\d+ .*: passes: "):
        check(re.search(wanted, listed, re.M), f"--list does not have {wanted}: {listed}")
    end(child)


def native(lab):
    """A program that names itself to PipeWire alone, not on its stream, obeys the rules; its role may change while it plays."""
    folder = "/tmp/native/pipewire/client.conf.d"
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/native.conf", "w", encoding="utf-8") as file:
        file.write("context.properties = { application.name = Sonata application.id = org.example.Native }\n")
    lab.switch("silent")
    player = spawn("player", "/built/probe", "--play", stdin=subprocess.PIPE, text=True, bufsize=1)
    running()
    stays_silent(lab, "without a role")
    for role, becomes in (("Movie", becomes_heard), ("Game", becomes_silent), ("Alarm", becomes_heard)):
        player.stdin.write(role + "\n")
        becomes(lab, f"a role that became {role}")
    end(player)
    eventually("it has gone", lambda: not streams())
    player = spawn("player", "/built/probe", "--play", stdin=subprocess.PIPE, text=True, env={**os.environ, "XDG_CONFIG_HOME": "/tmp/native"})
    becomes_heard(lab, "a rule by the client's name")
    check(streams()[0][2].get("application.id") != "org.example.Native", "the stream has its client's properties: nothing was tried")
    listed = run("/built/ringer-pipewire", "--list", "--config", HOME + "/ringer.conf")
    check(re.search(r"^\d+ Sonata: playback$", listed, re.M), f"--list does not ask the client: {listed}")
    end(player)
    lab.switch("ring")


JACK = """
import ctypes, time
jack = ctypes.CDLL("libjack.so.0")
jack.jack_client_open.restype = jack.jack_port_register.restype = ctypes.c_void_p
client = ctypes.c_void_p(jack.jack_client_open(b"jack player", 0, None))
jack.jack_port_register(client, b"out", b"32 bit float mono audio", ctypes.c_ulong(2), ctypes.c_ulong(0))
jack.jack_activate(client)
time.sleep(1000)
"""


def named(lab):
    """What cannot be silenced is named: a program of JACK, a filter, and what plays what is encoded. A stream without conversion is silenced."""
    lab.switch("silent")
    for arguments, line in (
            (("pw-jack", "python3", "-c", JACK), r"python3\S*: cannot be silenced: it has no converter \(JACK, or a filter\)"),
            (("/built/probe", "--filter"), r"probe: cannot be silenced: it has no converter \(JACK, or a filter\)"),
            (("/built/probe", "--encoded"), r"probe: cannot be silenced: no converter reads what it plays \(passthrough\)")):
        child = spawn("player", *arguments, stdin=subprocess.PIPE)
        listed = [""]

        def is_named():
            listed[0] = run("/built/ringer-pipewire", "--list", "--config", HOME + "/ringer.conf")
            return re.search(rf"^\d+ {line}$", listed[0], re.M)
        try:
            eventually(f"{arguments} is named", is_named)
        except Failure as failure:
            raise Failure(f"{failure}: {listed[0]}") from None
        end(child)
    player = spawn("player", "/built/probe", "--unconverted", stdin=subprocess.PIPE)
    running()
    stays_silent(lab, "without conversion, at silent")
    lab.switch("ring")
    becomes_heard(lab, "without conversion, at ring")
    lab.switch("silent")
    becomes_silent(lab, "without conversion, after a flip")
    end(player)
    lab.switch("ring")


def source(lab):
    """A loopback without a sink, which plays what a source records, is judged: nothing of it was judged before."""
    lab.switch("ring")
    mark = log_size("ringer-pipewire")
    loopback = spawn("player", "pw-loopback", "-P", "sink0")
    eventually("it is judged", lambda: re.search(r"^ringer-pipewire: pw-loopback.*: heard", log("ringer-pipewire", mark), re.M))
    mark = log_size("ringer-pipewire")
    lab.switch("silent")
    eventually("it is silenced", lambda: re.search(r"^ringer-pipewire: pw-loopback.*: silent", log("ringer-pipewire", mark), re.M))
    listed = run("/built/ringer-pipewire", "--list", "--config", HOME + "/ringer.conf")
    check(re.search(r"^\d+ pw-loopback.*: ambient$", listed, re.M), f"--list says otherwise: {listed}")
    end(loopback)
    lab.switch("ring")


def broken(lab):
    """A rules file that is wrong: it is said in which line, and what names no category is silent at silent, and heard at ring."""
    end(lab.ringer)
    path = HOME + "/broken.conf"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"application.name:Sonata = playback\nmedia.role:Movie = loud\nnonsense\ndefault-category = playback\nsocket = {SOCKET}\n")
    os.environ["CONFIG"] = path
    mark = log_size("ringer-pipewire")
    lab.start_ringer()
    del os.environ["CONFIG"]
    eventually("it is said", lambda: "line 2: there is no such category" in log("ringer-pipewire", mark)
               and "line 3" in log("ringer-pipewire", mark))
    lab.switch("silent")
    for options in ((), ("--property=application.name=Sonata",), ("--property=media.role=video",)):
        no_leak(lab, shorts(lab, "paplay", 1, 1, *options), f"{options} with a broken file")
    check(shorts(lab, "paplay", 1, 1, "--property=ringer.category=playback") > 1000, "its own word does not count")
    lab.switch("ring")
    check(shorts(lab, "paplay", 1) > 1000, "a broken file makes all silent")
    end(lab.ringer)
    lab.start_ringer()


def overridden(lab):
    """A user who overrides the rules: streams are born heard, and silenced all the same as soon as they are judged."""
    paths = []
    for name in ("client", "client-rt", "pipewire-pulse"):
        folder = f"{HOME}/.config/pipewire/{name}.conf.d"
        os.makedirs(folder, exist_ok=True)
        paths.append(folder + "/50-ringer.conf")
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write("# nothing\n")
    lab.switch("silent")
    child = play("pw-play", LONG)
    running()
    becomes_silent(lab, "overridden rules")
    lab.switch("ring")
    becomes_heard(lab, "at ring")
    end(child)
    for path in paths:
        os.unlink(path)


def release(lab):
    """--release: what plays is heard without ringer-pipewire, at the user's volume."""
    lab.switch("silent")
    child = play("pw-play", LONG)
    running()
    stays_silent(lab, "at silent")
    end(lab.ringer)
    status = subprocess.run(["/built/ringer-pipewire", "--release"], timeout=PATIENCE).returncode
    check(status == 0, f"--release ended with {status}")
    lab.pipewire.send_signal(signal.SIGSTOP)
    listed = subprocess.run(["/built/ringer-pipewire", "--list"], stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    lab.pipewire.send_signal(signal.SIGCONT)
    check(listed.returncode == 1 and "has not answered" in listed.stderr, f"--list while PipeWire hangs: {listed}")
    lab.probe.becomes(0.25, "released")
    lab.start_ringer()
    becomes_silent(lab, "judged again")
    end(child)
    lab.switch("ring")


def systemd(lab):
    """What systemd is told: ready, and the watchdog only while streams run. Without them nothing wakes it."""
    end(lab.ringer)
    path = SESSION + "/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(path)
        receiver.settimeout(PATIENCE)
        lab.start_ringer(env={**os.environ, "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "600000"})
        check(receiver.recv(100) == b"WATCHDOG_USEC=0", "the watchdog is not put off")
        check(receiver.recv(100) == b"READY=1", "it is not ready")
        child = play("pw-play", LONG)
        check(receiver.recv(100) == b"WATCHDOG_USEC=600000\nWATCHDOG=1", "the watchdog does not begin")
        for _ in range(3):
            check(receiver.recv(100) == b"WATCHDOG=1", "the watchdog hears nothing")
        end(child)
        while (word := receiver.recv(100)) == b"WATCHDOG=1":
            pass
        check(word == b"WATCHDOG_USEC=0", "the watchdog goes on")

        def switches():
            text = open(f"/proc/{lab.ringer.pid}/status", encoding="utf-8").read()
            return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.M).group(1))

        def sleeps(sentence, most=0):
            time.sleep(0.5)
            before = switches()
            time.sleep(2)
            check(switches() - before <= most, f"woken {sentence}: {switches() - before} times")
        sleeps("without streams")
        child = play("pw-play", LONG, "--target", "0")
        eventually("it does not run", lambda: [state for _, state, _ in streams()] in (["suspended"], ["idle"]))
        sleeps("beside a stream that does not run")
        end(lab.ringerd)
        sleeps("without ringerd", 1)
        lab.start_ringerd()
        end(child)
    os.unlink(path)
    end(lab.ringer)
    lab.start_ringer()


def script(lab):
    """WirePlumber's script alone: streams that read no rules are born silent."""
    if lab.is_old:
        return
    end(lab.ringer)
    for path in RULES:
        os.rename(path, path + ".off")
    end(lab.probe.process)
    lab.stop_pipewire()
    folders = {"50-ringer.conf": "wireplumber.conf.d", "born-silent.lua": "scripts/ringer"}
    for name, folder in folders.items():
        os.makedirs(f"/usr/share/wireplumber/{folder}", exist_ok=True)
        run("cp", f"{SOURCE}/wireplumber/{name}", f"/usr/share/wireplumber/{folder}/{name}")
    lab.start_pipewire()
    lab.probe = Probe()
    for player in ("pw-play", "paplay", "aplay"):
        frames = shorts(lab, player, 4)
        check(frames == 0, f"{player} with the script alone: {frames} frames leaked")
    lab.start_ringer()
    lab.switch("ring")
    eventually("heard with ringer-pipewire", lambda: shorts(lab, "pw-play", 1) > 1000)
    for path in RULES:
        os.rename(path + ".off", path)


@contextlib.contextmanager
def judged_pcm():
    """While it lasts there is a PCM `judged`, the ALSA plug-in `ringer` whose slave is PipeWire."""
    with open("/etc/asound.conf", "w", encoding="utf-8") as file:
        file.write(f'pcm_type.ringer {{ lib "{WORK}/service/libasound_module_pcm_ringer.so" }}\n'
                   'pcm.!ringer_output { type plug slave.pcm { type pipewire role "ringer-judged" } }\n'
                   f'pcm.judged {{ type plug slave.pcm {{ type ringer slave ringer_output category soloAmbient socket "{SOCKET}" }} }}\n')
    try:
        yield
    finally:
        os.unlink("/etc/asound.conf")


def twice(lab):
    """A program on the ALSA plug-in `ringer` whose slave is PipeWire is judged there alone."""
    lab.switch("ring")
    with judged_pcm():
        child = play("judged", LONG)
        lab.probe.becomes(0.25, "on both")
        other = spawn("player", "pw-play", "--media-role", "Navigation", ZEROS)
        lab.probe.becomes(0.25 * 0.1995, "ducked once")
        end(other)
        lab.switch("silent")
        becomes_silent(lab, "on both, at silent")
        end(child)


def own(lab):
    """What ringerd itself plays to ALSA's default PCM, which is PipeWire's, is judged by it alone."""
    if f"VERSION_CODENAME={os.environ['SERVICE_RELEASE']}\n" not in open("/etc/os-release", encoding="utf-8").read():
        return  # its libraries are another release's than the PCM's
    end(lab.ringerd)
    with open("/tmp/ringerd.conf", "w", encoding="utf-8") as file:
        file.write("pcm = default\nmotor = none\ninitial-position = silent\n")
    lab.start_ringerd("--config", "/tmp/ringerd.conf")

    def asked(method, *arguments):
        return run("gdbus", "call", "--session", "--dest", "org.ringer.Ringer1", "--object-path", "/org/ringer/Ringer1",
                   "--method", "org.ringer.Ringer1." + method, *arguments)

    def frames(category):
        """How many frames of a predefined sound are heard."""
        lab.probe.more(4)
        request = asked("Play", "<uint32 1007>", f"{{'category': <'{category}'>}}")
        check("uint32" in request, "Play: " + request)
        return lab.probe.more(100)["frames"]
    check(frames("ambient") == 0, "ambient is heard at silent")
    eventually("playback is heard at silent", lambda: frames("playback") > 1000)
    end(lab.ringerd)
    lab.start_ringerd()


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def beginnings(lab, player, count):
    """How much of the beginning of so many streams is not heard, in words."""
    lost = [max(14400 - shorts(lab, player, 1), 0) / 48 for _ in range(count)]
    return f"lost of a beginning: median {statistics.median(lost):.1f} ms, p95 {percentile(lost, 0.95):.1f}"


def restart_pulse(lab):
    """It reads the rules when it starts."""
    end(lab.pulse)
    if os.path.exists(SESSION + "/pulse/native"):
        os.unlink(SESSION + "/pulse/native")
    lab.pulse = spawn("pulse", "pipewire-pulse")
    eventually("pipewire-pulse serves", lambda: "sink0" in run("pactl", "info"))


def flips(lab, player, quantum):
    """From the command that flips the switch, with its start, to the last sample of a sound that is not zero, in words."""
    lab.switch("ring")
    child = play(player, LONG)
    becomes_heard(lab, "at ring")
    times = []
    for _ in range(int(os.environ["FLIPS"])):
        lab.probe.more(20)
        began = time.monotonic_ns()
        lab.switch("silent")
        eventually("silent", lambda: silent(lab, 6))
        times.append((lab.probe.read()["changed"] - began) / 1e6 - quantum / 48)
        lab.switch("ring")
        becomes_heard(lab, "at ring")
    end(child)
    return (f"to silence, dbus-send's start included: median {statistics.median(times):.1f} ms, p99 {percentile(times, 0.99):.1f}, "
            f"most {max(times):.1f} (limit {2 * quantum / 48 + 20:.1f})")


def figures(lab):
    """For a quiet machine: leaks of many streams, times of flips, beginnings that are lost, also without Ringer."""
    print("load", open("/proc/loadavg", encoding="utf-8").read().split()[0], flush=True)
    wanted = int(os.environ["STREAMS"])

    def leaks(player, count):
        found = [shorts(lab, player, 1) for _ in range(count)]
        return f"{sum(frames > 0 for frames in found)} of {count} leaked"
    for quantum in (256, 1024):
        lab.quantum(quantum)
        for player in ("pw-play", "paplay"):
            lab.switch("silent")
            silence = leaks(player, wanted)
            end(lab.ringer)
            silence += f", without the client {leaks(player, wanted // 5)}"
            lab.start_ringer()
            lab.switch("ring")
            beginning = beginnings(lab, player, wanted // 4)
            print(f"{player}, quantum {quantum}: {silence}; {flips(lab, player, quantum)}; {beginning}", flush=True)
        with judged_pcm():
            print(f"aplay on the ALSA plug-in, quantum {quantum}: {flips(lab, 'judged', quantum)}", flush=True)
    # What players and the graph lose by themselves.
    end(lab.ringer)
    for path in RULES:
        os.rename(path, path + ".off")
    restart_pulse(lab)
    for quantum in (256, 1024):
        lab.quantum(quantum)
        for player in ("pw-play", "paplay"):
            print(f"{player}, quantum {quantum}, without Ringer: {beginnings(lab, player, wanted // 4)}", flush=True)
    for path in RULES:
        os.rename(path + ".off", path)
    restart_pulse(lab)
    lab.start_ringer()


def processor(lab):
    """For a quiet machine: the wake-ups of ringer-pipewire without streams, and its processor time beside 20 that play."""
    def used(name, pattern):
        files = [open(path, encoding="utf-8").read() for path in glob.glob(f"/proc/{lab.ringer.pid}/task/*/{name}")]
        return sum(int(re.search(pattern, text)[1]) for text in files)

    def in_30_s(*arguments):
        before = used(*arguments)
        time.sleep(30)
        return used(*arguments) - before
    eventually("there are no streams", lambda: not streams())
    time.sleep(5)
    print("without streams, in 30 s:", in_30_s("status", r"\nvoluntary_ctxt_switches:\s+([0-9]+)"), "wake-ups", flush=True)
    children = [play("pw-play", LONG) for _ in range(20)]
    running(20)
    time.sleep(5)
    print(f"beside 20 streams: {in_30_s('schedstat', '([0-9]+)') / 30e7:.3f} % of a processor", flush=True)
    for child in children:
        end(child)


RULES = []
# `own` is by name: with a quantum that another scenario forced, 0.3.65 plays no sound of the service.
CHECKED = [waits, leak, without, flip, user, duck, foreign, locked, stopped, state, deaths, unreachable, through, twice, categories, native, named, source, broken, overridden, release, systemd, many, hundred,
           restart, script]


def prepare(lab):
    os.makedirs(LOGS, exist_ok=True)
    for path in glob.glob(LOGS + "/*"):
        os.unlink(path)
    wave(SHORT, 0.3)
    wave(LONG, 1000)
    wave(ZEROS, 1000, 0)
    folder = HOME + "/.config/pipewire/pipewire.conf.d"
    os.makedirs(folder)
    run("cp", WORK + "/pipewire.conf", folder)
    version = re.findall(r"(\d+)\.(\d+)\.(\d+)", run("pipewire", "--version"))[0]
    lab.is_old = tuple(map(int, version)) < (0, 3, 72)
    names = ["client", "pipewire-pulse"] + (["client-rt"] if lab.is_old else [])
    for name in names:
        path = f"/usr/share/pipewire/{name}.conf.d"
        os.makedirs(path, exist_ok=True)
        RULES.append(path + "/50-ringer.conf")
        run("cp", SOURCE + ("/50-ringer-0.3.65.conf" if lab.is_old else "/50-ringer.conf"), RULES[-1])
    with open(HOME + "/ringer.conf", "w", encoding="utf-8") as file:
        file.write(f"# The laboratory's\nsocket = {SOCKET}\ndefault-category = ambient\napplication.name:Sonata = playback\n"
                   "application.id:org.example.Quiet = ambient\nmedia.role:Chime = playback mixWithOthers\n")
    with open(HOME + "/socket", "w", encoding="utf-8") as file:
        file.write("")
    return ".".join(version)


def main():
    lab = Lab()
    version = prepare(lab)
    lab.start_ringerd()
    lab.start_pipewire()
    lab.start_ringer()
    lab.probe = Probe()
    wanted = [globals()[name] for name in sys.argv[1:]] or CHECKED
    for scenario in wanted:
        began = time.monotonic()
        try:
            scenario(lab)
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            print(f"{scenario.__name__}: FAILED: {failure}")
            with open(LOGS + "/graph", "w", encoding="utf-8") as file:
                file.write(run("pw-link", "-l") + run("pw-dump"))
            return 1
        print(f"{scenario.__name__} ({time.monotonic() - began:.1f} s): {scenario.__doc__.splitlines()[0]}")
    print(f"PipeWire {version}: {len(wanted)} scenarios passed")
    return 0


try:
    status = main()
finally:
    for process in reversed(children):
        process.kill()
sys.exit(status)
