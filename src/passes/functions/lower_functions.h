// Functions of a GraphDef library, inlined.
#ifndef DFRUN_SRC_PASSES_FUNCTIONS_LOWER_FUNCTIONS_H_
#define DFRUN_SRC_PASSES_FUNCTIONS_LOWER_FUNCTIONS_H_

#include <cstdint>

#include "src/graph/graph.h"

namespace dfrun {

// Returns true where a node calls a function of the library.
bool CallsFunctions(const Graph& graph);

struct LowerFunctionsOptions {
  int64_t max_nodes = 1'000'000;  // the bound of the nodes that calls of calls add
  // The nodes before this one call no functions, and keep their ids.
  NodeId first_node = 0;
  // A call that cannot be lowered is a node of an unknown op (src/graph/graph_def/unknown_ops.h): only runs that need
  // it are refused. Not for want of nodes, nor for more than a hundred of them.
  bool keeps_refused = false;
};

// Replaces the nodes that call functions by those of the functions: PartitionedCall and StatefulPartitionedCall, If,
// Case and While (stateless or not) in the primitives of control flow, SymbolicGradient in the nodes that AddGradients
// adds.
//
// Names: the node `call` becomes an Identity or IdentityN of the same outputs (a NoOp where there are none), and the
// function's nodes are `call/name`. Outputs of a function for which the library names a gradient say so, by an Identity
// with _gradient_op_type: SymbolicGradient takes that gradient, AddGradients refuses to go through them. Handles at the
// end of the outputs are not among them: their readers get them from an Identity each, on the device of the object
// behind the handle. The call's device completes the devices of its nodes.
//
// Order: a PartitionedCall, and an If, Case or While with _lower_using_switch_merge, is read apart
// (src/graph/order/read_apart.h), in functions too. Before a reader of an output runs, the nodes behind that output
// have run (of a call or a loop, also those that control_ret names); before a node that waits for the call, those that
// control_ret names (after a loop, also those behind all of its outputs); and only before a fetch of it, or after its
// run as a target, all of them. All effects of another call on a state are done before a node that reads it or waits
// for it runs.
//
// Shapes are inferred through all of it. Nothing happens to a graph without calls; of a graph with calls the library is
// removed, and node ids change. InvalidArgument names node and function: one that calls itself, that is not there, that
// does not fit its arguments; more than max_nodes nodes. Source: TensorFlow's inlining of functions and its lowering of
// functional control flow.
Status LowerFunctions(Graph& graph, const LowerFunctionsOptions& options = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_FUNCTIONS_LOWER_FUNCTIONS_H_
