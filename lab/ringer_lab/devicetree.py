"""The board's device tree: overlays are compiled and applied, and the compiled tree is read."""

import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass, field

from ringer_lab import LabError

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machine")
# The overlays that users of Ringer install. Packages have them; in a checkout they are in its dts/.
PARTS = f"{FOLDER}/parts" if os.path.isdir(f"{FOLDER}/parts") else f"{FOLDER}/../../../dts"
OWN_PARTS = [
    "ring-silent-switch",
    "sound-profile-slider",
    "gpio-vibrator",
    "headphone-jack",
    "status-light",
    "ringer-keys",
]

# Source: the devicetree specification, chapter 5, "Flattened Devicetree Format".
FDT_MAGIC, FDT_BEGIN_NODE, FDT_END_NODE, FDT_PROP, FDT_NOP, FDT_END = 0xD00DFEED, 1, 2, 3, 4, 9
EV_KEY, EV_SW, EV_ABS = 1, 5, 3
OWN_CHIP = "/gpio-sim/bank0"  # in board.dts
# Source: dt-bindings/gpio/gpio.h.
ACTIVE_LOW, PULL_UP, PULL_DOWN, PULL_DISABLE = 1, 16, 32, 64
# Those that use lines, by their compatible. kernel.config has them.
DRIVERS = ["gpio-keys", "gpio-keys-polled", "gpio-leds", "gpio-vibrator", "regulator-fixed", "gpio-simulator"]
MOST_LINES = 512  # the kernel's ARCH_NR_GPIOS
GPIOS = re.compile(r"(^|-)gpios?$")
COLORS = ["white", "red", "green", "blue", "amber", "violet", "yellow", "ir", "multicolor", "rgb"]


