#!/usr/bin/env python3
"""Changes small trees, and asks scripts/touched-tests which unit tests that touches."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "touched-tests"
LOADER = importlib.machinery.SourceFileLoader("touched_tests", str(SCRIPT))
touched_tests = importlib.util.module_from_spec(importlib.util.spec_from_loader("touched_tests", LOADER))
LOADER.exec_module(touched_tests)

TREE = {
    "kernels/nn/conv/conv_cpu.cc": "",
    "kernels/nn/conv/conv.h": "",
    "src/hdf5/row.h": "",
    "docs/page.md": "",
    "tests/unit/nn/conv/conv_test.cc": '#include "kernels/nn/conv/conv.h"\n',
    "tests/unit/io/rows_test.cc": '#include "src/hdf5/row.h"\n',
    "tests/unit/math/add_test.cc": "",
    "tests/unit/testing/helper.cc": '#include "src/hdf5/row.h"\n',
}


class Tree:
    """A checkout of one commit, on main."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name)
        for path, text in TREE.items():
            self.write(path, text)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def git(self, *words):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "tests: change a file")

    def write(self, path, text="// changed\n"):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def touched(self, commit=""):
        return touched_tests.touched(self.root, touched_tests.changed_files(self.root, commit))


class TouchedTestsTest(unittest.TestCase):
    def test_by_folder(self):
        with Tree() as tree:
            tree.write("kernels/nn/conv/conv_cpu.cc")
            self.assertEqual(tree.touched(), ["nn"])

    def test_by_include(self):
        with Tree() as tree:
            tree.write("src/hdf5/row.cc")  # a new file, whose header a test of another folder includes
            self.assertEqual(tree.touched(), ["io"])

    def test_tests_themselves_and_documents(self):
        with Tree() as tree:
            tree.write("docs/page.md")
            self.assertEqual(tree.touched(), [])
            tree.write("tests/unit/math/add_test.cc")
            self.assertEqual(tree.touched(), ["math"])

    def test_a_moved_file_touches_both_ends(self):
        with Tree() as tree:
            (tree.root / "kernels/math").mkdir()
            tree.git("mv", "kernels/nn/conv/conv.h", "kernels/math/conv.h")
            self.assertEqual(tree.touched(), ["math", "nn"])

    def test_commits(self):
        with Tree() as tree:
            tree.write("kernels/math/add.cc")
            tree.commit()
            self.assertEqual(tree.touched(), ["math"])  # main with nothing new: its last commit
            tree.git("checkout", "-q", "-b", "topic")
            tree.write("kernels/nn/relu.cc")
            tree.commit()
            self.assertEqual(tree.touched(), ["nn"])  # what the branch has beyond main
            self.assertEqual(tree.touched("HEAD~2"), ["math", "nn"])


if __name__ == "__main__":
    unittest.main()
