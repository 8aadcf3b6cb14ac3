"""YAML of documents, checked by `dfrun check`: whole specs as they are, pieces of specs within a small one.

A comment right above a block, which readers do not see, says what the block lacks:

    <!-- checked with:                      further sections, or further entries of a section of the block
    graph:
      x: {op: Placeholder, dtype: float32, shape: [2, 3]}
    -->
    <!-- file: points.yaml -->             the block, a whole spec, is this file of the checkout, beside the files that
                                           commands before it have made; commands behind it find it
    <!-- not checked: REASON -->
"""
import collections
import dataclasses
import re

from .command_lines import PLACEHOLDER

ABSENT_DEVICES = "this build has no devices of type gpu"

NOTE = re.compile(r"^\s*(checked with|file|not checked):\s*(\S.*?)\s*$", re.DOTALL)
HEAD = re.compile(r"^([A-Za-z_]\w*):(?:\s|$)")
# What a piece may leave out: keys that its section must have, and sections that it stands beside.
REQUIRED = {"train": {"loss": "loss", "learning_rate": "0.1", "steps": "1"}, "run": {"fetch": "[loss]"},
            "eval": {"metrics": "[loss]"}}
BESIDE = {"eval": "train", "checkpoint": "train", "summaries": "train", "trace": "train"}
GRAPH = ["graph:", "  w: {op: Variable, shape: [2], init: ones}", "  loss: Sum(w * w)", "  accuracy: Mean(w)"]


@dataclasses.dataclass
class Piece:
    """YAML of a document. `lines`: (number in the document, text). `kind` and `text` are its note's."""
    line: int
    lines: list
    kind: str = ""
    text: str = ""
    note_line: int = 0


def piece_of_fence(document, fence):
    piece = Piece(fence.line, list(enumerate(fence.body, fence.line + 1)), note_line=fence.note_line)
    if match := NOTE.match(fence.note):
        piece.kind, piece.text = match[1], match[2]
    elif fence.note.strip():
        document.find(fence.note_line, "the comment above a block of YAML is `checked with: SECTIONS`, `file: NAME` "
                                       "or `not checked: REASON`")
    if piece.kind == "file" and not is_whole(piece):
        document.find(fence.note_line, "`file:` stands above a whole spec; this one has no `dfrun: 1`")
    return piece


def piece_of_span(span, sections):
    """Inline code that is a section with its value; else None."""
    head = HEAD.match(span.text)
    if not head or head[1] not in sections or span.text == head[0] or PLACEHOLDER.search(span.text):
        return None
    return Piece(span.line, [(span.line, span.text)])


def sections_of(lines):
    """{name: its lines}, and the lines before the first section."""
    sections, before, current = {}, [], None
    for number, text in lines:
        if match := HEAD.match(text):
            current = sections.setdefault(match[1], [])
        (before if current is None else current).append((number, text))
    return sections, before


def is_whole(piece):
    return any(re.match(r"^dfrun:", text) for _, text in piece.lines)


def spec_of(piece):
    """The lines of the spec by which the piece is checked. A line of the document has its number, others have 0."""
    if is_whole(piece):
        return piece.lines
    sections, before = sections_of(piece.lines)
    if piece.kind == "checked with":
        added = sections_of([(piece.note_line + i, line) for i, line in enumerate(piece.text.split("\n"), 1)])[0]
        for name, lines in added.items():
            sections[name] = sections[name] + lines[1:] if name in sections else lines
    for name, other in BESIDE.items():
        if name in sections and other not in sections and "run" not in sections:
            sections[other] = [(0, f"{other}:")]
    for name, keys in REQUIRED.items():
        if name in sections:
            sections[name] = with_keys(sections[name], keys)
    if "graph" not in sections:
        sections["graph"] = [(0, line) for line in GRAPH]
    return [(0, "dfrun: 1")] + before + [line for lines in sections.values() for line in lines]


def with_keys(lines, keys):
    """The section with those of the keys that it lacks, be it in lines or within braces."""
    whole = "\n".join(text for _, text in lines)
    given = set(re.findall(r"(?:^|[{,\s])(\w+):", whole))
    if "train" in whole.split(":")[0] and given & {"epochs", "steps"}:
        given |= {"epochs", "steps"}
    lacking = [f"{key}: {value}" for key, value in keys.items() if key not in given]
    number, text = lines[-1]
    if not re.match(r"^\w+:\s*\{", lines[0][1]):
        return lines + [(0, f"  {each}") for each in lacking]
    place = text.rfind("}")
    return lines[:-1] + [(number, "".join([text[:place], *(f", {each}" for each in lacking), text[place:]]))]


class Checks:
    """Adds errors of YAML to the findings of its document. Counts what it looks at."""

    def __init__(self, sections, checkout):
        self._sections = sections
        self._checkout = checkout
        self.counts = collections.Counter()

    def check_fence(self, document, fence):
        piece = piece_of_fence(document, fence)
        if piece.kind == "not checked":
            self.counts["YAML not checked"] += 1
        else:
            self._check(document, piece)

    def check_span(self, document, span):
        if piece := piece_of_span(span, self._sections):
            self._check(document, piece)

    def _check(self, document, piece):
        self.counts["whole specs" if is_whole(piece) else "pieces of specs"] += 1
        path = piece.text if piece.kind == "file" else "configs/piece_of_a_document.yaml"
        lines = spec_of(piece)
        self._checkout.write(path, "\n".join(text for _, text in lines) + "\n")
        code, output = self._checkout.dfrun("check", path)
        errors = [line for line in output.split("\n") if line.strip()] if code != 0 else []
        # A build without the part for GPUs knows no such device; all else of the piece is checked.
        if errors and all(line.endswith(ABSENT_DEVICES) for line in errors):
            self.counts["pieces that name a device which this build lacks"] += 1
            return
        for error in errors:
            number, message = piece.line, error
            if match := re.match(rf"^{re.escape(path)}:(\d+):\d+: (.*)$", error):
                number, message = lines[int(match[1]) - 1][0] or piece.line, match[2]
            document.find(number, f"`dfrun check` of this YAML: {message}")
