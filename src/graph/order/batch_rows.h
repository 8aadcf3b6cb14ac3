// The samples of a batch in a graph's values: which of them are rows that depend on their own sample alone
// (src/framework/op/sample_rows.h).
#ifndef DFRUN_SRC_GRAPH_ORDER_BATCH_ROWS_H_
#define DFRUN_SRC_GRAPH_ORDER_BATCH_ROWS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// Whether values of the node may differ from one step to the next though its inputs do not: random numbers, elements of
// a queue.
bool ChangesByItself(const Node& node);

// The rows of a node's outputs, by the op's rule, where `inputs` are those of its inputs.
std::vector<SampleRows> RowsOfNode(const Graph& graph, const Node& node, const std::vector<SampleRows>& inputs,
                                   int64_t samples);

// The rows of all values of a graph, for a batch of `samples`.
// Thread safety: const methods from any thread.
class BatchRows {
 public:
  // `sources`: the outputs in which the batch comes in, with their rows. All other values follow from them. Returns
  // InvalidArgument where the graph has a cycle that is no loop.
  static Result<BatchRows> Of(const Graph& graph, const std::vector<std::pair<Output, SampleRows>>& sources,
                              int64_t samples);

  const SampleRows& of(Output output) const {
    return rows_[static_cast<size_t>(output.node)][static_cast<size_t>(output.port)];
  }
  // The first node, in the order of execution, that `output` depends on and that may mix samples; -1: there is none.
  NodeId FirstMixer(const Graph& graph, Output output) const;

 private:
  std::vector<std::vector<SampleRows>> rows_;  // by node and port
  std::vector<NodeId> mixers_;                 // nodes that mix what came in apart, in topological order
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_BATCH_ROWS_H_
