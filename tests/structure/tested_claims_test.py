#!/usr/bin/env python3
"""Rows without a test, and with one that there is not, must be found, and no others."""
import unittest

import tested_claims

HEAD = "| what | bits | test |\n|---|---|---|\n"


def found(row, of_ctest=("mpi/a", "mpi/b_1", "gpu/c"), of_gtest=("Pool.Runs",)):
    return tested_claims.check(HEAD + row + "\n", list(of_ctest), set(of_gtest))


class TestedClaimsTest(unittest.TestCase):
    def test_rows_with_their_tests(self):
        for cell in ("`mpi/a`", "`mpi/a`, `mpi/b_*`", "`Pool.Runs`", "`gpu/c`, and more"):
            self.assertEqual(found(f"| `--threads` | same | {cell} |"), [], cell)

    def test_a_row_without_a_test(self):
        self.assertEqual(found("| `mpi/a` | same | none |"), ["docs/determinism.md:3: the last cell names no test"])

    def test_a_test_that_there_is_not(self):
        for name in ("mpi/b", "mpi/b_*_2", "Pool.Stops", "regression/a", "gpu/d"):
            self.assertEqual(found(f"| x | same | `mpi/a`, `{name}` |"),
                             [f"docs/determinism.md:3: there is no test '{name}'"])

    def test_a_build_without_gpus(self):
        self.assertEqual(found("| x | same | `gpu/d` |", of_ctest=("mpi/a",)), [])
        self.assertEqual(len(found("| x | same | `mpi/d` |", of_ctest=("mpi/a",))), 1)

    def test_other_tables(self):
        text = HEAD + "| x | same | `mpi/a` |\n\n| what | figure |\n|---|---|\n| x | 1 |\n"
        self.assertEqual(tested_claims.check(text, ["mpi/a"], set()), [])

    def test_no_table(self):
        self.assertEqual(tested_claims.check("text\n", [], set()), ["docs/determinism.md: there is no row of a table"])

    def test_a_cell_with_a_stroke(self):
        self.assertEqual(found("| `stop\\|skip` | same | `mpi/a` |"), [])


if __name__ == "__main__":
    unittest.main()
