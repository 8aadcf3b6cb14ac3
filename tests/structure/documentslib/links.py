"""Links between documents, and paths of files that documents name as code."""
import os
import re

from . import markdown

LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
BY_NAME = re.compile(r"^\s*\[[^\[\]]+\]:\s")
# What is in the program's own folders; a path that begins elsewhere is the reader's.
TOPS = "cmake|comm|configs|docs|examples|jobs|kernels|scripts|src|tests"
PATH = re.compile(rf"^(?:{TOPS})/[\w./*{{}},+-]*$")


def anchors_of(document):
    """By GitHub's rule: the text in small letters without marks, - for a space, -1 and so on behind one that is there."""
    anchors = set()
    for _, _, text in document.headings:
        text = LINK.sub(r"\1", text)
        text = re.sub(r"[*`]", "", text)
        base = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        anchor, number = base, 0
        while anchor in anchors:
            number += 1
            anchor = f"{base}-{number}"
        anchors.add(anchor)
    return anchors


def without_code(text):
    """The text with inline code of equal length that holds nothing, so that links whose text is code are still links."""
    return markdown.CODE_SPAN.sub(lambda match: "x" * len(match[0]), text)


def check_links(documents, root):
    """`documents`: by path. Links to other sites are not followed. Gives how many links there are."""
    count = 0
    for document in documents.values():
        for line in document.prose:
            bare = without_code(line.text)
            if BY_NAME.match(bare):
                document.find(line.number, "a link is written [text](target), not by a name that is given elsewhere")
            for match in LINK.finditer(bare):
                count += 1
                check_target(document, line.number, match[2], documents, root)
    return count


def check_target(document, line, target, documents, root):
    if re.match(r"^[a-z]+:", target):
        return
    name, _, anchor = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(document.path), name)) if name else document.path
    if path.startswith("..") or not (root / path).exists():
        document.find(line, f"the link goes to '{target}': there is no file {path}")
    elif anchor and path not in documents:
        document.find(line, f"the link goes to '{target}': {path} is no document with headings")
    elif anchor and anchor not in anchors_of(documents[path]):
        document.find(line, f"the link goes to '{target}': {path} has no heading with the anchor '{anchor}'")


def check_index(documents):
    """Every page of docs is linked from docs/README.md, where there is one, so that a reader finds it."""
    index = documents.get("docs/README.md")
    if not index:
        return
    linked = {match[2] for line in index.prose for match in LINK.finditer(without_code(line.text))}
    for path in documents:
        folder, name = os.path.split(path)
        if folder == "docs" and path != index.path and name not in linked:
            index.find(1, f"the index has no link to {path}")


def check_paths(documents, root):
    """Inline code that is a path of the checkout. Gives how many there are."""
    count = 0
    for document in documents.values():
        for span in document.spans:
            if not PATH.match(span.text):
                continue
            count += 1
            for path in alternatives_of(span.text):
                if not any(root.glob(path.rstrip("/"))):
                    document.find(span.line, f"there is no file {path}")
    return count


def alternatives_of(path):
    """`a.{h,cc}` is two paths."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [each for word in match[1].split(",") for each in alternatives_of(path[:match.start()] + word + path[match.end():])]
