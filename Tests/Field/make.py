#!/usr/bin/env python3
"""Makes the sound files of Tests/Field/README.md: the smallest that have what a report tells of.

    Tests/Field/make.py DIRECTORY
"""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FRAMES = 2400
RATE = 8000


def sample(frame):
    """A sample of the sound: never 0, and different from its neighbours."""
    return (5000 + 7 * frame % 9000) * (-1 if frame % 2 else 1)


def frames(count=FRAMES, channels=1):
    return [sample(frame) + 3 * channel for frame in range(count) for channel in range(channels)]


def pcm(samples, bits=16, big=False):
    """Samples of 16 bits as PCM of `bits` bits; 8 bits are signed."""
    order = "big" if big else "little"
    size = bits // 8
    scaled = (s << (bits - 16) if bits > 16 else s >> (16 - bits) for s in samples)
    return b"".join(s.to_bytes(size, order, signed=True) for s in scaled)


def floats(samples, big=False):
    return b"".join(struct.pack(">f" if big else "<f", s / 32768) for s in samples)


def chunk(name, data, size=None, pad=True):
    size = len(data) if size is None else size
    return name + struct.pack("<I", size) + data + (b"\0" if pad and len(data) % 2 else b"")


def fmt(tag=1, channels=1, rate=RATE, bits=16, extension=b"", block=None):
    block = channels * bits // 8 if block is None else block
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, rate, rate * block, block, bits) + extension)


PCM_GUID = bytes.fromhex("0100000000001000800000aa00389b71")
FLOAT_GUID = bytes.fromhex("0300000000001000800000aa00389b71")
AMBISONIC_GUID = bytes.fromhex("010000002107d3118644c8c1ca000000")


def extensible(channels, bits, mask, guid=PCM_GUID, size=22):
    return fmt(0xFFFE, channels, bits=bits, extension=struct.pack("<HHI", size, bits, mask) + guid)


def wave(*chunks, size=None, tail=b""):
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body + tail


def ulaw(value):
    """ITU-T G.711, mu-law."""
    sign, magnitude = (0x80, -value) if value < 0 else (0, value)
    magnitude = min(magnitude, 32635) + 132
    exponent = magnitude.bit_length() - 8
    return ~(sign | exponent << 4 | (magnitude >> (exponent + 3)) & 15) & 0xFF


def from_ulaw(code):
    code = ~code & 0xFF
    magnitude = (((code & 15) << 3) + 132 << (code >> 4 & 7)) - 132
    return -magnitude if code & 0x80 else magnitude


def big_chunk(name, data):
    return name + struct.pack(">I", len(data)) + data + b"\0" * (len(data) % 2)


def aiff(data, bits=16, kind=None, channels=1, before=b"", after=b"", last=False):
    """`kind` makes it AIFF-C; `last` puts COMM behind SSND."""
    count = len(data) // (channels * ((bits + 7) // 8))
    rate = b"\x40\x0b\xfa" + b"\0" * 7  # 8000 as an extended float
    common = struct.pack(">HIH", channels, count, bits) + rate
    if kind:
        common += kind + b"\x0enot compressed\0"
    common = before + big_chunk(b"COMM", common) + after
    sound = big_chunk(b"SSND", b"\0" * 8 + data)
    body = (b"AIFC" if kind else b"AIFF") + (sound + common if last else common + sound)
    return b"FORM" + struct.pack(">I", len(body)) + body


def mp3(samples, rate=44100):
    """MP3 with LAME's count of the frames that it put before and behind the sound."""
    with tempfile.NamedTemporaryFile(suffix=".mp3") as file:
        command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "s16le", "-ar", str(rate), "-ac", "1", "-i", "-",
                   file.name]
        subprocess.run(command, input=pcm(samples), check=True)
        return Path(file.name).read_bytes()


