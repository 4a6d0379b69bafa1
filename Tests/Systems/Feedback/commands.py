"""Runs fbcli and programs of libfeedback on the session bus, and prints for each its exit status and messages."""
import json, os, signal, subprocess, sys, threading

CLIENT, = sys.argv[1:]
SERVICE = "org.sigxcpu.Feedback"
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
    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
# It prints a line there once it sees every message.
monitor.stderr.readline()


def received():
    """The monitor's next message."""
    timer = threading.Timer(60, monitor.kill)
    timer.start()
    line = monitor.stdout.readline()
    timer.cancel()
    if not line:
        sys.exit("what is waited for was not sent in a minute")
    return json.loads(line)


def is_call(message, member):
    return message["type"] == "method_call" and message.get("member") == member


def is_reply(message, call):
    return call is not None and (message.get("destination"), message.get("reply_cookie")) == (call["sender"], call["cookie"])


def messages(found=[]):
    """What was sent since the last call, and after what was `found` already: the calls and signals of feedback, with what
    matters of their arguments. Each event that was triggered has ended, and the service has answered a later call."""
    subprocess.run(
        ["gdbus", "call", "--session", "--dest", SERVICE, "--object-path", "/org/sigxcpu/Feedback", "--method",
         "org.freedesktop.DBus.Properties.Get", SERVICE, "Profile"], stdout=subprocess.DEVNULL, check=True)
    found, call, is_answered = list(found), None, False
    while not is_answered or found.count("TriggerFeedback") > sum(name.startswith("Ended") for name in found):
        message = received()
        member, data = message.get("member"), message.get("payload", {}).get("data", [])
        is_answered = is_answered or is_reply(message, call)
        if is_call(message, "Get") and data[0] == SERVICE:
            call = message
        elif is_call(message, "TriggerFeedback") or is_call(message, "EndFeedback"):
            found.append(member)
        elif is_call(message, "Set") and data[0] == SERVICE:
            found.append("Set " + data[2]["data"])
        elif member == "FeedbackEnded":
            found.append("Ended %d" % data[1])
        elif member == "PropertiesChanged" and data[0] == SERVICE:
            found.append("Profile is " + data[1]["Profile"]["data"])
    return ", ".join(found)


def run(*words, stop=None):
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found, call = [], None
    while stop and not found:
        message = received()
        if is_call(message, "TriggerFeedback"):
            call = message
        elif is_reply(message, call):
            found = ["TriggerFeedback"]
            process.send_signal(stop)
    try:
        status = process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        status = "hangs"
    said = [line for line in process.stdout.read().splitlines() if line.startswith(("ended", "error"))]
    name = " ".join(os.path.basename(word) for word in words if "\n" not in word and word not in (PYTHON, "-c"))
    if stop:
        name += " and " + stop.name
    print("%s -> %s%s: %s" % (name, status, "".join(" " + line for line in said), messages(found)), flush=True)


if subprocess.run(["gdbus", "wait", "--session", "--timeout", "60", SERVICE]).returncode:
    sys.exit("nobody owns " + SERVICE)
messages()
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
