// The nodes that a section of `inputs:` stands for.
#ifndef DFRUN_SRC_SPEC_INPUT_NODES_H_
#define DFRUN_SRC_SPEC_INPUT_NODES_H_

#include "src/spec/section.h"

namespace dfrun {

// The format whose reader is an op of its own.
inline constexpr std::string_view kHdf5 = "hdf5";

// Adds what InputSpec lists, and fills in its nodes. False after an error, which is reported.
bool AddInputNodes(InputSpec& input, int64_t seed, Lowering& lowering);

// Leaves the batch's size open again in what these inputs give, as it was while the graph was built: for a graph that
// is fed other values in their stead.
Status FreeBatchSizes(const std::vector<InputSpec>& inputs, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_INPUT_NODES_H_
