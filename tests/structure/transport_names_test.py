#!/usr/bin/env python3
"""Plants names of transports in small trees: each must be found, and a clean tree must pass."""
import unittest

import planted_tree
import transport_names

PIGEONS = {"comm/pigeons/registration.cc": '// As the registry shows it.\nTRANSPORT("pigeons", {.priority = 3});'}


def violations_of(files):
    """files: path -> text, beside a transport."""
    files = {path: text + "\n" for path, text in {**PIGEONS, **files}.items()}
    return planted_tree.violations_of(transport_names.check_tree, files)


class TransportNamesTest(unittest.TestCase):
    def test_names(self):
        found = violations_of({"comm/bootstrap/a.cc": '\nif (name == "pigeons") Feed();', "jobs/b.cc": 'Use("pigeons");'})
        self.assertEqual(len(found), 2, found)
        self.assertIn("comm/bootstrap/a.cc:2:", found[0])
        self.assertIn("jobs/b.cc:1:", found[1])

    def test_where_they_may_stand(self):
        self.assertEqual(violations_of({
            "comm/pigeons/transport.h": 'std::string_view name() const { return "pigeons"; }',
            "src/a.cc": '// TRANSPORT("pigeons", ...), say.\nPrint("no pigeons here");',
        }), [])


if __name__ == "__main__":
    unittest.main()
