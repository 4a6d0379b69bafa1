"""Runs fbcli and programs of libfeedback on the session bus, and prints for each its exit status and messages."""
import json, os, signal, subprocess, sys, time

CLIENT, = sys.argv[1:]
# libfeedback's Python binding needs the interpreter that Debian's python3-gi is for.
PYTHON = "/usr/bin/python3"
GIR = """
import gi, sys
gi.require_version("Lfb", "0.0")
from gi.repository import GLib, Lfb
Lfb.init("org.ringer.test")
loop = GLib.MainLoop()
event = Lfb.Event(event=sys.argv[1])
event.set_timeout(int(sys.argv[2]))
def ended(event):
    print("ended", int(event.get_end_reason()))
    loop.quit()
event.connect("feedback-ended", ended)
event.trigger_feedback()
loop.run()
Lfb.uninit()
"""

monitor = subprocess.Popen(
    ["busctl", "--address=" + os.environ["DBUS_SESSION_BUS_ADDRESS"], "--json=short", "monitor"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
os.set_blocking(monitor.stdout.fileno(), False)


def lines():
    """What the monitor has printed since the last call."""
    return (monitor.stdout.read() or b"").splitlines()


def messages():
    """What was sent since the last call: the calls and signals of feedback, with what matters of their arguments."""
    time.sleep(0.3)
    found = []
    for line in lines():
        message = json.loads(line)
        member, data = message.get("member"), message.get("payload", {}).get("data", [])
        if message["type"] == "method_call" and member in ("TriggerFeedback", "EndFeedback"):
            found.append(member)
        elif message["type"] == "method_call" and member == "Set" and data[0] == "org.sigxcpu.Feedback":
            found.append("Set " + data[2]["data"])
        elif member == "FeedbackEnded":
            found.append("Ended %d" % data[1])
        elif member == "PropertiesChanged" and data[0] == "org.sigxcpu.Feedback":
            found.append("Profile is " + data[1]["Profile"]["data"])
    return ", ".join(found)


def run(*words, stop=None):
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if stop:
        time.sleep(1.5)
        process.send_signal(stop)
    try:
        status = process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        status = "hangs"
    said = [line for line in process.stdout.read().splitlines() if line.startswith(("ended", "error"))]
    name = " ".join(os.path.basename(word) for word in words if "\n" not in word and word not in (PYTHON, "-c"))
    if stop:
        name += " and " + stop.name
    print("%s -> %s%s: %s" % (name, status, "".join(" " + line for line in said), messages()), flush=True)


deadline = time.monotonic() + 10
while subprocess.run(["gdbus", "wait", "--session", "--timeout", "5", "org.sigxcpu.Feedback"]).returncode:
    if time.monotonic() > deadline:
        sys.exit("nobody owns org.sigxcpu.Feedback")
time.sleep(0.5)
lines()
run("fbcli", "-E", "message-new-instant")
run("fbcli", "-E", "phone-incoming-call", "-t", "2")
run("fbcli", "-E", "no-such-event")
run("fbcli", "-E", "camera-shutter", "-P", "quiet")
run("fbcli", "-P", "silent")
run("fbcli", "-P", "silent")
run("fbcli", "-E", "message-new-instant", "-P", "full")
run("fbcli", "-P", "full")
run("fbcli", "-E", "alarm-clock-elapsed", "-t", "0", "-w", "3")
run("fbcli", "-E", "alarm-clock-elapsed", "-t", "0", stop=signal.SIGINT)
run("fbcli", "-E", "alarm-clock-elapsed", "-t", "0", stop=signal.SIGTERM)
run("fbcli", "-E", "alarm-clock-elapsed", "-t", "0", stop=signal.SIGKILL)
run("fbcli", "--no-such-option")
run(CLIENT, "message-new-instant", "-1")
run(CLIENT, "no-such-event", "-1")
run(CLIENT, "phone-incoming-call", "1")
run(PYTHON, "-c", GIR, "message-new-instant", "-1")
run(PYTHON, "-c", GIR, "no-such-event", "-1")
run("fbcli", "-P", "bogus")
monitor.terminate()
