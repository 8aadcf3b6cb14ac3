#!/usr/bin/env python3
"""Plants comments in small trees: those that open without a subject must be found, and no others."""
import unittest

import comment_openings
import planted_tree


def violations_of(text, excepted=""):
    """The violations of a tree with one header of that text."""
    return planted_tree.violations_of(comment_openings.check_tree, {"src/a.h": text, comment_openings.LIST: excepted})


class CommentOpeningsTest(unittest.TestCase):
    def check_found(self, text, line, **arguments):
        found = violations_of(text, **arguments)
        self.assertEqual(len(found), 1, text)
        self.assertTrue(found[0].startswith(f"src/a.h:{line}: "), found[0])

    def test_blocks(self):
        for words in ("Of who has the step.", "What a node is made of.", "Those that wait.", "Who polls ends it.",
                      "Whose slots these are.", "The same, of a task alone.", "Likewise for Send.",
                      "As Recv, but later.", "It blocks."):
            self.check_found(f"#pragma once\n\n// {words}\nint x;\n", 3)
            self.check_found(f"#pragma once\n  /// {words}\n", 2)

    def test_comments_behind_code(self):
        for words in ("of the node", "what it gives", "likewise", "as Recv"):
            self.check_found(f"int x;  // {words}\n", 1)
            self.check_found(f"int w;  // words\nint x;  // {words}\n", 2)

    def test_heads_of_files(self):
        for words in ("How a step ends.", "Which rank is lost.", "Where files lie.", "When a step ends."):
            self.check_found(f"// {words}\n#pragma once\n", 1)
            self.assertEqual(violations_of(f"#pragma once\n// {words}\n"), [])

    def test_openings_behind_other_comments(self):
        self.check_found("int x;  // words\n\n// Of the next.\nint y;\n", 3)
        self.check_found("// words\nint x;\n// Of the next.\nint y;\n", 3)
        self.check_found("const char* a = \"'\";  // of a quotation mark\n", 1)
        self.check_found("int a = 1'000;  // of a separator\n", 1)

    def test_what_opens_with_a_subject(self):
        for text in ("// A node of the graph.\n", "// Nodes\n// of the graph.\nint x;\n",
                     "int x;  // nodes\n        // of the graph\n", "// Offsets of it.\n", "// It's-named things.\n",
                     'const char* a = "// Of a text";\n', "auto a = R\"(\n// Of a text\n)\";\n", "#pragma once\n"):
            self.assertEqual(violations_of(text), [], text)

    def test_exceptions(self):
        text = "// As of version 2.\n"
        excepted = "# path | words | reason\nsrc/a.h | As of version | The name of a version follows.\n"
        self.assertEqual(violations_of(text, excepted), [])
        self.check_found(text + "int x;\n// Of x.\n", 3, excepted=excepted)
        found = violations_of("int x;\n", excepted)
        self.assertEqual(found, [f"{comment_openings.LIST}: nothing needs src/a.h | As of version"])

    def test_exceptions_need_a_reason(self):
        self.assertRaises(ValueError, violations_of, "// As of version 2.\n", "src/a.h | As of version |\n")

    def test_exceptions_are_few(self):
        lines = [f"src/a.h | Of {number} | A reason." for number in range(comment_openings.MAX_EXCEPTIONS + 1)]
        self.assertRaises(ValueError, violations_of, "// Of 1.\n", "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
