"""Announcements whose recording says which payment was heard: each word is a tone of its own, at one level without a zero crossing."""
import array
import os
import wave

RATE = 48_000
# The frames of a word.
LENGTH = 2400
WORDS = ["start", *map(str, range(10)), "end", "last-payment", "time-unknown"]
LEVELS = {2000 + 1000 * index: word for index, word in enumerate(WORDS)}

RULES = """
announcement: start {amount}
amount: {units %number} {unit}
%number:
""" + "".join(f"{digit}: {digit}\n" for digit in range(10)) + "10: << >>\ncurrency JPY end\n" + "".join(
    f"clip {word} {word}\n" for word in WORDS)


def make_recordings(directory, length=LENGTH):
    """A directory for --clips, whose language is `xx`, with words of so many frames."""
    folder = os.path.join(directory, "xx")
    os.makedirs(folder)
    with open(os.path.join(folder, "rules"), "w") as file:
        file.write(RULES)
    for level, word in LEVELS.items():
        with wave.open(os.path.join(folder, f"{word}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            # A word that follows itself is told apart by the silence at its end.
            samples = [level] * (length * 3 // 4) + [0] * (length // 4)
            file.writeframes(array.array("h", samples).tobytes())


def words_of(path, channels, length=LENGTH):
    """The words in a recording, in order."""
    with open(path, "rb") as file:
        samples = array.array("h", file.read())
    words, run, count = [], 0, 0
    for sample in samples[::channels]:
        if sample == run:
            count += 1
            continue
        # Some frames are missing where the process was killed.
        if run in LEVELS and count > length // 2:
            words.append(LEVELS[run])
        run, count = sample, 1
    if run in LEVELS and count > length // 2:
        words.append(LEVELS[run])
    return words


def announcements(path, channels):
    """What was heard to its end in a recording, in order: the amount, and whether it was marked as a repetition."""
    heard, is_repetition, digits, before = [], False, None, None
    for word in words_of(path, channels):
        if word == "start":
            is_repetition, digits = before == "last-payment", ""
        elif word == "end" and digits:
            heard.append((int(digits), is_repetition))
            digits = None
        elif digits is not None:
            digits = digits + word if word.isdigit() else None
        before = word
    return heard
