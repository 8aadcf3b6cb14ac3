// A small registry of ops for tests of the graph: signatures only, so that no kernel family is needed.
#ifndef DFRUN_TESTS_UNIT_GRAPH_TEST_OPS_H_
#define DFRUN_TESTS_UNIT_GRAPH_TEST_OPS_H_

#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::testing {

// Ops with TensorFlow's signatures: Const, Placeholder, VariableV2, Assign, MatMul, Add, Sub, Mul, Shape, Size, Rank,
// Pack, ConcatV2, Slice, StridedSlice, Reshape, Cast, Identity, Range, Enter, Merge, Switch, NextIteration, Exit,
// LoopCond, NoOp, PartitionedCall and others that the tests name.
const OpRegistry& TestOps();

// Adds a node or dies with its error.
NodeId Add(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs = {},
           AttrMap attrs = {});
NodeId AddConst(Graph& graph, const std::string& name, Tensor value);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_GRAPH_TEST_OPS_H_
