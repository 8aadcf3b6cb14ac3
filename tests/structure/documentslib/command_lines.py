"""Commands that documents show: their parts, and whether the options that they give are those of the program.

What is run is decided here, by `runs`: commands of dfrun alone, also behind mpirun, whose words all stand for themselves.
"""
import dataclasses
import re

# Words in front of a program that starts the one behind it.
STARTERS = {"mpirun", "srun", "smpirun", "time", "timeout", "exec"}
# A word that the reader replaces: SPEC, FILE.h5, cpu/NAME, <this repository>.
PLACEHOLDER = re.compile(r"[<>$]|\.\.\.|(?<![A-Za-z_])[A-Z][A-Z_]*(?![A-Za-z_0-9])")
OPTION = re.compile(r"^--?[A-Za-z][\w-]*")
TOKEN = re.compile(r"""
    \s+
  | \#.*?(?=\ ;$)                    # a comment, up to the end that commands_of() adds
  | (?P<end> && | \|\| | [;|] )
  | (?P<redirection> \d?>&\d | \d?>>? | <(?=\s) )
  | (?P<word> (?: \$\([^()]*\) | "[^"]*" | '[^']*' | <[^<>]*> | [^\s;|<"'] )+ )
    """, re.VERBOSE)
SPEC = "configs/digits_mlp.yaml"  # what `SPEC` stands for where a command in a sentence is run


@dataclasses.dataclass
class Command:
    """A simple command. `words` begin with the program; `starter` are the words in front of it, with their options."""
    line: int
    starter: list
    words: list
    written: str

    @property
    def program(self):
        return self.words[0] if self.words else ""

    @property
    def is_dfrun(self):
        return self.program.rsplit("/", 1)[-1] == "dfrun"


def commands_of(text, line):
    """The simple commands of a line of a shell."""
    commands, words, to_file = [], [], False
    for match in TOKEN.finditer(text + " ;"):
        if match["end"]:
            if words:
                commands.append(command_of(words, line, text))
            words = []
        elif match["redirection"]:
            to_file = "&" not in match["redirection"]
        elif match["word"]:
            if not to_file:
                words.append(re.sub(r"""["']""", "", match["word"]))
            to_file = False
    return commands


def command_of(words, line, text):
    rest = list(words)
    while rest and re.match(r"^[A-Za-z_]\w*=", rest[0]):
        rest.pop(0)
    if rest and rest[0] in STARTERS:
        for place, word in enumerate(rest):
            if word.rsplit("/", 1)[-1] == "dfrun":
                return Command(line, rest[:place], rest[place:], text.strip())
    return Command(line, [], rest, text.strip())


def lines_of(fence):
    """(number, text) of each line of a block, those that a backslash continues joined."""
    joined, first = "", 0
    for number, text in enumerate(fence.body, fence.line + 1):
        first = first if joined else number
        joined += re.sub(r"^\s*\$ ", "", text)  # a prompt is no part of the command
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        if joined.strip():
            yield first, joined
        joined = ""
    if joined.strip():
        yield first, joined


class CommandTable:
    """The options of each command, as `--help` lists them."""

    def __init__(self, dfrun):
        self._dfrun = dfrun
        self._help = {}

    def help_of(self, *path):
        """(options, subcommands) of `dfrun PATH...`; none of either where there is no such command."""
        if path not in self._help:
            code, text = self._dfrun(*path, "--help")
            self._help[path] = parse_help(text) if code == 0 else (set(), set())
        return self._help[path]

    @property
    def commands(self):
        return self.help_of()[1]

    def all_options(self):
        options = set(self.help_of()[0])
        for command in self.commands:
            options |= self.help_of(command)[0]
            for inner in self.help_of(command)[1]:
                options |= self.help_of(command, inner)[0]
        return options

    def faults_of(self, words):
        """What is wrong with the words behind `dfrun`: a command or an option that there is not."""
        path, rest = self._path(words)
        if path is None:
            return [f"dfrun has no command '{words[0]}'"]
        known, inner = self.help_of(*path)
        if not known:
            return [f"`dfrun {' '.join(path)} --help` failed"]
        if path and inner and rest and not rest[0].startswith("-") and not PLACEHOLDER.search(rest[0]):
            return [f"`dfrun {' '.join(path)}` has no command '{rest[0]}'"]
        given = [match[0] for match in map(OPTION.match, rest) if match]
        return [f"`dfrun {' '.join(path)}` has no option {option}" for option in given if option not in known]

    def _path(self, words):
        """The command's name, of two words for `bench`, and what is behind it."""
        if not words:
            return ("run",), words
        if words[0] in self.commands:
            inner = self.help_of(words[0])[1]
            if len(words) > 1 and words[1] in inner:
                return (words[0], words[1]), words[2:]
            return (words[0],), words[1:]
        if words[0] in ("-h", "--help", "--version"):
            return (), words
        if words[0].startswith("-") or "." in words[0] or PLACEHOLDER.search(words[0]):
            return ("run",), words  # `dfrun SPEC` is `dfrun run SPEC`
        return None, words


def parse_help(text):
    """The options, and the commands, of CLI11's page."""
    options, commands, section = set(), set(), ""
    for line in text.split("\n"):
        if match := re.match(r"^([A-Za-z]+):\s*$", line):
            section = match[1].lower()
        elif section == "options" and (match := re.match(r"^\s+((?:-[\w-]+[, ]*)+)", line)):
            options |= set(re.findall(r"--?[A-Za-z][\w-]*", match[1]))
        elif section == "subcommands" and (match := re.match(r"^  ([a-z][\w-]*)", line)):
            commands.add(match[1])
    return options, commands


def runs(command, exists):
    """None if the command is to be run, else why not. `exists`: whether the checkout has a path."""
    if command.program not in ("dfrun", "build/release/bin/dfrun"):
        return f"the program {command.program}"
    if command.starter and command.starter[0] != "mpirun":
        return f"the program {command.starter[0]}"
    if any(PLACEHOLDER.search(word) for word in command.starter + command.words):
        return "words that the reader replaces"
    operand = next((word for word in command.words[1:] if re.search(r"\.\w+$|/$", word) and not word.startswith("-")), None)
    if operand is not None and not exists(operand.split("=")[-1].split(":")[0]):
        return "files of the reader's"
    return None
