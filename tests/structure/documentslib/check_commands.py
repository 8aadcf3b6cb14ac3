"""Checks the commands of documents against the program, and runs those that `command_lines.runs` lets run.

A comment right above a block, which readers do not see, changes what is run:

    <!-- run whole -->        bash gets the block as it stands
    <!-- not run: REASON -->
"""
import collections
import re

from . import command_lines

SHELLS = ("sh", "bash", "shell", "console")
# Commands in a sentence that are run: they only read, a spec or what the program is made of.
QUIET = ("check", "graph")
QUIET_ALONE = ("ops", "info")
# Options that sentences name, of programs that are not the project's.
FOREIGN = {"--cfg"}
NOTE = re.compile(r"^\s*(run whole|not run):?\s*(.*?)\s*$", re.DOTALL)


class Checks:
    """Counts what it looks at."""

    def __init__(self, root, table, checkout):
        self._root = root
        self._table = table
        self._checkout = checkout
        self._known = table.all_options() | FOREIGN | options_of_scripts(root)
        self.counts = collections.Counter()
        self.not_run = collections.Counter()

    def check_fence(self, document, fence):
        """`fence` holds lines of a shell. They are run in their order, so that one may read what another has written."""
        note = NOTE.match(fence.note)
        if fence.note.strip() and (not note or (note[1] == "not run") != bool(note[2])):
            document.find(fence.note_line, "the comment above a block of commands is `run whole` or `not run: REASON`")
        kind, reason = (note[1], note[2]) if note else ("", "")
        if kind == "run whole":
            self._run(document, fence.line, "the block", ["bash", "-euo", "pipefail", "-c", "\n".join(fence.body)])
            return
        for number, text in command_lines.lines_of(fence):
            behind = reason  # what is behind a command that is not run is not run either
            for command in command_lines.commands_of(text, number):
                if self._check(document, command):
                    behind = self._run_unless(document, command, behind)

    def check_span(self, document, span):
        """Inline code: a command, or an option alone."""
        if match := command_lines.OPTION.match(span.text):
            self.counts["options in sentences"] += 1
            if match[0].startswith("--") and match[0] not in self._known:
                document.find(span.line, f"no command of dfrun and no script has the option {match[0]}")
            return
        for command in command_lines.commands_of(span.text, span.line):
            if not command.is_dfrun and (not command.program.startswith("scripts/") or command.program == span.text):
                continue  # a path alone is for links.py
            whole = self._check(document, command)
            if whole and command.is_dfrun and not command.starter and self._is_quiet(command.words[1:]):
                command.words = [command_lines.SPEC if word == "SPEC" else word for word in command.words]
                self._run_unless(document, command, "")

    @staticmethod
    def _is_quiet(words):
        """Whether they are a command that can be run beside its name's being named."""
        return words and (words[0] in QUIET_ALONE or (words[0] in QUIET and "SPEC" in words))

    def _check(self, document, command):
        """True if all that the command names is there."""
        self.counts["commands"] += 1
        faults = [f"there is no file {path}" for path in map(path_of, command.starter + command.words)
                  if path and not (self._root / path).exists()]
        if command.is_dfrun:
            faults += self._table.faults_of(command.words[1:])
        elif command.program.startswith("scripts/"):
            options = [match[0] for match in map(command_lines.OPTION.match, command.words[1:]) if match]
            faults += [f"{command.program} has no option {option}" for option in options if option not in self._known]
        for fault in faults:
            document.find(command.line, fault)
        return not faults

    def _run_unless(self, document, command, reason):
        """Gives the reason for which it was not run, if it was not."""
        reason = reason or command_lines.runs(command, self._checkout.exists)
        if reason:
            self.not_run[reason] += 1
        else:
            self._run(document, command.line, f"`{command.written}`", [*command.starter, "dfrun", *command.words[1:]])
        return reason

    def _run(self, document, line, name, words):
        self.counts["commands run"] += 1
        code, output = self._checkout.run(words)
        if code != 0:
            last = "\n    ".join(output.strip().split("\n")[-5:])
            document.find(line, f"{name} ended with {code}:\n    {last}")


def path_of(word):
    """The file of the project that a command's word is, or that an option's value is; else None."""
    path = word.split("=")[-1]
    return path if re.match(r"^(scripts|configs)/[\w./-]+$", path) else None


def options_of_scripts(root):
    """All words like --name that a script holds."""
    found = set()
    for path in sorted((root / "scripts").rglob("*")):
        if path.is_file() and path.suffix in ("", ".sh", ".py", ".slurm"):
            found |= set(re.findall(r"--[a-z][\w-]*", path.read_text(encoding="utf-8", errors="replace")))
    return found