def cases():
    """A file's name, its contents, and what is expected: its samples, the number of its frames, or words of the error;
    after samples, the number of channels."""
    whole = frames()
    data = pcm(whole)
    law = bytes(ulaw(s) for s in whole)
    heard_law = [from_ulaw(code) for code in law]

    # Sizes
    yield "size-ffffffff.wav", wave(fmt(), chunk(b"data", data, 0xFFFFFFFF), size=0xFFFFFFFF), whole
    yield "size-7fffffff.wav", wave(fmt(), chunk(b"data", data, 0x7FFFFFFF), size=0x7FFFFFFF), whole
    yield "riff-size-small.wav", wave(fmt(), chunk(b"data", data), size=1000), whole
    yield "riff-size-large.wav", wave(fmt(), chunk(b"data", data), size=0x61F92214), whole
    yield "not-whole-frames.wav", wave(
        fmt(channels=2), chunk(b"data", pcm(frames(channels=2)) + b"\1\2\3")), frames(channels=2), 2
    yield "two-files.wav", wave(fmt(), chunk(b"data", data)) * 2, whole
    yield "odd-24-unpadded.wav", wave(fmt(bits=24), chunk(b"data", pcm(whole[:101], 24), pad=False)), whole[:101]
    yield "odd-ulaw-list.wav", wave(
        fmt(7, bits=8, extension=b"\0\0"), chunk(b"fact", struct.pack("<I", 9)), chunk(b"data", law[:9]),
        chunk(b"LIST", b"INFOISFT\4\0\0\0Abc\0")), heard_law[:9]

    # Chunks
    yield "junk-first.wav", wave(chunk(b"JUNK", bytes(28)), fmt(), chunk(b"data", data)), whole
    yield "large-list.wav", wave(fmt(), chunk(b"LIST", b"adtl" + bytes(393160)), chunk(b"data", data)), whole
    yield "odd-chunk-padded.wav", wave(fmt(), chunk(b"inst", bytes(7)), chunk(b"data", data)), whole
    yield "odd-chunk-unpadded.wav", wave(fmt(), chunk(b"inst", bytes(7), pad=False), chunk(b"data", data)), "at byte 60"
    yield "signature-behind.wav", wave(fmt(), chunk(b"data", data), tail=b"program" * 8 + b"12345"), whole
    yield "list-cut.wav", wave(fmt(), chunk(b"data", data), chunk(b"LIST", b"INFO", 4000)), whole
    yield "data-before-fmt.wav", wave(chunk(b"data", data), fmt()), whole

    # Formats
    yield "mask-ffffffff.wav", wave(extensible(1, 16, 0xFFFFFFFF), chunk(b"data", data)), whole
    yield "mask-0-24.wav", wave(
        extensible(2, 24, 0), chunk(b"data", pcm(frames(channels=2), 24))), frames(channels=2), 2
    yield "ambisonic.wav", wave(
        extensible(4, 24, 0, AMBISONIC_GUID), chunk(b"PEAK", bytes(40)),
        chunk(b"data", pcm(frames(channels=4), 24))), frames(channels=4), 4
    yield "extension-size-0.wav", wave(extensible(1, 16, 4, size=0), chunk(b"data", data)), whole
    yield "surround-float.wav", wave(
        extensible(6, 32, 0x3F, FLOAT_GUID), chunk(b"fact", struct.pack("<I", FRAMES)), chunk(b"PEAK", bytes(56)),
        chunk(b"data", floats(frames(channels=6)))), frames(channels=6), 6
    yield "float.wav", wave(fmt(3, bits=32), chunk(b"data", floats(whole))), whole
    yield "ulaw-8000.wav", wave(fmt(7, bits=8, extension=b"\0\0"), chunk(b"data", law)), heard_law
    yield "ima-92-bytes.wav", wave(
        fmt(0x11, 1, bits=4, extension=b"\2\0\xff\xff", block=5), chunk(b"fact", b"\xff\xff\xff\xff"),
        chunk(b"data", bytes(24), 0x7FFFFFF0)), 5

    # AIFF
    yield "comm-last.aiff", aiff(pcm(whole, big=True), last=True), whole
    yield "sowt.aifc", aiff(data, kind=b"sowt"), whole
    yield "sowt-24.aifc", aiff(pcm(whole, 24), 24, b"sowt"), whole
    yield "42ni.aifc", aiff(pcm(whole, 24), 24, b"42ni"), whole
    yield "42n1.aifc", aiff(pcm(whole, 24), 24, b"42n1"), whole
    yield "23ni.aifc", aiff(pcm(whole, 32), 32, b"23ni"), whole
    yield "in24.aifc", aiff(pcm(whole, 24, True), 24, b"in24"), whole
    declared = big_chunk(b"wave", b"\0\0\0\x0cfrmain24" + b"\0\0\0\x0aenda\0\1")
    yield "in24-wave.aifc", aiff(pcm(whole, 24, True), 24, b"in24", before=declared), whole
    yield "FL32.aifc", aiff(floats(whole, True), 32, b"FL32"), whole
    yield "fl32.aifc", aiff(floats(whole, True), 32, b"fl32"), whole
    yield "raw.aifc", aiff(bytes((s >> 8) + 128 for s in whole), 8, b"raw "), [s >> 8 << 8 for s in whole]

    # MP3
    yield "gapless.mp3", mp3([sample(i // 20) for i in range(44100)]), 44100
    yield "speech-24000.mp3", mp3([sample(i // 20) for i in range(24000)], 24000), 24000
    yield "speech-8000.mp3", mp3([sample(i // 20) for i in range(8000)], 8000), 8000


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, content, *_ in cases():
        (directory / name).write_bytes(content)
        print(directory / name)
