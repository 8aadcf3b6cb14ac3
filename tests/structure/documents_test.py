#!/usr/bin/env python3
"""Plants faults in the documents of small trees: each must be found at its line, and a clean tree must pass.

Usage: documents_test.py PROGRAM. PROGRAM is the built dfrun."""
import dataclasses
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import documents
from documentslib import checkout, markdown, spec_keys, yaml_blocks

ROOT = pathlib.Path(documents.__file__).resolve().parents[2]
LANGUAGE = None  # set below: what the program says of itself
PAGE = """# A page

Text with `code` and a [link](#a-part-of-it).

| key | meaning |
|---|---|
| `a` | one \\| two |

## A part of it

- An item
  goes on.
"""
SCRIPT = "#!/bin/sh\ncase $1 in --small) ;; esac\n"


class Tree:
    """A project of a few documents, in a folder of its own."""

    def __init__(self, files):
        self._folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self._folder.name)
        shutil.copytree(ROOT / "configs", root / "tree" / "configs", ignore=shutil.ignore_patterns("*.md"))
        for path, text in {"scripts/measure": SCRIPT, **files}.items():
            file = root / "tree" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (root / "run").mkdir()
        self.findings, self.counts, _ = documents.check(root / "tree", LANGUAGE, root / "run")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()


# Names that the author of a spec chooses: entries of sections, tensors, values that a function returns, params.
CHOSEN = re.compile(r"^  \w+(?=:)|^      \w+(?=: \{)|(?<=tensors: )\{.*|(?<=returns: )\{.*|(?<=params: )\{.*")


def with_a_wrong_key(fence, known):
    """(line, key, the block with another key in its place) of each key."""
    section = ""
    for place, text in enumerate(fence.body):
        code = re.sub(r"\s#.*", "", text)
        if head := yaml_blocks.HEAD.match(code):
            section = head[1]
        chosen = [match.span() for match in CHOSEN.finditer(code)] if section != "train" else []
        for match in re.finditer(r"(\w+):(?=\s|$)", code):
            if match[1] in known and not any(begin <= match.start() < end for begin, end in chosen):
                wrong = text[:match.end(1)] + "x" + text[match.end(1):]
                yield fence.line + 1 + place, match[1], [*fence.body[:place], wrong, *fence.body[place + 1:]]


