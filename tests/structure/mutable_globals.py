#!/usr/bin/env python3
"""Checks that no variable outlives the objects of a rank or a job unless it is the process's and a reason is given:
variables of a namespace, static members, static variables in functions, and those of threads.

Usage: mutable_globals.py ROOT. Prints each such variable that may change and stands in no line of mutable_globals.txt,
and each line that no variable has; the status is 1 if there is one. The list holds a path, the variable's name and the
reason, between vertical bars. Registries (Registry<T>) are whole before main() and need no line."""
import pathlib
import re
import sys

import source_tree

LIST = "tests/structure/mutable_globals.txt"

# What may hold a brace, a semicolon or a keyword that is none of the code's: comments, strings, characters, directives.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\b\d[\w\']*|\'(?:[^\'\\\n]|\\.)*\'|'
                     r"^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
TYPE_HEAD = re.compile(r"\b(?:class|struct|union)\b(?![^<>]*>)")
# Statements of a namespace or a class that define no variable.
NO_VARIABLE = re.compile(r"(?:using|typedef|friend|template|static_assert|extern|namespace|class|struct|union|enum|public|"
                         r"private|protected|return|goto|case|default|asm)\b")
ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]|\b(?:alignas|GUARDED_BY|PT_GUARDED_BY|REQUIRES|EXCLUDES|ACQUIRED_\w+)\s*\([^()]*\)")
SPECIFIER = re.compile(r"\b(?:static|inline|thread_local|constinit|extern|mutable|volatile|__extension__)\b")


def without_text(text):
    """The code alone: comments, directives and what strings hold become blanks of as many lines."""
    def blank(match):
        word = match[0]
        if word[0].isdigit():
            return re.sub(r"[^\n]", "0", word)
        return ('""' if word[0] in "\"'R" else "") + "\n" * word.count("\n")
    return NO_CODE.sub(blank, text)


def innermost(text, opening, closing):
    """The text without what stands within brackets of this kind."""
    depth, out = 0, []
    for character in text:
        depth += character == opening
        if depth == 0:
            out.append(character)
        depth -= character == closing and depth > 0
    return "".join(out)


def may_change(declaration):
    """Whether a variable's value can be changed: its own const counts, not that of what it points to."""
    if re.search(r"\bconstexpr\b", declaration):
        return False
    own = innermost(declaration, "<", ">")
    if "&" in own:
        return not re.search(r"\bconst\b[^*]*&", own)
    if "*" in own:
        return not re.search(r"\*\s*const\b[^*]*$", own)
    return not re.search(r"\bconst\b", own)


def variable_of(statement, block):
    """The name of the variable that may change which a statement in a block of this kind defines, or None."""
    statement = ATTRIBUTE.sub(" ", statement)
    statement = re.sub(r"^(?:\s*(?:public|private|protected)\s*:)+", "", " ".join(statement.split())).strip()
    specifiers = set(SPECIFIER.findall(statement.partition("=")[0]))
    if block != "namespace" and not specifiers & {"static", "thread_local"}:
        return None
    bare = SPECIFIER.sub("", statement).strip()
    bare = re.sub(r"^(?:struct|class|union) (?=[\w:]+ \w+ ?(?:=|$))", "", bare)
    if not bare or NO_VARIABLE.match(bare):
        return None
    declaration = bare.partition("=")[0].strip()
    plain = innermost(innermost(declaration, "<", ">"), "[", "]").strip()
    if "(" in plain or "operator" in plain or not re.fullmatch(r"[\w:\s*&]+", plain):
        return None
    match = re.search(r"(?:^|[\s*&])([\w:]+)$", plain)
    if not match or not plain[:match.start(1)].strip() or not may_change(declaration):
        return None
    if re.search(r"\bRegistry$", plain[:match.start(1)].replace("&", "").strip()):
        return None
    return match[1]


def kind_of_block(head, outer):
    """What a brace opens behind the text since the last statement: a namespace, a class, a function's code, or the
    initial value of a variable."""
    head = ATTRIBUTE.sub(" ", head).strip()
    if re.search(r"\bnamespace\b[\s\w:]*$", head) or re.search(r'\bextern\s*""\s*$', head):
        return "namespace"
    if outer == "function" or outer == "value":
        if TYPE_HEAD.match(re.sub(r"^template\s*<.*>\s*", "", head)) and "(" not in head:
            return "class"
        if re.match(r"(?:static|thread_local|constinit)\b", head) and not head.endswith(")") and "[" not in head:
            return "value"
        return "value" if head.endswith(("=", ",", "(", "{", "return")) else "function"
    if re.search(r"\benum\b", head):
        return "value"
    if TYPE_HEAD.search(head.partition("=")[0]) and not head.endswith(")") and "=" not in innermost(head, "<", ">"):
        return "class"
    if head.endswith(("=", ",", "(", "{")) or re.search(r"=[^=]*$", innermost(head, "(", ")")) and "]" not in head:
        return "value"
    if re.search(r"\)[^()]*$", head) or head.endswith(("try", "else", "do")):
        return "function"
    return "value"


def variables_of(text):
    """The variables that may change and are not an object's or a call's: line and name."""
    code = without_text(text)
    stack, heads, line, found = ["namespace"], [""], 1, []
    depth = 0  # of round brackets, in which a semicolon ends no statement
    depths = []
    for character in code:
        line += character == "\n"
        if character == "{":
            stack.append(kind_of_block(heads[-1], stack[-1]))
            heads.append("")
            depths.append(depth)
            depth = 0
        elif character == "}" and len(stack) > 1:
            kind = stack.pop()
            heads.pop()
            depth = depths.pop()
            if kind != "value" and not depth:
                heads[-1] = ""
            elif kind == "value" and "=" not in heads[-1]:
                heads[-1] += " = 0"
        elif character == ";" and depth == 0:
            name = variable_of(heads[-1], stack[-1]) if stack[-1] != "value" else None
            if name:
                found.append((line, name))
            heads[-1] = ""
        else:
            depth += (character == "(") - (character == ")")
            heads[-1] += character
    return found


def reasons(root):
    """The list's lines: (path, name) -> the reason, "" where there is none."""
    listed = {}
    for line in (root / LIST).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            path, name, reason = ([part.strip() for part in line.split("|", 2)] + ["", ""])[:3]
            listed[path, name] = reason
    return listed


def check_tree(root):
    """All violations below root, as lines of text."""
    listed = reasons(root)
    violations = [f"{LIST}: {path} | {name} has no reason" for (path, name), reason in listed.items() if not reason]
    seen = set()
    for file in source_tree.source_files(root):
        path = file.relative_to(root).as_posix()
        for line, name in variables_of(file.read_text(encoding="utf-8")):
            seen.add((path, name))
            if (path, name) not in listed:
                violations.append(f"{path}:{line}: '{name}' may change and is the whole process's, or a thread's: make it"
                                  f" a member of what uses it, or give the reason in {LIST}")
    violations += [f"{LIST}: no variable is {path} | {name}" for path, name in sorted(listed.keys() - seen)]
    return violations


if __name__ == "__main__":
    sys.exit(source_tree.main(__doc__, check_tree, "No state of a rank or a job is global."))
