#!/usr/bin/env python3
"""Makes sound files as programs in the field write them: every container, codec, width and number of channels, times the
faults that other projects' users reported.

    make.py DIRECTORY [--undecoded]

Writes the files, and what ffmpeg decodes of each, 16-bit little-endian samples, as NAME.s16; no such file where ffmpeg refuses
it, and with --undecoded. A name is CONTAINER-CODEC-CHANNELS-FAULT.EXTENSION. ffmpeg starts once for many files.
"""
import math
import os
import struct
import subprocess
import sys

RATE = 8000
FRAMES = 240


def tone(channels):
    """Samples from -1 to 1, another frequency in each channel."""
    return [0.6 * math.sin(0.05 * (channel + 2) * frame + channel) for frame in range(FRAMES) for channel in range(channels)]


def integers(values, width, big, signed=True):
    scale = (1 << (8 * width - 1)) - 1
    offset = 0 if signed else 1 << (8 * width - 1)
    order = "big" if big else "little"
    return b"".join((int(v * scale) + offset).to_bytes(width, order, signed=signed) for v in values)


def floats(values, width, big):
    return b"".join(struct.pack((">" if big else "<") + ("f" if width == 4 else "d"), v) for v in values)


def ulaw(values):
    out = bytearray()
    for v in values:
        s = max(-32635, min(32635, int(v * 32767)))
        sign, s = (0x80, -s) if s < 0 else (0, s)
        s += 132
        exponent = s.bit_length() - 8
        out.append(~(sign | exponent << 4 | s >> (exponent + 3) & 15) & 0xFF)
    return bytes(out)


def alaw(values):
    out = bytearray()
    for v in values:
        s = int(v * 32767)
        sign, s = (0x80, s) if s >= 0 else (0, -s - 1)
        exponent = max(0, (s >> 8).bit_length())
        low = s >> 4 & 15 if exponent == 0 else s >> (exponent + 3) & 15
        out.append((sign | exponent << 4 | low) ^ 0x55)
    return bytes(out)


def ima4(channels):
    """Packets whose nibbles go up and down; every decoder has to make the same of them."""
    packets = bytearray()
    for packet in range(4):
        for channel in range(channels):
            packets += struct.pack(">H", 0 if packet == 0 else 0x0180 * channel | 20)
            packets += bytes((0x17 * (byte + channel) + packet) & 0xFF for byte in range(32))
    return bytes(packets)


def ima_blocks(channels, block):
    data = bytearray()
    for number in range(3):
        for channel in range(channels):
            data += struct.pack("<hBB", 200 * channel - 100 * number, 10 + number, 0)
        data += bytes((0x3B * byte + number) & 0xFF for byte in range(block - 4 * channels))
    return bytes(data)


# Codecs of a container: name, the bytes of the sound, and what its header needs.

def pcm_codecs(channels, big, eight_is_signed):
    v = tone(channels)
    kinds = [("s%d" % (8 * w) if w > 1 or eight_is_signed else "u8", w, integers(v, w, big, w > 1 or eight_is_signed), "int")
             for w in (1, 2, 3, 4)]
    kinds += [("f32", 4, floats(v, 4, big), "float"), ("f64", 8, floats(v, 8, big), "float")]
    kinds += [("ulaw", 1, ulaw(v), "ulaw"), ("alaw", 1, alaw(v), "alaw")]
    return kinds


class File:
    """A file and where its fields are, for faults to change."""

    def __init__(self):
        self.data = bytearray()
        self.at = {}

    def add(self, data, name=None):
        if name:
            self.at[name] = (len(self.data), len(data))
        self.data += data
        return self

    def set(self, name, data):
        start, count = self.at[name]
        if len(data) < count:
            data = data + bytes(count - len(data))
        self.data[start:start + count] = data[:count]
        return self


