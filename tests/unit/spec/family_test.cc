// Entries with "each": several nodes alike.
#include <gtest/gtest.h>

#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

TEST(Families, MakeANodeForEachNumber) {
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {each: 2, op: Fill, dims: [2], value: \"${i}\"}\n"
                    "  y: AddN(x/*)\n"),
            GraphOf("graph:\n"
                    "  x/0: Fill([2], 0)\n"
                    "  x/1: Fill([2], 1)\n"
                    "  y: AddN(x/0, x/1)\n"));
}

TEST(Families, ListsStandAmongTheInputsOfAnOp) {
  const std::string by_hand = GraphOf(
      "graph:\n"
      "  x: {op: Placeholder, dtype: float32, shape: [4]}\n"
      "  s/0: Split(0, x, num_split=2)\n"
      "  s/1: Split(0, x, num_split=2)\n"
      "  y: ConcatV2([x, s/0:1, s/1:1, x], axis=0)\n");
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {op: Placeholder, dtype: float32, shape: [4]}\n"
                    "  s: {each: 2, op: Split, inputs: [0, x], num_split: 2}\n"
                    "  y: ConcatV2([x, s/*:1, x], axis=0)\n"),
            by_hand);
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {op: Placeholder, dtype: float32, shape: [4]}\n"
                    "  s: {each: 2, op: Split, inputs: [0, x], num_split: 2}\n"
                    "  y: {op: ConcatV2, values: [x, s/*:1, x], axis: 0}\n"),
            by_hand);
}

TEST(Families, OfOneMemberJoinToIt) {
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {each: 1, op: Placeholder, dtype: float32, shape: [4]}\n"
                    "  y: ConcatV2(x/*, axis=0)\n"),
            "x/0 = Placeholder() {dtype=float32, shape=[4]} -> float32[4]\n"
            "y = Identity(x/0) {T=float32} -> float32[4]\n");
}

TEST(Families, MayBeAsManyAsTheTasksOfAJob) {
  const std::string text =
      "cluster: {jobs: {ps: 1, worker: rest}}\n"
      "graph:\n"
      "  x: {each: tasks(worker) * 2, op: Placeholder, dtype: float32}\n"
      "  n: {op: Fill, dims: [tasks(ps)], value: 1.0}\n";
  const Result<LoadedSpec> four = LoadText(text, {}, 4);
  ASSERT_TRUE(four.ok()) << four.status().ToString();
  EXPECT_GE(four->graph.Find("x/5"), 0);
  EXPECT_LT(four->graph.Find("x/6"), 0);
  const Result<LoadedSpec> unknown = LoadText(text);
  ASSERT_TRUE(unknown.ok()) << unknown.status().ToString();
  EXPECT_GE(unknown->graph.Find("x/1"), 0);
  EXPECT_LT(unknown->graph.Find("x/2"), 0);
}

TEST(Families, WorkInFunctions) {
  const std::string graph = GraphOf(
      "functions:\n"
      "  sum_of: {args: [x], attrs: {n: 2}, graph: {part: {each: \"${n}\", op: Neg, inputs: [x]}}, returns: "
      "AddN(part/*)}\n"
      "graph:\n"
      "  x: 1.0\n"
      "  y: sum_of(x, n=3)\n");
  EXPECT_NE(graph.find("y = AddN(y/part/0, y/part/1, y/part/2)"), std::string::npos) << graph;
}

TEST(Families, ErrorsHaveTheirPlace) {
  EXPECT_EQ(ErrorOf("graph:\n  x: {each: 0, op: NoOp}\n"),
            "job.yaml:3:13: 'each' is a number of nodes from 1 to 1000000, which may hold tasks(job), not '0'");
  EXPECT_EQ(ErrorOf("graph:\n  x: {each: tasks(worke), op: NoOp}\n"),
            "job.yaml:3:19: the cluster has no job 'worke', did you mean 'worker'?");
  EXPECT_EQ(ErrorOf("graph:\n  x: {each: 2, op: Fill, dims: [1], value: 1.0}\n  y: Neg(x)\n"),
            "job.yaml:4:10: unknown node 'x'; it is a family: 'x/0' is a node, 'x/*' all of them");
  EXPECT_EQ(ErrorOf("graph:\n  x: {each: 2, op: Fill, dims: [1], value: 1.0}\n  y: AddN(z/*)\n"),
            "job.yaml:4:11: 'z' is no family, an entry with 'each'");
  EXPECT_EQ(ErrorOf("graph:\n  x: {each: 2, op: Fill, dims: [1], value: 1.0}\n  y: x/*\n"),
            "job.yaml:4:6: 'x/*' is a list, and no value; join its nodes with Pack or ConcatV2");
  EXPECT_EQ(ErrorOf("graph:\n  x: {each: 2, op: NoOp}\n  x/1: 2.0\n"),
            "job.yaml:4:3: node 'x/1' is made by a family and by an entry of its own");
}

}  // namespace
}  // namespace dfrun
