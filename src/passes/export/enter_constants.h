// Brings loops into TensorFlow's form: a value that does not depend on an iteration comes into a loop through an Enter,
// too.
#ifndef DFRUN_SRC_PASSES_EXPORT_ENTER_CONSTANTS_H_
#define DFRUN_SRC_PASSES_EXPORT_ENTER_CONSTANTS_H_

#include "src/graph/graph.h"

namespace dfrun {

// Nodes of any loop may read a node without inputs here (src/graph/control_flow.h); TensorFlow calls that inputs from
// different frames. Between the two comes an Enter of a constant, one a value and loop, `<node>/Enter`. Control edges
// from such a node become ones from its Enter; those from a node without outputs go, since all it does is be done.
// InvalidArgument where the graph's frames are wrong.
Status EnterConstants(Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_EXPORT_ENTER_CONSTANTS_H_
