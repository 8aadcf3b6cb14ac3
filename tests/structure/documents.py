#!/usr/bin/env python3
"""Checks every document of the project: its form, its links, its YAML, its commands.

Usage: documents.py ROOT PROGRAM. PROGRAM is the built dfrun. Prints what is wrong with file and line, then what was looked
at; the status is 1 if something is wrong. What is checked:

  form      headings, tables and the length of their rows, blocks of code, and text that a formatter of another language has
            torn (markdown.py).
            No formatter touches documents.
  links     to files and headings, and paths of the checkout that stand as inline code; docs/README.md links each page of
            docs (links.py)
  YAML      whole specs and pieces of specs pass `dfrun check` (yaml_blocks.py); keys of spec.md are those of the schema
  commands  options are those that `dfrun COMMAND --help` lists, scripts exist (command_lines.py); the commands of dfrun
            whose words all stand for themselves are run in a copy of the checkout (checkout.py, check_commands.py)
"""
import pathlib
import sys
import tempfile

from documentslib import check_commands, checkout, links, markdown, spec_keys, yaml_blocks
from documentslib.command_lines import CommandTable

SKIPPED = {"build", "tests/golden"}  # what is built; files of other programs, but for the page on them
KEPT = {"tests/golden/FORMAT.md"}


def documents_of(root):
    """All by path, in its order."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.md"))
    skipped = tuple(name + "/" for name in SKIPPED) + (".",)
    return {path: markdown.Document(path, (root / path).read_text(encoding="utf-8"))
            for path in paths if path in KEPT or not path.startswith(skipped)}


class Language:
    """What the program says of itself: the options of its commands, and the keys of a spec."""

    def __init__(self, program):
        def dfrun(*words):
            return checkout.run_program([program, *words], ".")
        self.program = program
        self.table = CommandTable(dfrun)
        self.schema = spec_keys.schema_of(dfrun)


def check(root, language, folder):
    """The findings, the counts of what was looked at, and the checkout. `folder` is empty, and there to run commands in."""
    documents = documents_of(root)
    for document in documents.values():
        markdown.check_form(document)
    links.check_index(documents)
    counts = {
        "documents": len(documents),
        "tables": sum(len(document.tables) for document in documents.values()),
        "blocks of code": sum(len(document.fences) for document in documents.values()),
        "links": links.check_links(documents, root),
        "paths of files": links.check_paths(documents, root),
        "keys of the schema": spec_keys.check_keys(documents, language.schema),
        "paragraphs not checked": sum(document.unchecked for document in documents.values()),
    }
    copy = checkout.Checkout(root, language.program, folder)
    counts.update(check_code(documents, root, language, copy))
    return [finding for document in documents.values() for finding in document.findings], counts, copy


def check_code(documents, root, language, copy):
    """YAML and commands, in the order in which a reader of each document meets them."""
    yaml = yaml_blocks.Checks(language.schema["properties"], copy)
    commands = check_commands.Checks(root, language.table, copy)
    for document in documents.values():
        for fence in document.fences:
            if fence.language == "yaml":
                yaml.check_fence(document, fence)
            elif fence.language in check_commands.SHELLS:
                commands.check_fence(document, fence)
        for span in document.spans:
            yaml.check_span(document, span)
            commands.check_span(document, span)
    not_run = {f"not run: {reason}": count for reason, count in sorted(commands.not_run.items())}
    return {**yaml.counts, **commands.counts, **not_run}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        findings, counts, copy = check(pathlib.Path(sys.argv[1]).resolve(), Language(sys.argv[2]), folder)
    print("\n".join(findings) or "All documents are whole.")
    print("\n".join(f"{count:5} {what}" for what, count in counts.items()))
    for seconds, command in sorted(copy.slowest, reverse=True)[:3]:
        print(f"{seconds:5.1f} s  {command}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
