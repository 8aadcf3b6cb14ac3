#!/usr/bin/env python3
"""Checks that code, documents and messages use the field's words: none of those that banned_words.list lists.

Usage: banned_words.py ROOT [--counts]. Prints each banned word with the word to use, or how often each stands there;
the status is 1 if there is one. A line of the list is "SCOPE | WORD | WORD TO USE", and maybe "| PATHS": patterns of
the only files that it is for, with blanks between. The scopes:

  any    a part of a name, or a word, everywhere: "cat" in CatPool, on_cat and "a cat", not in concat
  code   a part of a name in code, of a path, and of a name that a text mentions: "cat flap" in CatFlapTest, and "flap"
         in CatFlap, but not in "They flap."
  prose  a word of a text, which is a comment, a string or a document
  name   this very name, in code, in paths, and where a text mentions it, unless it is a plain word there

Names of TensorFlow's ops and of other libraries are excepted, and golden files are. "allow | PATHS | NAME | REASON"
excepts one more name."""
import collections
import fnmatch
import functools
import pathlib
import re
import sys

from comment_openings import TOKEN
import source_tree

LIST = "tests/structure/banned_words.list"
OPS = "tests/golden/registry/ops.txt"
TOPS = source_tree.TOPS + ["cmake", "configs", "docs", "examples", "scripts", "tests"]
SUFFIXES = source_tree.SUFFIXES | {".cmake", ".md", ".proto", ".py", ".sh", ".slurm", ".txt", ".yaml"}
# Files of other programs, or that tests compare with; but what people write there counts.
GOLDEN = ("tests/golden/", "tests/fuzz/corpus/")
WRITTEN = {".md", ".py"}
# The list itself, and its check, which shows examples.
OWN = {LIST, "tests/structure/banned_words.py", "tests/structure/banned_words_test.py"}

# Names of libraries begin so.
OF_LIBRARIES = re.compile(r"cuda[A-Z]|cudnn|CUDNN|cublas|CUBLAS|cusolver|cusparse|cufft|CUFFT|nvrtc|cu[A-Z]|CU_|P?MPI_|"
                          r"uc[pst]_|UC[PST]_|H5|hwloc|HWLOC|DNNL|dnnl|YAML|CLI|GTEST|EXPECT_|ASSERT_|INSTANTIATE_")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


@functools.lru_cache(maxsize=None)
def parts_of(name):
    """The parts of a name in small letters, between spaces: " unit cut test "."""
    return f" {' '.join(part.lower() for part in PART.findall(name))} "


@functools.lru_cache(maxsize=None)
def is_compound(name):
    """Whether a word of a text is a name of the code: NodeOrder, node_order, NODE_ORDER."""
    return "_" in name.strip("_") or re.search(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]", name) is not None


class Rule:
    """A line of the list."""

    def __init__(self, scope, word, use, paths="*"):
        self.scope = scope
        self.word = word
        self.use = use
        self.paths = paths.split()

    def is_for(self, path):
        return fits(path, tuple(self.paths))

    def is_broken_by(self, name, is_code):
        is_name = is_code or is_compound(name)
        if self.scope == "name":
            return is_name and name == self.word
        return self.scope in ("any", "code" if is_name else "prose") and f" {self.word} " in parts_of(name)


@functools.lru_cache(maxsize=None)
def fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


class Rules:
    """The list."""

    def __init__(self, text):
        self.rules = []
        self.allowed = []  # (patterns of paths, name)
        self.needed = set()
        for line in text.splitlines():
            fields = [field.strip() for field in line.split("|")]
            if line == "" or line.startswith("#"):
                continue
            if fields[0] == "allow" and len(fields) == 4 and all(fields):
                self.allowed.append((fields[1], fields[2]))
            elif fields[0] in ("any", "code", "prose", "name") and len(fields) in (3, 4) and all(fields):
                self.rules.append(Rule(*fields))
            else:
                raise ValueError(f"{LIST}: '{line}' is no rule")

    @functools.lru_cache(maxsize=None)
    def broken_by(self, name, is_code):
        """All rules that the name breaks somewhere."""
        return [rule for rule in self.rules if rule.is_broken_by(name, is_code)]

    def broken_at(self, path, name, is_code):
        """The first rule that the name breaks in that file, or None."""
        broken = next((rule for rule in self.broken_by(name, is_code) if rule.is_for(path)), None)
        return None if broken is None or self.is_allowed(path, name) else broken

    def is_allowed(self, path, name):
        for allowed in self.allowed:
            if allowed[1] == name and fits(path, tuple(allowed[0].split())):
                self.needed.add(allowed)
                return True
        return False