@dataclass
class Node:
    path: str
    properties: dict = field(default_factory=dict)
    children: list = field(default_factory=list)

    @property
    def name(self):
        return self.path.rsplit("/", 1)[1]

    def text(self, name, default=None):
        return self.properties[name].split(b"\0")[0].decode() if name in self.properties else default

    def texts(self, name):
        return [text.decode() for text in self.properties.get(name, b"").split(b"\0")[:-1]]

    def cells(self, name):
        data = self.properties.get(name, b"")
        return struct.unpack(f">{len(data) // 4}I", data[: len(data) // 4 * 4])

    def number(self, name, default=None):
        return (self.cells(name) or (default,))[0]

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass
class Bank:
    """A simulated GPIO chip."""

    path: str
    device: str
    label: str
    names: list
    count: int
    phandle: int


@dataclass
class Part:
    """What one line of a chip belongs to: a key, a switch, a position of a slider, an LED, a motor."""

    driver: str
    device: str
    label: str
    bank: str
    line: int
    is_active_low: bool
    path: str
    type: int = EV_KEY
    code: int | None = None
    value: int = 1
    debounce: float = 0.0


def read(blob):
    """The root node of a compiled device tree."""
    magic, _, structure, strings = struct.unpack_from(">4I", blob)
    if magic != FDT_MAGIC:
        raise ValueError("not a compiled device tree")
    position, stack = structure, []
    while True:
        (token,) = struct.unpack_from(">I", blob, position)
        position += 4
        if token == FDT_BEGIN_NODE:
            end = blob.index(b"\0", position)
            name = blob[position:end].decode()
            parent = stack[-1] if stack else None
            node = Node((parent.path.rstrip("/") if parent else "") + "/" + name)
            if parent:
                parent.children.append(node)
            stack.append(node)
            position = end + 4 & ~3
        elif token == FDT_PROP:
            length, offset = struct.unpack_from(">2I", blob, position)
            name = blob[strings + offset : blob.index(b"\0", strings + offset)].decode()
            stack[-1].properties[name] = blob[position + 8 : position + 8 + length]
            position += 8 + length + 3 & ~3
        elif token == FDT_END_NODE:
            node = stack.pop()
            if not stack:
                return node
        elif token != FDT_NOP:
            raise ValueError("a damaged device tree")


def banks(root):
    """The simulated chips, by their phandle; the board's own is the first. An overlay's nodes come before the board's."""
    found = {}
    for node in root.walk():
        if "gpio-simulator" not in node.texts("compatible"):
            continue
        for bank in node.children:
            handle = bank.number("phandle", 0)
            label = bank.text("gpio-sim,label", f"{node.name}-{bank.name}")
            names, count = bank.texts("gpio-line-names"), bank.number("ngpios", 1)
            found[handle or bank.path] = Bank(bank.path, node.name, label, names, count, handle)
    return dict(sorted(found.items(), key=lambda entry: entry[1].path != OWN_CHIP))


def label_of(node):
    """The name of a key, a switch or a motor; of an LED, that of its class device. Source: leds/common.yaml."""
    if "label" in node.properties or "function" not in node.properties:
        return node.text("label", node.name)
    color = COLORS[node.number("color")] if node.number("color", len(COLORS)) < len(COLORS) else ""
    number = node.number("function-enumerator")
    return f"{color}:{node.text('function')}" + ("" if number is None else f"-{number}")


def driver_of(node):
    """The first driver here that takes the node, or the one that it wants."""
    names = node.texts("compatible") or [""]
    return next((name for name in names if name in DRIVERS), names[0])


def parts(root):
    """Every use of a simulated chip's line by a driver."""
    chips, found = banks(root), []

    def visit(node, parent):
        for name, _ in node.properties.items():
            if not GPIOS.search(name):
                continue
            cells = node.cells(name)
            for handle, line, flags in zip(cells[0::3], cells[1::3], cells[2::3]):
                if handle not in chips:
                    continue
                owner = node if "compatible" in node.properties else parent
                found.append(
                    Part(
                        driver=driver_of(owner),
                        device=owner.name,
                        label=label_of(node),
                        bank=chips[handle].label,
                        line=line,
                        is_active_low=bool(flags & ACTIVE_LOW),
                        path=node.path,
                        type=node.number("linux,input-type", EV_KEY),
                        code=node.number("linux,code"),
                        value=node.number("linux,input-value", 1),
                        debounce=node.number("debounce-interval", 5) / 1000,
                    )
                )
        for child in node.children:
            visit(child, node)

    visit(root, root)
    return found


def check(root):
    """Complains of lines that two parts share or that a chip does not have, and of parts without a line or a code: their
    drivers would only say so in the kernel's log.
    """
    chips = banks(root)
    taken, counts = {}, {bank.label: bank.count for bank in chips.values()}
    for node in root.walk():
        if not node.path.startswith("/__") and "gpio-hog" not in node.properties:
            for name in filter(GPIOS.search, node.properties):
                cells = node.cells(name)
                if not cells or len(cells) % 3 or not set(cells[0::3]) <= chips.keys():
                    raise LabError(f"{node.path}: {name} has to be a chip, a line and flags, such as <&gpio 20 0>")
        if driver_of(node) in ("gpio-keys", "gpio-keys-polled", "gpio-leds"):
            for child in node.children:
                if not {"gpios", "gpio", "interrupts"} & child.properties.keys():
                    raise LabError(f"{child.path} has no line: give it one, such as gpios = <&gpio 20 0>;")
        if driver_of(node) == "gpio-vibrator" and not {"enable-gpios", "vcc-supply"} & node.properties.keys():
            raise LabError(f"{node.path} has no line: give it one, such as enable-gpios = <&gpio 20 0>;")
    if not 0 < min(counts.values()) <= sum(counts.values()) <= MOST_LINES:
        raise LabError(f"a chip has 1 line or more, and all together have {MOST_LINES} at most: change ngpios")
    for bank in reversed(chips.values()):  # the board's own is not to blame
        if len(bank.names) > bank.count:
            raise LabError(f"{bank.path} has {len(bank.names)} gpio-line-names for {bank.count} lines: leave some out")
        if [other.label for other in chips.values()].count(bank.label) > 1:
            raise LabError(f"{bank.path} has the gpio-sim,label of another chip, {bank.label}: give it one of its own")
    for part in parts(root):
        if part.driver not in DRIVERS:
            raise LabError(
                f"no driver takes the line of {part.path}: its compatible is {part.driver or 'missing'}; there are "
                + ", ".join(DRIVERS)
            )
        if part.line >= counts[part.bank]:
            raise LabError(
                f"{part.path} wants line {part.line} of {part.bank}, which has {counts[part.bank]} lines: "
                "change its gpios"
            )
        if part.driver.startswith("gpio-keys") and part.code is None:
            raise LabError(
                f"{part.path} has no linux,code: give it the number that it reports, such as linux,code = <148>; for KEY_PROG1"
            )
        other = taken.setdefault((part.bank, part.line), part)
        if other is not part:
            raise LabError(
                f"line {part.line} of {part.bank} has two parts, {other.path} and {part.path}: give one of "
                "them another line, or leave Ringer's own parts out with --bare"
            )


def build(folder, include, overlays, bare, board=f"{FOLDER}/board.dts"):
    """Writes the device tree of `board`, its source, with the overlays to `folder` and returns its path."""
    tree = compile_source(board, folder, include)
    own = [] if bare else [f"{FOLDER}/ringer-board.dtso", *(f"{PARTS}/{name}.dtso" for name in OWN_PARTS)]
    tree = apply(tree, [compile_source(path, folder, include) for path in own], folder, "of Ringer's own parts")
    for path in overlays:
        compiled = compile_source(path, folder, include)
        check_labels(path, compiled, tree)
        tree = apply(tree, [compiled], folder, path)
    with open(tree, "rb") as file:
        root = read(file.read())
    check(root)
    pull_up(tree, root)
    return tree


def pull_up(tree, root):
    """Gives keys and switches that are active low the pull-up of a real board, unless they have a pull: simulated lines rest
    at 0.
    """
    for node in root.walk():
        for child in node.children if driver_of(node).startswith("gpio-keys") else []:
            for name in filter(GPIOS.search, child.properties):
                chip, line, flags, *rest = child.cells(name)
                if flags & ACTIVE_LOW and not flags & (PULL_UP | PULL_DOWN):
                    cells = map(str, (chip, line, flags & ~PULL_DISABLE | PULL_UP, *rest))
                    tool(tree, ["fdtput", "-t", "u", tree, child.path, name, *cells], "")


def compile_source(path, folder, include):
    try:
        with open(path, encoding="utf-8") as file:
            source = file.read()
    except OSError as error:
        raise LabError(f"the overlay {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LabError(f"the overlay {path} is not text: its source, a .dtso, is needed") from None
    target = f"{folder}/{len(os.listdir(folder))}.dtb"
    if "#include" in source:
        source = tool(
            path,
            [
                "cpp",
                "-nostdinc",
                "-undef",
                "-D__DTS__",
                "-x",
                "assembler-with-cpp",
                "-P",
                "-I",
                include,
                "-I",
                os.path.dirname(path) or ".",
                path,
            ],
            "",
        )
    tool(
        path,
        ["dtc", "-q", "-@", "-i", os.path.dirname(path) or ".", "-I", "dts", "-O", "dtb", "-o", target, "-"],
        source,
    )
    return target


def check_labels(path, overlay, tree):
    """Complains of an overlay without effect, and of a label that it uses and the board has not."""
    with open(overlay, "rb") as file:
        nodes = read(file.read()).children
    if not any(child.name == "__overlay__" for node in nodes for child in node.children):
        raise LabError(f"the overlay {path} changes nothing: it begins with /dts-v1/; /plugin/; and has nodes in &{{/}} {{ }};")
    fixups = [node for node in nodes if node.name == "__fixups__"]
    with open(tree, "rb") as file:
        symbols = [node for node in read(file.read()).children if node.name == "__symbols__"]
    known = sorted(symbols[0].properties) if symbols else []
    for label in fixups[0].properties if fixups else []:
        if label not in known:
            raise LabError(f"{path} refers to &{label}; the labels here are " + ", ".join("&" + name for name in known))


def apply(tree, overlays, folder, name):
    if not overlays:
        return tree
    target = f"{folder}/{len(os.listdir(folder))}.dtb"
    tool(name, ["fdtoverlay", "-i", tree, "-o", target, *overlays], "")
    return target


def tool(path, command, text):
    if shutil.which(command[0]) is None:
        package = "cpp" if command[0] == "cpp" else "device-tree-compiler"
        raise LabError(f"{command[0]} is missing: apt-get install {package}")
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        reason = next((line for line in done.stderr.splitlines() if line.strip()), f"{command[0]} failed")
        if "Label or path" in reason:
            reason += "; does it begin with /dts-v1/; /plugin/;?"
        if "FDT_ERR_NOTFOUND" in reason:
            reason = "it changes a node that the board has not: add to &{/}, or to one of the labels of `ringer-lab board`"
        raise LabError(f"the overlay {path} is not right: {reason.replace('<stdin>', path)}")
    return done.stdout
