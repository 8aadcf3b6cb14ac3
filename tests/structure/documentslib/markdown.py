"""A Markdown document as this project writes it, and what is wrong with its form.

The form is narrower than Markdown's, so that a tear shows: code stands between fences that name their language, inline code
ends on its line, and no other text is indented by four and more.
"""
import dataclasses
import re

FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
HEADING = re.compile(r"^ {0,3}(#{1,6})(\s+)(\S.*?)\s*#*\s*$")
LIST_ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)")
NOT_CHECKED = re.compile(r"^\s*not checked:\s*\S")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
SEPARATOR = re.compile(r"^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$")
# The characters of the longest row of a table: longer ones cannot be read in a diff, nor on a screen of usual width.
MAX_ROW = 199
# The head of a page that a script writes from the program: its rows are searched, not read.
GENERATED = re.compile(r"^Written by `scripts/[\w/-]+`")
# The end of a sentence without a space behind it: "16 MiB.Anything".
RUN_ON = re.compile(r"[A-Za-z)`]{3}\.[A-Z][a-z]+\s")


@dataclasses.dataclass
class Fence:
    """A block of code. `note`: the text of the HTML comment right above it, which readers do not see."""
    line: int
    language: str
    body: list
    note: str
    note_line: int


@dataclasses.dataclass
class Line:
    number: int
    text: str


@dataclasses.dataclass
class Span:
    """Inline code."""
    line: int
    text: str


class Document:
    """`path` is relative to the project's folder. Reading never fails: what is wrong is in `findings`.

    The inline code of a paragraph under `<!-- not checked: REASON -->` is no part of `spans`; `unchecked` counts those paragraphs.
    """

    def __init__(self, path, text):
        self.path = path
        self.findings = []
        self.fences = []
        self.prose = []  # lines outside of fences and comments; empty lines stand for both
        self.unchecked = 0
        self._unchecked_lines = set()
        self._read(text.split("\n"))
        self.headings = list(self._headings())
        self.spans = [Span(line.number, match[2].strip()) for line in self.prose
                      if line.number not in self._unchecked_lines for match in CODE_SPAN.finditer(line.text)]
        self.tables = list(self._tables())

    def find(self, line, message):
        self.findings.append(f"{self.path}:{line}: {message}")

    def _read(self, lines):
        note, note_line, number = "", 0, 0
        while number < len(lines):
            text = lines[number]
            number += 1
            if text.lstrip().startswith("<!--"):
                note, note_line, number = self._read_comment(lines, number)
            elif match := FENCE.match(text):
                number = self._read_fence(lines, number, match, note, note_line)
                note = ""
            elif text.strip() and NOT_CHECKED.match(note):
                note, number = "", self._read_unchecked(lines, number)
            else:
                self.prose.append(Line(number, text.rstrip()))
                note = "" if text.strip() else note

    def _read_unchecked(self, lines, first):
        """A paragraph whose inline code is not checked. Gives the number of its last line."""
        self.unchecked += 1
        last = next((i for i in range(first, len(lines)) if not lines[i].strip()), len(lines))
        self.prose += [Line(i, lines[i - 1].rstrip()) for i in range(first, last + 1)]
        self._unchecked_lines |= set(range(first, last + 1))
        return last

    def _read_comment(self, lines, first):
        """`first`: the number of its first line, from 1. Gives its text, where that begins, and the number of its last."""
        for last in range(first, len(lines) + 1):
            if "-->" in lines[last - 1]:
                self.prose.append(Line(first, ""))
                return "\n".join(lines[first - 1:last]).strip()[4:-3], first, last
        self.find(first, "the comment does not end: --> is missing")
        return "", first, len(lines)

    def _read_fence(self, lines, first, opening, note, note_line):
        indent, marks, info = len(opening[1]), opening[2], opening[3].strip()
        end = re.compile(rf"^ *{marks[0]}{{{len(marks)},}} *$")
        last = next((i for i in range(first, len(lines)) if end.match(lines[i])), None)
        if last is None:
            self.find(first, f"the block of code does not end: {marks} is missing")
            last = len(lines)
        if not re.fullmatch(r"[a-z]+", info):
            self.find(first, f"a block of code names its language, and that alone, behind {marks}: `sh` for commands, "
                             f"`text` for what is no language; here is '{info}'")
        body = [line[indent:] if not line[:indent].strip() else line for line in lines[first:last]]
        self.fences.append(Fence(first, info, body, note, note_line))
        self.prose.append(Line(first, ""))
        return last + 1

    def _headings(self):
        """(line, level, text) of each."""
        for line in self.prose:
            if match := HEADING.match(line.text):
                yield line.number, len(match[1]), match[3]

    def _tables(self):
        """Each as the list of its lines: those that follow each other and begin with a bar."""
        table = []
        for line in self.prose + [Line(0, "")]:
            if line.text.lstrip().startswith("|"):
                table.append(line)
            elif table:
                yield table
                table = []


