// Functions of a GraphDef library, inlined.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_LOWER_FUNCTIONS_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_LOWER_FUNCTIONS_H_

#include <cstdint>

#include "src/graph/graph.h"

namespace dfrun {

// True where a node calls a function of the library.
bool CallsFunctions(const Graph& graph);

struct LowerFunctionsOptions {
  int64_t max_nodes = 1'000'000;  // the bound of the nodes that calls of calls add
  // The nodes before this one call no functions, and keep their ids.
  NodeId first_node = 0;
};

// Replaces the nodes that call functions by those of the functions: PartitionedCall and StatefulPartitionedCall, If,
// Case and While (stateless or not) in the primitives of control flow, SymbolicGradient in the nodes that AddGradients
// adds. What was `call` is then an Identity or IdentityN of the same outputs (a NoOp where there are none), and the
// function's nodes are `call/name`. Outputs of a function for which the library names a gradient say so, by an Identity
// with _gradient_op_type: SymbolicGradient takes that gradient, AddGradients refuses to go through them. Handles at the
// end of the outputs are not among them: their readers get them from an Identity each, on the device of what they stand
// for. The call's device completes the devices of its nodes. A PartitionedCall, and an If, Case or While with
// _lower_using_switch_merge, is read apart (src/graph/read_apart.h), in functions too: a reader of an output has done
// what that output needs (of a call or a loop, and what control_ret names), a node that waits for it what control_ret
// names (after a loop, and what all of its outputs need), and only a fetch of it, or its run as a target, has all of
// that done. All that another call does to a state is done before a node that reads it or waits for it runs.
// Shapes are inferred through all of it. Nothing happens to a graph without calls; of a graph with calls the library is
// removed, and node ids change. InvalidArgument names node and function: one that calls itself, that is not there, that
// does not fit its arguments; more than max_nodes nodes. Source: TensorFlow's inlining of functions and its lowering of
// functional control flow.
Status LowerFunctions(Graph& graph, const LowerFunctionsOptions& options = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_LOWER_FUNCTIONS_H_