def is_checked(path):
    name = path.as_posix()
    if name in OWN or not (path.suffix in SUFFIXES or path.name == "CMakeLists.txt"):
        return False
    return path.suffix in WRITTEN or not name.startswith(GOLDEN)


def paths_of(root):
    """The files that are checked, relative to root."""
    files = [file for top in TOPS for file in (root / top).rglob("*")] + list(root.glob("*.*"))
    return sorted(path for path in (file.relative_to(root) for file in files if file.is_file()) if is_checked(path))


def ops_of(root):
    """TensorFlow's names of ops: those of the registry that are not dfrun's own, which begin with '_'."""
    text = (root / OPS).read_text(encoding="utf-8") if (root / OPS).exists() else ""
    return set(re.findall(r"^([A-Z]\w*)\(", text, re.MULTILINE))


def texts_of_code(text):
    """Where comments and strings of C++ stand, as pairs of offsets."""
    return [match.span() for match in TOKEN.finditer(text) if text[match.start()] in "/\"R"]


def names_in(path, text):
    """Each name with its offset, and whether it stands in code."""
    texts = texts_of_code(text) if path.suffix in source_tree.SUFFIXES else [(0, len(text))]
    at = 0
    for match in NAME.finditer(text):
        while at < len(texts) and texts[at][1] <= match.start():
            at += 1
        yield match[0], match.start(), not (at < len(texts) and texts[at][0] <= match.start())


def findings_of(root, rules):
    """The names that break rules: (path, line, name, rule). Line 0 is the path itself."""
    excepted = ops_of(root)

    def rule_broken(path, name, is_code):
        if name in excepted or OF_LIBRARIES.match(name):
            return None
        return rules.broken_at(path.as_posix(), name, is_code)

    for path in paths_of(root):
        for name in NAME.findall(path.as_posix()):
            if rule := rule_broken(path, name, True):
                yield path.as_posix(), 0, name, rule
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        banned = {name for name in NAME.findall(text) if rules.broken_by(name, True) or rules.broken_by(name, False)}
        for name, offset, is_code in names_in(path, text) if banned else ():
            if name in banned and (rule := rule_broken(path, name, is_code)):
                yield path.as_posix(), text.count("\n", 0, offset) + 1, name, rule


def check_tree(root):
    """All findings as lines of text, and exceptions that nothing needs."""
    rules = Rules((root / LIST).read_text(encoding="utf-8"))
    violations = [f"{path}:{line}: {name}: use {rule.use}" if line else f"{path}: {name}: use {rule.use}"
                  for path, line, name, rule in findings_of(root, rules)]
    return violations + [f"{LIST}: nothing needs allow | {path} | {name}" for path, name in rules.allowed
                         if (path, name) not in rules.needed]


def count_tree(root):
    """How often each rule is broken, and in how many files."""
    counts = collections.Counter()
    files = collections.defaultdict(set)
    for path, _, _, rule in findings_of(root, Rules((root / LIST).read_text(encoding="utf-8"))):
        counts[rule] += 1
        files[rule].add(path)
    return [f"{count:5} in {len(files[rule]):3} files: {rule.scope} | {rule.word}"
            for rule, count in counts.most_common()]


if __name__ == "__main__":
    if sys.argv[2:] == ["--counts"]:
        print("\n".join(count_tree(pathlib.Path(sys.argv[1]))))
        sys.exit(0)
    sys.exit(source_tree.main(__doc__, check_tree, "Words are the field's."))
