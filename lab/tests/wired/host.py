"""Run in the laboratory: starts the wires and then ringer-lab at the bench: host.py BOARD WORDS...

BOARD is bridge.py's. With a semicolon between the words another run follows. `exec COMMAND` runs that instead. Exit status and output are ringer-lab's, of several runs the largest one.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

with open(os.environ["ALSA_CONFIG_PATH"], encoding="utf-8") as file:
    configuration = file.read()
with open("/tmp/device.conf", "w", encoding="utf-8") as file:
    file.write(configuration + '\npcm.!default { type plug slave { rate 48000 pcm "hw:Loopback,0,0" } }\n')
bridge = subprocess.Popen([sys.executable, f"{HERE}/bridge.py", sys.argv[1]], stdout=subprocess.PIPE, text=True)
if bridge.stdout.readline() != "wired\n":
    sys.exit("host.py: the wires are not up")
status, words = 0, [[]]
for word in sys.argv[2:]:
    if word == ";":
        words.append([])
    else:
        words[-1].append(word)
for run in words:
    command = run[1:] if run[0] == "exec" else [sys.executable, "-m", "ringer_lab", *run]
    status = max(status, subprocess.run(command).returncode)
bridge.kill()
sys.exit(status)
