#!/usr/bin/env python3
"""Checks that comments of C++ files open with a subject: not with "Of who has the step", "What a node is made of" or
"As Recv, but", which a reader understands only once they know the code.

Usage: comment_openings.py ROOT. Prints each comment that opens so and stands in no line of comment_openings.txt; the
status is 1 if there is one. The list holds a path, the comment's first words and the reason, between vertical bars."""
import pathlib
import re
import sys

import source_tree

TOPS = source_tree.TOPS + ["tests"]
LIST = "tests/structure/comment_openings.txt"
MAX_EXCEPTIONS = 79

# Openings of any comment, alone on its lines or behind code.
OPENING = re.compile(r"(?:of|what|those|who|whom|whose|the same|likewise|as|it)\b(?!['-])", re.IGNORECASE)
# Openings of the comment at the head of a file, which says what the file holds.
HEAD_OPENING = re.compile(r"(?:how|which|where|when|why)\b(?!['-])", re.IGNORECASE)

# Strings, characters and numbers with separators, which may hold two slashes or a quotation mark, and comments.
TOKEN = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\b\d[\w\']*|\'(?:[^\'\\\n]|\\.)*\'|'
                   r"(//[^\n]*)|(/\*.*?\*/)", re.DOTALL)


class Comment:
    """The lines of a comment of // that follow one another, or one comment behind code."""

    def __init__(self, line, column, behind_code, text):
        self.line = line
        self.column = column
        self.behind_code = behind_code
        self.text = text
        self.last_line = line

    def continues(self, line, column):
        """Whether a comment alone on that line is this one's next line."""
        return line == self.last_line + 1 and (column == self.column or not self.behind_code)


def comments_of(text):
    """All comments of //, in order. Lines that continue a comment are part of it."""
    comments = []
    for match in TOKEN.finditer(text):
        if not match[2]:
            continue
        line = text.count("\n", 0, match.start()) + 1
        line_start = text.rfind("\n", 0, match.start()) + 1
        column = match.start() - line_start
        behind_code = text[line_start:match.start()].strip() != ""
        words = match[2].lstrip("/").strip()
        last = comments[-1] if comments else None
        if last and not behind_code and last.continues(line, column):
            last.last_line = line
            last.text = f"{last.text} {words}".strip()
        else:
            comments.append(Comment(line, column, behind_code, words))
    return comments


def is_head(comment):
    return comment.line == 1


def opens_without_subject(comment):
    return bool(OPENING.match(comment.text) or (is_head(comment) and HEAD_OPENING.match(comment.text)))


def files_below(root):
    return sorted(file for top in TOPS for file in (root / top).rglob("*") if file.suffix in source_tree.SUFFIXES)


def found_in(file):
    """The comments of the file that open without a subject."""
    return [comment for comment in comments_of(file.read_text(encoding="utf-8")) if opens_without_subject(comment)]


def read_list(root):
    """The excepted comments, as pairs of a path and first words."""
    excepted = set()
    for line in (root / LIST).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            path, words, reason = (part.strip() for part in line.split("|"))
            if not reason:
                raise ValueError(f"{LIST}: {path} gives no reason")
            excepted.add((path, words))
    if len(excepted) > MAX_EXCEPTIONS:
        raise ValueError(f"{LIST}: {len(excepted)} exceptions are more than {MAX_EXCEPTIONS}")
    return excepted


def check_tree(root):
    """All comments that open without a subject and are not excepted, and exceptions that nothing needs, as lines."""
    excepted = read_list(root)
    needed = set()
    violations = []
    for file in files_below(root):
        path = file.relative_to(root).as_posix()
        for comment in found_in(file):
            fitting = {entry for entry in excepted if entry[0] == path and comment.text.startswith(entry[1])}
            needed |= fitting
            if not fitting:
                violations.append(f'{path}:{comment.line}: "{comment.text[:60]}" opens without a subject')
    violations += [f"{LIST}: nothing needs {path} | {words}" for path, words in sorted(excepted - needed)]
    return violations


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_tree, "Comments open with a subject."))
