// Counts the samples of inputs, and adds their nodes.
#ifndef DFRUN_SRC_SPEC_INPUT_NODES_H_
#define DFRUN_SRC_SPEC_INPUT_NODES_H_

#include "src/spec/section.h"

namespace dfrun {

// The format whose reader is a separate op.
inline constexpr std::string_view kHdf5 = "hdf5";

// Counts the samples of an input whose fields have been added, and keeps what that settles about its files. Blocks: on
// file reads.
Status CountSamples(SampleSource& source, InputSpec& input);

// Adds the nodes that InputSpec lists, and fills in their ids. One that goes with another of `inputs` reads at the
// position and in the order of that one, which has its nodes. False after an error, which is reported.
bool AddInputNodes(InputSpec& input, const std::vector<InputSpec>& inputs, int64_t seed, Lowering& lowering);

// Adds the nodes of an input to a graph that is complete, for a pass over its samples: its position is a placeholder,
// which no step of a job moves on.
Status AddInputNodes(InputSpec& input, Graph& graph);

// Makes the batch size of these inputs unknown again, as it was while the graph was built. For a graph in which they
// are fed other values.
Status FreeBatchSizes(const std::vector<InputSpec>& inputs, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_INPUT_NODES_H_