class DocumentsTest(unittest.TestCase):
    def expect(self, text, *found):
        """Each of `found` is part of a finding in a document with the text, and there are no more findings than that."""
        with Tree({"docs/page.md": text}) as tree:
            for words in found:
                self.assertTrue(any(words in finding for finding in tree.findings), (words, tree.findings))
            self.assertEqual(len(tree.findings), len(found), tree.findings)

    def expect_more(self, text, *found):
        """As `expect`, where one fault may be found in several ways."""
        with Tree({"docs/page.md": text}) as tree:
            for words in found:
                self.assertTrue(any(words in finding for finding in tree.findings), (words, tree.findings))

    def test_clean(self):
        with Tree({"docs/page.md": PAGE, "README.md": "# It\n\nSee [the page](docs/page.md#a-part-of-it), `docs/page.md`.\n"}) as tree:
            self.assertEqual(tree.findings, [])
            self.assertEqual((tree.counts["documents"], tree.counts["links"], tree.counts["paths of files"]), (2, 2, 1))
            self.assertEqual(tree.counts["tables"], 1)

    def test_headings(self):
        self.expect_more("#A page\n", "docs/page.md:1: a heading needs a space")
        self.expect("Text.\n", "docs/page.md:1: a document begins with its one title")
        self.expect("# One\n\n# Two\n", "docs/page.md:1: a document begins with its one title")
        self.expect("# One\n\n### Two\n", "docs/page.md:3: the heading 'Two' is 2 levels below")

    def test_tables(self):
        self.expect(PAGE.replace("|---|---|\n", ""), "docs/page.md:5: the row under a table's head")
        self.expect(PAGE.replace("one \\| two", "one | two"), "docs/page.md:7: the row has 3 cells")
        self.expect(PAGE.replace("| `a` | one \\| two |", "a | one | two"), "docs/page.md:7: a row of a table begins")

    def test_long_rows(self):
        row = "| `a` | one \\| two |"
        for length, found in ((199, []), (200, ["docs/page.md:7: the row has 200 characters, and may have 199"])):
            long_row = f"| `a` | {'x' * (length - 10)} |"
            self.assertEqual(len(long_row), length)
            self.expect(PAGE.replace(row, long_row), *found)
            self.expect(PAGE.replace(row, long_row).replace("Text with", "Written by `scripts/measure`; text with"))
        text = "Words that are no row of a table may be as long as they like. " * 5
        self.expect(PAGE.replace("Text with", text + "Text with"))

    def test_a_torn_page(self):
        self.expect("# A\n\nOne YAML file is one job : the data,\n                           the graph.\n",
                    "docs/page.md:4: text is indented by less than four")
        self.expect("# A\n\n- Item\n  `cluster: {\n  gpus:\n    4}` each.\n", "docs/page.md:4: inline code ends",
                    "docs/page.md:6: inline code ends")
        self.expect("# A\n\nAt most 16 MiB.Anything that is more is an error.\n", "docs/page.md:3: a space is missing")
        self.expect("# A\n\n```yaml params: {\nhidden:\n  128}\n```\n", "docs/page.md:3: a block of code names its language")

    def test_blocks_of_code(self):
        self.expect("# A\n\n```\nx\n```\n", "docs/page.md:3: a block of code names its language")
        self.expect("# A\n\n```text\nx\n", "docs/page.md:3: the block of code does not end")
        self.expect("# A\n\n<!-- x\n", "docs/page.md:3: the comment does not end")

    def test_links(self):
        self.expect("# A\n\n[b](other.md)\n", "docs/page.md:3: the link goes to 'other.md': there is no file docs/other.md")
        self.expect("# A\n\n[b](#b)\n", "docs/page.md:3: the link goes to '#b': docs/page.md has no heading")
        self.expect("# A\n\n[`b`](page.md#b)\n", "has no heading with the anchor 'b'")
        self.expect("# A\n\n[b](../../outside)\n", "there is no file")
        self.expect("# A\n\n`scripts/absent` and `configs/{figure1,absent}.yaml`\n", "docs/page.md:3: there is no file scripts/absent",
                    "docs/page.md:3: there is no file configs/absent.yaml")

    def test_the_index(self):
        for links, found in (("[a](page.md)", []), ("[a](../README.md)", ["docs/README.md:1: the index has no link to docs/page.md"])):
            with Tree({"docs/README.md": f"# Pages\n\n{links}\n", "docs/page.md": PAGE, "README.md": "# It\n"}) as tree:
                self.assertEqual(tree.findings, found)

    def test_anchors(self):
        self.expect("# A `b/c`, d\n\n## It's `x_y`\n\n## It's `x_y`\n\n[](#a-bc-d) [](#its-x_y) [](#its-x_y-1)\n")

    def test_whole_specs(self):
        spec = "dfrun: 1\ngraph:\n  x: {op: Const, value: 1.0}\nrun: {fetch: [x]}\n"
        self.expect(f"# A\n\n```yaml\n{spec}```\n")
        self.expect(f"# A\n\n```yaml\n{spec.replace('fetch', 'fetsch')}```\n", "docs/page.md:7: `dfrun check` of this YAML: ")
        self.expect(f"# A\n\n```yaml\n{spec.replace('op: Const', 'op: Konst')}```\n", "docs/page.md:6: ")

    def test_a_wrong_key_in_a_piece(self):
        for piece in ("params: {a: 1}", "cluster: {gpus: 1}", "train: {on_nan: skip}", "run: {steps: 2}",
                      "eval:\n  every: 5", "checkpoint: {every: 5}", "summaries: {scalars: [loss]}", "trace: {steps: 3}",
                      "inputs:\n  batch:\n    hdf5: data/digits.h5\n    tensors: {image: /train/image}\n    batch: 5",
                      "functions:\n  f:\n    args: [x]\n    returns: Neg(x)", "graph:\n  y: {op: Const, value: 1.0}"):
            with self.subTest(piece):
                self.expect(f"# A\n\n```yaml\n{piece}\n```\n")
                wrong = piece + "\n    wrogn: 1" if "inputs" in piece or "functions" in piece else piece
                wrong = wrong.replace("every", "evry").replace("steps", "stepps").replace("gpus", "gpuss")
                wrong = wrong.replace("on_nan", "on_nann").replace("scalars", "skalars").replace("value:", "valeu:")
                wrong = wrong.replace("params: {a", "parms: {a")
                self.assertNotEqual(piece, wrong)
                self.expect_more(f"# A\n\n```yaml\n{wrong}\n```\n", "`dfrun check` of this YAML: ")

    def test_each_key_of_the_page_of_the_spec(self):
        page = markdown.Document("docs/spec.md", (ROOT / "docs" / "spec.md").read_text(encoding="utf-8"))
        known = set().union(*(spec_keys.keys_of(value) for value in LANGUAGE.schema["properties"].values()))
        known |= set(LANGUAGE.schema["properties"]) | {"op", "inputs", "control", "device", "colocate_with", "axis", "shape"}
        with tempfile.TemporaryDirectory() as folder:
            checks = yaml_blocks.Checks(LANGUAGE.schema["properties"], checkout.Checkout(ROOT, LANGUAGE.program, folder))
            planted = 0
            for fence in page.fences:
                note = yaml_blocks.NOTE.match(fence.note)
                if fence.language != "yaml" or note and note[1] == "not checked":
                    continue
                for line, key, body in with_a_wrong_key(fence, known):
                    document = markdown.Document("page.md", "")
                    checks.check_fence(document, dataclasses.replace(fence, body=body))
                    self.assertTrue(document.findings, f"docs/spec.md:{line}: a wrong key in place of '{key}' was not found")
                    planted += 1
        self.assertGreater(planted, 50)

    def test_a_wrong_key_in_a_sentence(self):
        self.expect("# A\n\nWith `trace: {steps: 3}` it is traced.\n")
        self.expect("# A\n\nWith `trace: {stepps: 3}` it is traced.\n", "docs/page.md:3: `dfrun check` of this YAML: ")

    def test_notes_of_pieces(self):
        block = "```yaml\ngraph:\n  y: Neg(x)\n```\n"
        note = "<!-- checked with:\ngraph:\n  x: {op: Const, value: 1.0}\n-->\n"
        self.expect(f"# A\n\n{block}", "docs/page.md:5: `dfrun check` of this YAML: ")
        self.expect(f"# A\n\n{note}{block}")
        self.expect(f"# A\n\n{note.replace('value', 'valeu')}{block}", "docs/page.md:5: `dfrun check` of this YAML: ")
        self.expect(f"# A\n\n<!-- not checked: an example of what is wrong -->\n{block}")
        self.expect(f"# A\n\n<!-- unchecked -->\n{block}", "docs/page.md:3: the comment above", "docs/page.md:6: ")

    def test_options(self):
        self.expect("# A\n\n`dfrun check SPEC --ranks 4`, `--ranks`, `scripts/measure --small`\n")
        self.expect("# A\n\n`dfrun check SPEC --rank 4`\n", "docs/page.md:3: `dfrun check` has no option --rank")
        self.expect("# A\n\n`dfrun SPEC --fetsch x`\n", "docs/page.md:3: `dfrun run` has no option --fetsch")
        self.expect("# A\n\n`mpirun -np 2 dfrun bench p2p --jsonn x`\n", "`dfrun bench p2p` has no option --jsonn")
        self.expect("# A\n\nWith `--fetsch` it is.\n", "docs/page.md:3: no command of dfrun and no script has the option --fetsch")
        self.expect("# A\n\n`dfrun bench p3p`\n", "docs/page.md:3: `dfrun bench` has no command 'p3p'")
        self.expect("# A\n\n`dfrun chekc SPEC`\n", "docs/page.md:3: dfrun has no command 'chekc'")
        self.expect("# A\n\n```sh\nscripts/measure --big   # all\n```\n", "docs/page.md:4: scripts/measure has no option --big")
        self.expect("# A\n\n```sh\nscripts/absent\n```\n", "docs/page.md:4: there is no file scripts/absent")

    def test_commands(self):
        block = "# A\n\n```sh\ndfrun graph configs/digits_mlp.yaml --text \\\n  --after place  # x\n```\n"
        with Tree({"docs/page.md": block}) as tree:
            self.assertEqual((tree.findings, tree.counts["commands run"]), ([], 1))
        self.expect(block.replace("place", "plaice"), "docs/page.md:4: `dfrun graph configs/digits_mlp.yaml --text")
        self.expect("# A\n\n`dfrun graph SPEC --text --after plaice`\n", "docs/page.md:3: `dfrun graph")
        with Tree({"docs/page.md": "# A\n\n```sh\ndfrun check model.yaml\nscripts/measure && dfrun info\ndfrun graph SPEC --pb\n```\n"}) as tree:
            self.assertEqual((tree.findings, tree.counts.get("commands run", 0)), ([], 0))

    def test_a_spec_with_its_data(self):
        data = "<!-- run whole -->\n```sh\nline() { echo \"1,2\"; }\nfor i in 1 2 3; do line; done > my.csv\n```\n"
        spec = ("<!-- file: my.yaml -->\n```yaml\ndfrun: 1\ninputs: {b: {csv: my.csv, tensors: {x: {from: 0}}, batch: 3}}\n"
                "graph: {y: Sum(b/x)}\nrun: {fetch: [y]}\n```\n")
        runs = "```sh\ndfrun my.yaml --output run/my\n```\n"
        with Tree({"docs/page.md": f"# A\n\n{data}\n{spec}\n{runs}"}) as tree:
            self.assertEqual((tree.findings, tree.counts["commands run"]), ([], 2))
        self.expect(f"# A\n\n{data}\n{spec.replace('fetch: [y]', 'fetch: [z]')}", "docs/page.md:14: `dfrun check` of this YAML: ")
        self.expect(f"# A\n\n{data.replace('line; done', 'lime; done')}", "docs/page.md:4: the block ended with 127")
        self.expect(f"# A\n\n{data.replace('run whole', 'run')}", "docs/page.md:3: the comment above a block of commands")
        self.expect("# A\n\n<!-- not run: -->\n```sh\nls\n```\n", "docs/page.md:3: the comment above a block of commands")

    def test_keys_of_the_schema(self):
        text = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8").replace("on_nan", "on_none")
        with Tree({"docs/spec.md": text}) as tree:
            self.assertTrue(any("the key 'on_nan' of the section 'train'" in each for each in tree.findings), tree.findings)


if __name__ == "__main__":
    LANGUAGE = documents.Language(sys.argv.pop(1))
    unittest.main()