def wave(container, kind, width, channels, sound, block=None, extensible=False, fmt_extra=b"", before=b"", after=b"", bits=None,
         frames_per_block=None):
    big = container == "rifx"
    e = ">" if big else "<"
    f = File()
    tag = {"int": 1, "float": 3, "alaw": 6, "ulaw": 7, "ima": 17}[kind]
    block = width * channels if block is None else block
    bits = (4 if kind == "ima" else 8 * width) if bits is None else bits
    fmt = struct.pack(e + "H", 0xFFFE if extensible else tag) + struct.pack(e + "HIIHH", channels, RATE, RATE * block, block, bits)
    if extensible:
        fmt += struct.pack(e + "HHI", 22, bits, 0) + struct.pack(e + "IHH", tag, 0, 16) + bytes.fromhex("800000aa00389b71")
    elif kind == "ima":
        fmt += struct.pack(e + "HH", 2, frames_per_block)
    fmt += fmt_extra
    f.add({"wave": b"RIFF", "rifx": b"RIFX", "rf64": b"RF64"}[container])
    f.add(struct.pack(e + "I", 0), "riff").add(b"WAVE")
    if container == "rf64":
        f.add(b"ds64" + struct.pack("<I", 28)).add(struct.pack("<Q", 0), "ds64 riff").add(struct.pack("<Q", len(sound)), "ds64 data")
        f.add(struct.pack("<QI", len(sound) // max(1, block), 0))
    f.add(before)
    f.add(b"fmt " + struct.pack(e + "I", len(fmt))).add(fmt[:12]).add(fmt[12:14], "block").add(fmt[14:16], "bits").add(fmt[16:])
    if kind == "ima":
        f.add(b"fact" + struct.pack(e + "II", 4, frames_per_block * (len(sound) // block)))
    f.add(b"data").add(struct.pack(e + "I", 0xFFFFFFFF if container == "rf64" else len(sound)), "size").add(sound, "sound")
    if len(sound) % 2:
        f.add(b"\0")
    f.add(after)
    whole = len(f.data) - 8
    f.set("riff", struct.pack(e + "I", 0xFFFFFFFF if container == "rf64" else whole))
    if container == "rf64":
        f.set("ds64 riff", struct.pack("<Q", whole))
    return f


def extended(rate):
    exponent = int(math.log2(rate))
    return struct.pack(">HQ", 16383 + exponent, int(rate * 2 ** (63 - exponent)))


def aiff(compression, width, channels, sound, frames, before=b"", after=b"", bits=None):
    f = File()
    comm = struct.pack(">h", channels)
    rest = struct.pack(">h", 8 * width if bits is None else bits) + extended(RATE)
    if compression:
        rest += compression + b"\0\0"
    f.add(b"FORM").add(struct.pack(">I", 0), "form").add(b"AIFC" if compression else b"AIFF")
    if compression:
        f.add(b"FVER" + struct.pack(">II", 4, 0xA2805140))
    f.add(before)
    f.add(b"COMM" + struct.pack(">I", len(comm) + 4 + len(rest))).add(comm).add(struct.pack(">I", frames), "frames").add(rest)
    f.add(b"SSND").add(struct.pack(">I", len(sound) + 8), "size").add(struct.pack(">II", 0, 0)).add(sound, "sound")
    if len(sound) % 2:
        f.add(b"\0")
    f.add(after)
    return f.set("form", struct.pack(">I", len(f.data) - 8))


def caf(format, flags, per_packet, frames_per_packet, channels, bits, sound, before=b"", after=b"", table=None):
    f = File()
    f.add(b"caff\0\1\0\0desc" + struct.pack(">q", 32) + struct.pack(">d", RATE) + format + struct.pack(">I", flags))
    f.add(struct.pack(">I", per_packet), "block").add(struct.pack(">I", frames_per_packet), "frames")
    f.add(struct.pack(">I", channels)).add(struct.pack(">I", bits), "bits").add(before)
    if table:
        f.add(b"pakt" + struct.pack(">q", 24)).add(struct.pack(">qqii", *table), "table")
    f.add(b"data").add(struct.pack(">q", len(sound) + 4), "size").add(struct.pack(">I", 0)).add(sound, "sound").add(after)
    return f


def id3(size, footer=False, version=4):
    body = bytes(size)
    header = bytes([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])
    tag = b"ID3" + bytes([version, 0, 0x10 if footer else 0]) + header + body
    return tag + (b"3DI" + tag[3:10] if footer else b"")


def ape(size):
    body = bytes(size)
    head = b"APETAGEX" + struct.pack("<III", 2000, size + 32, 0)
    return head + struct.pack("<I", 0xA0000000) + bytes(8) + body + head + struct.pack("<I", 0x80000000) + bytes(8)


out = {}
turn = 0
# These have every fault; of the other codecs, each has every eleventh, a different one each time.
WHOLE = ("wave-s16-1", "rf64-s16-2", "aiff-s16-1", "aifc-ima4-2", "caf-s16be-1", "mp3-xing-1", "mp3-cbr24000-1", "ogg-vorbis-1",
         "ogg-opus-1", "flac-s16-1", "wave-mp3-cbr24000-1")


def put(name, data):
    global turn
    turn += 1
    if "-plain" in name or turn % 11 == 0 or name.startswith(WHOLE) or "block" in name and turn % 4 == 0:
        out[name] = bytes(data)


def common_faults(name, extension, make, big):
    """Faults that every container can have. `make` gives a File, with chunks before and behind the sound."""
    e = ">" if big else "<"
    size = (lambda id, body: id + struct.pack(">q", len(body)) + body) if extension == "caf" else (
        lambda id, body: id + struct.pack(e + "I", len(body)) + body + b"\0" * (len(body) % 2))
    whole = make().data
    put(f"{name}-plain.{extension}", whole)
    start = make().at["sound"][0]
    for part, cut in (("header", start), ("first", start + 1), ("half", (start + len(whole)) // 2), ("last", len(whole) - 1)):
        put(f"{name}-cut.{part}.{extension}", whole[:cut])
    put(f"{name}-id3.{extension}", id3(300) + whole)
    put(f"{name}-id3.footer.{extension}", id3(37, footer=True) + whole)
    put(f"{name}-id3.twice.{extension}", id3(20, version=3) + bytes(100) + id3(20) + whole)
    put(f"{name}-ape.{extension}", ape(64) + whole)
    put(f"{name}-tail.id3v1.{extension}", whole + b"TAG" + bytes(125))
    put(f"{name}-tail.zeros.{extension}", whole + bytes(700))
    put(f"{name}-tail.text.{extension}", whole + b"\r\nThe end of the file.\r\n")
    put(f"{name}-before.unknown.{extension}", make(before=size(b"PAD ", bytes(301))).data)
    put(f"{name}-before.empty.{extension}", make(before=size(b"JUNK", b"") * 3).data)
    put(f"{name}-after.unknown.{extension}", make(after=size(b"xyz ", bytes(33))).data)
    put(f"{name}-after.overlong.{extension}", make(after=size(b"xyz ", bytes(33))[:-20]).data)


def make_waves():
    for container in ("wave", "rifx", "rf64"):
        big = container == "rifx"
        e = ">" if big else "<"
        for channels in (1, 2, 6):
            kinds = [(n, w, s, k, None, None) for n, w, s, k in pcm_codecs(channels, big, False)]
            if channels < 3:
                block = 36 * channels
                kinds.append(("ima", 1, ima_blocks(channels, block), "ima", block, 1 + (block - 4 * channels) * 2 // channels))
            for codec, width, sound, kind, block, per_block in kinds:
                if big and kind == "ima":
                    continue
                name = f"{container}-{codec}-{channels}"
                def make(**more):
                    return wave(container, kind, width, channels, sound, block=more.pop("block", block),
                                frames_per_block=per_block, **more)
                if channels == 6 or (container == "rifx" and codec not in ("s16", "s24", "u8")):
                    put(f"{name}-plain.wav", make().data)
                    continue
                common_faults(name, "wav", make, big)
                zero, most = struct.pack(e + "I", 0), struct.pack(e + "I", 0xFFFFFFFF)
                for fault, riff, size in (("unfilled", struct.pack(e + "I", 36), zero), ("zero", zero, zero),
                                          ("zero.riff", None, zero), ("most", most, most),
                                          ("most.data", None, struct.pack(e + "I", 0x7FFFFFFF)),
                                          ("stale", struct.pack(e + "I", 100), struct.pack(e + "I", 64)),
                                          ("long", None, struct.pack(e + "I", len(sound) + 1000))):
                    f = make()
                    if riff:
                        f.set("riff", riff)
                    if container != "rf64":
                        f.set("size", size)
                    elif fault in ("unfilled", "zero"):
                        f.set("ds64 data", bytes(8)).set("ds64 riff", bytes(8))
                    else:
                        continue
                    put(f"{name}-size.{fault}.wav", f.data)
                if container == "wave":
                    put(f"{name}-size.empty.list.wav", make(after=b"LIST" + struct.pack("<I", 4) + b"INFO").data)
                    if kind in ("int", "float"):
                        for wrong in (0, 1, 2, 3, 4, 6, 8, 16, 32, 65535):
                            put(f"{name}-block.{wrong}.wav", make(block=wrong).data)
                        put(f"{name}-extensible.wav", make(extensible=True).data)
                        put(f"{name}-extensible.block.wav", make(extensible=True, block=0).data)
                        put(f"{name}-fmt.18.wav", make(fmt_extra=b"\0\0").data)
                        put(f"{name}-fmt.long.wav", make(fmt_extra=bytes(24)).data)
                    if kind in ("alaw", "ulaw"):
                        for wrong in (0, 16):
                            put(f"{name}-bits.{wrong}.wav", make(bits=wrong).data)
                        put(f"{name}-block.0.wav", make(block=0).data)
    # Chunks of an odd size without their padding byte.
    sound = integers(tone(1), 2, False)
    odd = b"LIST" + struct.pack("<I", 13) + b"INFOISFT" + struct.pack("<I", 1) + b"x"
    put("wave-s16-1-before.unpadded.wav", wave("wave", "int", 2, 1, sound, before=odd).data)
    put("wave-s16-1-after.info.wav", wave("wave", "int", 2, 1, sound, after=odd + b"\0").data)
    put("wave-s16-1-before.bext.wav", wave("wave", "int", 2, 1, sound, before=b"bext" + struct.pack("<I", 602) + bytes(602)).data)
    twice = wave("wave", "int", 2, 1, sound).data
    put("wave-s16-1-twice.wav", twice + twice)
    put("wave-s16-1-data.twice.wav", wave("wave", "int", 2, 1, sound, after=b"data" + struct.pack("<I", 200) + sound[:200]).data)


def make_aiffs():
    for channels in (1, 2, 6):
        v = tone(channels)
        kinds = [(f"s{8 * w}", None, w, integers(v, w, True)) for w in (1, 2, 3, 4)]
        kinds += [("twos", b"twos", 2, integers(v, 2, True)), ("sowt", b"sowt", 2, integers(v, 2, False)),
                  ("raw", b"raw ", 1, integers(v, 1, True, False)), ("fl32", b"fl32", 4, floats(v, 4, True)),
                  ("fl64", b"fl64", 8, floats(v, 8, True)), ("ulaw", b"ulaw", 2, ulaw(v)), ("alaw", b"alaw", 2, alaw(v))]
        if channels < 3:
            kinds.append(("ima4", b"ima4", 2, ima4(channels)))
        for codec, compression, width, sound in kinds:
            frames = 4 if codec == "ima4" else FRAMES
            name = f"{'aifc' if compression else 'aiff'}-{codec}-{channels}"
            extension = "aifc" if compression else "aiff"
            def make(**more):
                return aiff(compression, width, channels, sound, more.pop("frames", frames), **more)
            if channels == 6:
                put(f"{name}-plain.{extension}", make().data)
                continue
            common_faults(name, extension, make, True)
            for fault, count in (("zero", 0), ("half", frames // 2), ("double", 2 * frames), ("most", 0xFFFFFFFF)):
                put(f"{name}-count.{fault}.{extension}", make(frames=count).data)
            for fault, form, size in (("form", 0, None), ("all", 0, 0), ("data", None, 0), ("most", 0xFFFFFFFF, 0xFFFFFFFF),
                                      ("long", None, len(sound) + 1000)):
                f = make()
                if form is not None:
                    f.set("form", struct.pack(">I", form))
                if size is not None:
                    f.set("size", struct.pack(">I", size))
                put(f"{name}-size.{fault}.{extension}", f.data)
    sound = integers(tone(1), 2, True)
    put("aiff-s16-1-before.unpadded.aiff", aiff(None, 2, 1, sound, FRAMES, before=b"NAME" + struct.pack(">I", 5) + b"Chime").data)


def make_cafs():
    for channels in (1, 2, 6):
        v = tone(channels)
        kinds = []
        for big in (True, False):
            kinds += [(f"s{8 * w}{'be' if big else 'le'}", b"lpcm", 0 if big else 2, w * channels, 1, 8 * w, integers(v, w, big), None)
                      for w in (1, 2, 3, 4)]
            kinds += [(f"f{8 * w}{'be' if big else 'le'}", b"lpcm", 1 if big else 3, w * channels, 1, 8 * w, floats(v, w, big), None)
                      for w in (4, 8)]
        kinds += [("ulaw", b"ulaw", 0, channels, 1, 8, ulaw(v), None), ("alaw", b"alaw", 0, channels, 1, 8, alaw(v), None)]
        if channels < 3:
            kinds.append(("ima4", b"ima4", 0, 34 * channels, 64, 0, ima4(channels), (4, 250, 0, 6)))
        for codec, format, flags, block, per_packet, bits, sound, table in kinds:
            name = f"caf-{codec}-{channels}"
            def make(**more):
                return caf(format, flags, more.pop("block", block), more.pop("per_packet", per_packet), channels, bits, sound,
                           table=more.pop("table", table), **more)
            if channels == 6:
                put(f"{name}-plain.caf", make().data)
                continue
            common_faults(name, "caf", make, True)
            for fault, size in (("zero", 0), ("four", 4), ("open", -1), ("long", len(sound) + 1000)):
                put(f"{name}-size.{fault}.caf", make().set("size", struct.pack(">q", size)).data)
            for wrong in (1, 2, 4, 8, 16, 1000):
                put(f"{name}-block.{wrong}.caf", make(block=wrong).data)
            put(f"{name}-block.0.caf", make(block=0).data)
            put(f"{name}-frames.2.caf", make(per_packet=2 * per_packet).data)
            if table:
                put(f"{name}-table.none.caf", make(table=(0, 250, 0, 6)).data)


def encoders():
    """The sources that ffmpeg encodes, all in one start."""
    v = [0.5 * math.sin(0.04 * frame) for frame in range(24000)]
    return integers(v, 2, False)


def ffmpeg(*arguments, data=None):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin" if data is None else "-y", "-y", *arguments],
                          input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def make_compressed(folder):
    """MP3, and what libsndfile decodes."""
    source = ["-f", "s16le", "-ar", "24000", "-ac", "1", "-i", "pipe:0"]
    jobs = []
    for rate in (8000, 24000, 44100):
        for channels in (1, 2):
            jobs.append((f"mp3-cbr{rate}-{channels}", "mp3", ["-ar", str(rate), "-ac", str(channels), "-c:a", "libmp3lame", "-b:a", "32k",
                                                           "-id3v2_version", "0", "-write_xing", "0"]))
    jobs.append(("mp3-xing-1", "mp3", ["-c:a", "libmp3lame", "-q:a", "5", "-id3v2_version", "3"]))
    for name, extension, codec in (("ogg-vorbis", "ogg", "libvorbis"), ("ogg-opus", "opus", "libopus"), ("flac-s16", "flac", "flac")):
        for channels in (1, 2):
            jobs.append((f"{name}-{channels}", extension, ["-c:a", codec, "-ac", str(channels)] + (
                ["-ar", "48000"] if codec == "libopus" else [])))
    jobs.append(("flac-s24-1", "flac", ["-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "24"]))
    arguments = list(source)
    for name, extension, options in jobs:
        arguments += ["-map", "0:a", *options, os.path.join(folder, f"{name}-plain.{extension}")]
    result = ffmpeg(*arguments, data=encoders())
    if result.returncode:
        sys.exit(result.stderr.decode())
    for name, extension, _ in jobs:
        with open(os.path.join(folder, f"{name}-plain.{extension}"), "rb") as file:
            whole = file.read()
        put(f"{name}-plain.{extension}", whole)
        half = len(whole) * 3 // 4
        put(f"{name}-cut.half.{extension}", whole[:half])
        put(f"{name}-cut.last.{extension}", whole[:-1])
        put(f"{name}-id3.{extension}", id3(300) + whole)
        put(f"{name}-tail.id3v1.{extension}", whole + b"TAG" + bytes(125))
        put(f"{name}-tail.zeros.{extension}", whole + bytes(700))
        if extension == "flac":
            # Total samples 0: an encoder that cannot seek back.
            put(f"{name}-count.zero.{extension}", whole[:21] + bytes([whole[21] & 0xF0]) + bytes(4) + whole[26:])
            put(f"{name}-count.half.{extension}", whole[:22] + (int.from_bytes(whole[22:26], "big") // 2).to_bytes(4, "big") + whole[26:])
        if extension in ("ogg", "opus", "flac"):
            put(f"{name}-damage.{extension}", whole[:half] + bytes(60) + whole[half + 60:])
            put(f"{name}-chain.{extension}", whole + whole)
            put(f"{name}-chain.id3.{extension}", whole + id3(300) + whole)
        if extension != "mp3":
            continue
        put(f"{name}-ape.{extension}", ape(64) + whole)
        put(f"{name}-tail.ape.{extension}", whole + ape(64))
        put(f"{name}-tail.lyrics.{extension}", whole + b"LYRICSBEGIN" + bytes(40) + b"000055LYRICS200")
        for count in (1, 100, 5000):
            put(f"{name}-front.{count}.{extension}", bytes(0x33 for _ in range(count)) + whole)
        put(f"{name}-front.inside.{extension}", whole[77 + (600 if whole[:3] == b"ID3" else 0):])
        put(f"{name}-cat.{extension}", whole + whole)
        put(f"{name}-cat.id3.{extension}", whole + id3(50) + whole)
        put(f"{name}-cat.id3v1.{extension}", whole + b"TAG" + bytes(125) + whole)
        put(f"{name}-cat.ape.{extension}", whole + ape(20) + whole)
        put(f"{name}-gap.{extension}", whole[:half] + bytes(0x55 for _ in range(200)) + whole[half:])
        put(f"{name}-gap.zeros.{extension}", whole[:half] + bytes(300) + whole[half:])
        damaged = bytearray(whole)
        sync = next((i for i in range(half, len(whole) - 1) if whole[i] == 0xFF and whole[i + 1] >= 0xE0), half)
        damaged[sync:sync + 4] = b"\x55\x55\x55\x55"
        put(f"{name}-damage.header.{extension}", damaged)
        damaged = bytearray(whole)
        damaged[half + 10:half + 30] = bytes(20)
        put(f"{name}-damage.body.{extension}", damaged)
        if "cbr" in name:
            rate, channels = int(name[7:-2]), int(name[-1])
            damaged_header = bytearray(whole)
            damaged_header[sync:sync + 4] = b"\x55\x55\x55\x55"
            within_wave(f"wave-{name}", rate, channels, whole, half, damaged_header, damaged)


def within_wave(name, rate, channels, whole, half, damaged_header, damaged_body):
    """MP3 in WAV: format 85."""
    fmt = struct.pack("<HHIIHHHHIHHH", 0x55, channels, rate, 4000, 1, 0, 12, 1, 2, 418, 1, 0)

    def make(sound, size=None, riff=None, after=b""):
        size = len(sound) if size is None else size
        body = (b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt + b"data" + struct.pack("<I", size) + sound
                + b"\0" * (len(sound) % 2) + after)
        return b"RIFF" + struct.pack("<I", len(body) if riff is None else riff) + body
    made = make(whole)
    for fault, data in (
            ("plain", made), ("size.unfilled", make(whole, 0)), ("size.zero", make(whole, 0, 0)),
            ("size.most", make(whole, 0xFFFFFFFF, 0xFFFFFFFF)), ("size.long", make(whole, len(whole) + 1000)),
            ("cut.half", made[:half]), ("cut.last", made[:-1]), ("cut.first", made[:len(made) - len(whole) + 10]),
            ("id3", id3(300) + made), ("ape", ape(64) + made), ("inner.id3", make(id3(50) + whole)),
            ("inner.id3v1", make(whole + b"TAG" + bytes(125))), ("inner.front", make(bytes(0x33 for _ in range(100)) + whole)),
            ("inner.half", make(whole[77:])), ("tail.id3v1", made + b"TAG" + bytes(125)), ("tail.zeros", made + bytes(700)),
            ("after.unknown", make(whole, after=b"xyz " + struct.pack("<I", 32) + bytes(32))),
            ("gap", make(whole[:half] + bytes(0x55 for _ in range(200)) + whole[half:])), ("cat", make(whole + whole)),
            ("damage.header", make(damaged_header)), ("damage.body", make(damaged_body)),
            ("other.pcm", make(integers(tone(channels), 2, False))), ("other.zeros", make(bytes(2000))), ("other.none", make(b"")),
            ("other.ogg", make(b"OggS" + bytes(900)))):
        put(f"{name}-{fault}.wav", data)


def decode(folder, names):
    """What ffmpeg decodes of the files, in one start; in another one for the rest where it refuses some of them."""
    while names:
        arguments = []
        for name in names:
            arguments += ["-i", os.path.join(folder, name)]
        for index, name in enumerate(names):
            arguments += ["-map", f"{index}:a:0", "-f", "s16le", "-c:a", "pcm_s16le", os.path.join(folder, name + ".s16")]
        result = ffmpeg(*arguments)
        if result.returncode == 0:
            return
        errors = result.stderr.decode(errors="replace")
        # Before ffmpeg 6, and since.
        lines = {line.partition(": ")[0] for line in errors.splitlines()} | set(errors.splitlines())
        refused = [name for index, name in enumerate(names)
                   if {path := os.path.join(folder, name), f"Error opening input file {path}."} & lines
                   or f"map '{index}:a:0'" in errors]
        if not refused and all(os.path.exists(os.path.join(folder, name + ".s16")) for name in names):
            return
        refused = refused or names[:1]
        for name in refused:
            path = os.path.join(folder, name + ".s16")
            if os.path.exists(path):
                os.remove(path)
        names = [name for name in names if name not in refused]


def main():
    folder = sys.argv[1]
    make_waves()
    make_aiffs()
    make_cafs()
    make_compressed(folder)
    for name, data in out.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    names = sorted(out) if "--undecoded" not in sys.argv else []
    for first in range(0, len(names), 60):
        decode(folder, names[first:first + 60])


main()
