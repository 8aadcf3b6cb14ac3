#!/usr/bin/env python3
"""Plants violations of the include order in small trees: each must be found, and a clean tree must pass."""
import unittest

import include_order
import planted_tree


def violations_of(files):
    """files: path -> list of included names, in quotes unless they begin with '<'."""
    def text_of(includes):
        lines = [f"#include {name}" if name.startswith("<") else f'#include "{name}"' for name in includes]
        return "// A file.\n" + "\n".join(lines) + "\n"

    return planted_tree.violations_of(include_order.check_tree, {path: text_of(each) for path, each in files.items()})


class IncludeOrderTest(unittest.TestCase):
    def check_one(self, files, expected):
        found = violations_of(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])

    def test_clean_tree(self):
        self.assertEqual(violations_of({
            "src/base/status.h": ["<string>"],
            "src/framework/op.h": ["src/base/status.h", "<vector>"],
            "src/checkpoint/writer.h": ["src/base/status.h", "<hdf5.h>"],
            "src/graph/graph.proto": [],
            "src/graph/graph.cc": ["src/graph/graph.pb.h", "src/framework/op.h"],
            "kernels/math/tanh_op.cc": ["src/framework/op.h", "kernels/engine/broadcast.h"],
            "kernels/engine/broadcast.h": ["src/base/status.h"],
            "kernels/checkpoint/save_op.cc": ["src/checkpoint/writer.h"],
            "src/passes/pass.h": ["src/graph/graph.pb.h"],
            "kernels/device/tpu_pass.h": ["src/passes/pass.h"],
            "kernels/math/tanh_pass.cc": ["src/passes/pass.h", "src/graph/graph.pb.h", "kernels/engine/broadcast.h"],
            "comm/transport.h": ["src/base/status.h"],
            "comm/mpi/transport.cc": ["comm/transport.h", "<mpi.h>"],
            "jobs/main.cc": ["comm/transport.h", "kernels/engine/broadcast.h", "src/graph/graph.pb.h"],
        }), [])

    def test_upward(self):
        self.check_one({"src/base/a.h": ["src/graph/b.h"], "src/graph/b.h": []}, "src/base/a.h:2: may not include")

    def test_src_never_includes_what_stands_on_it(self):
        for target in ("kernels/math/b.h", "comm/b.h", "jobs/b.h"):
            self.check_one({"src/session/a.cc": [target], target: []}, "may not include")

    def test_kernels_and_comm_know_the_contracts_only(self):
        for path in ("kernels/math/a.cc", "comm/mpi/a.cc", "kernels/checkpoint/a.cc"):
            self.check_one({path: ["src/graph/b.h"], "src/graph/b.h": []}, "may not include")
        self.check_one({"kernels/math/a.cc": ["src/checkpoint/b.h"], "src/checkpoint/b.h": []}, "may not include")
        self.check_one({"kernels/math/a_pass.h": ["src/graph/b.h"], "src/graph/b.h": []}, "may not include")
        self.check_one({"kernels/math/a_pass.cc": ["src/session/b.h"], "src/session/b.h": []}, "may not include")
        self.check_one({"src/passes/a_pass.cc": ["src/session/b.h"], "src/session/b.h": []}, "may not include")
        self.check_one({"kernels/math/a.cc": ["comm/b.h"], "comm/b.h": []}, "may not include")
        self.check_one({"comm/mpi/a.cc": ["kernels/math/b.h"], "kernels/math/b.h": []}, "may not include")

    def test_the_library_of_products_knows_no_ops(self):
        for target in ("kernels/matrix/b.h", "kernels/nn/b.h"):
            self.check_one({"kernels/gemm/a.cc": [target], target: []}, "may not include")
        self.assertEqual(violations_of({
            "kernels/gemm/a.h": ["kernels/array/b.h", "src/base/b.h"],
            "kernels/array/b.h": [],
            "src/base/b.h": [],
            "kernels/matrix/c.cc": ["kernels/gemm/a.h"],
        }), [])

    def test_relative_to_the_file(self):
        self.check_one({"src/base/a.h": ["b.h"], "src/base/b.h": []}, "not the path of a file from the root")

    def test_absent_file(self):
        self.check_one({"src/base/a.h": ["src/base/gone.h"]}, "not the path of a file from the root")

    def test_angle_brackets(self):
        self.check_one({"src/base/a.h": ["<src/base/b.h>"], "src/base/b.h": []}, "with quotes")

    def test_library_in_a_framework_header(self):
        self.check_one({"src/framework/a.h": ["<Eigen/Core>"]}, "only the standard library")
        self.check_one({"src/framework/a.h": ["<mpi.h>"]}, "only the standard library")
        self.assertEqual(violations_of({"src/framework/a.cc": ["<mpi.h>"]}), [])

    def test_directory_without_a_place(self):
        self.check_one({"src/extra/a.h": []}, "no place in the order")

    def test_cycle_of_directories_in_one_layer(self):
        self.check_one({
            "kernels/math/a.h": ["kernels/nn/b.h"],
            "kernels/nn/b.h": ["kernels/array/c.h"],
            "kernels/array/c.h": ["kernels/math/d.h"],
            "kernels/math/d.h": [],
        }, "cycle: kernels/array -> kernels/math -> kernels/nn -> kernels/array")

    def test_cycle_of_headers(self):
        self.check_one({"src/graph/a.h": ["src/graph/b.h"], "src/graph/b.h": ["src/graph/a.h"]},
                       "files include each other in a cycle: src/graph/a -> src/graph/b -> src/graph/a")

    def test_source_that_leads_back_to_its_header(self):
        for folder in [*include_order.ORDER, "kernels/math", "kernels/device/cuda", "comm/mpi", "jobs/commands"]:
            self.check_one({
                f"{folder}/a.h": [],
                f"{folder}/a.cc": [f"{folder}/a.h", f"{folder}/b.h"],
                f"{folder}/b.h": [f"{folder}/a.h"],
            }, f"cycle: {folder}/a -> {folder}/b -> {folder}/a")

    def test_sources_of_two_pairs_that_lead_to_each_other(self):
        self.check_one({
            "kernels/math/a.h": [],
            "kernels/math/a.cu": ["kernels/math/a.h", "kernels/math/b.h"],
            "kernels/math/b.h": [],
            "kernels/math/b.cc": ["kernels/math/b.h", "kernels/math/a.h"],
        }, "cycle: kernels/math/a -> kernels/math/b -> kernels/math/a")

    def test_every_group_is_found(self):
        files = {}
        for folder in ("src/base", "comm/mpi"):
            files |= {
                f"{folder}/a.h": [f"{folder}/b.h"],
                f"{folder}/b.h": [f"{folder}/c.h"],
                f"{folder}/b.cc": [f"{folder}/b.h"],
                f"{folder}/c.h": [],
                f"{folder}/c.cc": [f"{folder}/a.h"],
                f"{folder}/top.cc": [f"{folder}/a.h"],
            }
        found = violations_of(files)
        self.assertEqual(len(found), 2, found)
        self.assertIn("comm/mpi/a -> comm/mpi/b -> comm/mpi/c -> comm/mpi/a (a group of 3:", found[0])
        self.assertIn("src/base/a -> src/base/b -> src/base/c -> src/base/a (a group of 3:", found[1])

    def test_order_of_session_training_and_job(self):
        self.check_one({"src/session/a.cc": ["src/training/b.h"], "src/training/b.h": []}, "may not include")
        self.check_one({"src/training/a.cc": ["src/job/b.h"], "src/job/b.h": []}, "may not include")
        self.check_one({"src/executor/a.cc": ["src/session/b.h"], "src/session/b.h": []}, "may not include")

    def test_traces_stand_below_the_placer(self):
        self.check_one({"src/storage/a.cc": ["src/checkpoint/b.h"], "src/checkpoint/b.h": []}, "may not include")
        self.check_one({"src/framework/a.cc": ["src/storage/b.h"], "src/storage/b.h": []}, "may not include")
        self.assertEqual(violations_of({"src/executor/a.cc": ["src/storage/b.h"], "src/storage/b.h": []}), [])

    def test_the_page_shows_the_order(self):
        def violations_of_page(order):
            names = ",\n".join(f"`{name}`" for name in order)
            page = f"{include_order.SENTENCE} that x.py holds: {names}. More."
            return planted_tree.violations_of(include_order.check_document, {include_order.DOCUMENT: page})

        self.assertEqual(violations_of_page(include_order.ORDER), [])
        self.assertEqual(len(violations_of_page(include_order.ORDER[:-1])), 1)
        self.assertEqual(len(violations_of_page(list(reversed(include_order.ORDER)))), 1)


if __name__ == "__main__":
    unittest.main()
