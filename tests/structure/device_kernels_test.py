#!/usr/bin/env python3
"""Plants kernels of GPUs in small trees: those that read or write memory too early must be found, and no others."""
import unittest

import device_kernels
import planted_tree

HEAD = "template <class T>\nDF_DEVICE_KERNEL void Scale(const T* x, T* y, Range range, const int* gate) {\n"


def violations_of(body):
    """Of a tree with one kernel of that body."""
    return planted_tree.violations_of(device_kernels.check_tree, {"kernels/a_cuda.cu": HEAD + body + "\n}\n"})


class GpuKernelsTest(unittest.TestCase):
    def test_early_accesses(self):
        for body in ("if (gate != nullptr && *gate == 0) return;\nconst int64_t i = GlobalThreadId();",
                     "const T first = x[0];\ny[GlobalThreadId()] = first;",
                     "const int64_t n = range->end;\nconst int64_t i = GlobalBlockId();",
                     "y[ThreadInBlock()] = 0;"):
            found = violations_of(body)
            self.assertEqual(len(found), 1, body)
            self.assertIn("kernels/a_cuda.cu:2: Scale reads", found[0])

    def test_what_is_no_access(self):
        for body in ("const int64_t i = GlobalThreadId();\nif (*gate != 0) y[i] = x[i];",
                     "// y[0] = x[0]\nint64_t mine[kItems];\nDF_DEVICE_SHARED(T, part, 2 * kItems);\n"
                     "const int64_t i = 2 * GlobalBlockId();\ny[i] = x[i];",
                     "Flags mine;\nmine.Add(x, GlobalBlockId() * kTile);\ny[0] = mine.count;",
                     "using Part = RowPart<T>;\nconst int64_t row = Part::Row();\ny[row] = x[row];"):
            self.assertEqual(violations_of(body), [], body)


if __name__ == "__main__":
    unittest.main()