def cells_of(row):
    """Bars within code part cells too, unless a backslash stands before them."""
    bare = re.sub(r"\\\|", "", row.strip())
    return bare.count("|") - bare.startswith("|") - (bare.endswith("|") and len(bare) > 1) + 1


def check_form(document):
    """Adds what is wrong with the form to the document's findings."""
    check_headings(document)
    check_tables(document)
    check_text(document)


def check_headings(document):
    for line in document.prose:
        if re.match(r"^\s*#{1,6}[^#\s]", line.text):
            document.find(line.number, f"a heading needs a space behind its #: '{line.text.strip()[:40]}'")
    levels = [level for _, level, _ in document.headings]
    if levels.count(1) != 1 or levels[0] != 1:
        document.find(1, f"a document begins with its one title ('# ...'); this one has {levels.count(1)}")
    for (_, before, _), (line, level, text) in zip(document.headings, document.headings[1:]):
        if level > before + 1:
            document.find(line, f"the heading '{text}' is {level - before} levels below the one before it")


def check_tables(document):
    generated = any(GENERATED.match(line.text) for line in document.prose[:5])
    for table in document.tables:
        for row in table if not generated else []:
            if len(row.text) > MAX_ROW:
                document.find(row.number, f"the row has {len(row.text)} characters, and may have {MAX_ROW}: say less in it, and "
                                          "the rest below the table")
        head, rest = table[0], table[1:]
        if not rest or not SEPARATOR.match(rest[0].text.strip()):
            document.find(head.number, "the row under a table's head is |---|---|, or GitHub shows no table")
            continue
        for row in rest:
            if cells_of(row.text) != cells_of(head.text):
                document.find(row.number, f"the row has {cells_of(row.text)} cells, the table's head has "
                                          f"{cells_of(head.text)}; a bar within a cell is written \\|")
    within = {line.number for table in document.tables for line in table}
    for line in document.prose:
        bare = CODE_SPAN.sub("", line.text)
        if line.number not in within and bare.count("|") >= 2:
            document.find(line.number, f"a row of a table begins with a bar: '{line.text.strip()[:40]}'")


def check_text(document):
    depth = 0  # how far the text of the list item at hand is indented
    blank = True
    for line in document.prose:
        if not line.text:
            blank = True
            continue
        indent = len(line.text) - len(line.text.lstrip())
        if blank and indent < depth:
            depth = 0
        if match := LIST_ITEM.match(line.text):
            if indent <= depth + 3:
                depth = len(match[0])
        elif indent >= depth + 4:
            document.find(line.number, "text is indented by less than four; code stands between fences (```): "
                                       f"'{line.text.strip()[:40]}'")
        blank = False
        check_inline(document, line)


def check_inline(document, line):
    bare = CODE_SPAN.sub("", line.text)
    if "`" in bare.replace("\\`", ""):
        document.find(line.number, f"inline code ends on the line that it begins on: '{bare[bare.index('`'):][:40]}'")
    elif match := RUN_ON.search(CODE_SPAN.sub("code", line.text)):
        document.find(line.number, f"a space is missing behind the full stop: '{match[0].strip()}'")
