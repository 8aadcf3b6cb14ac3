// Values that meet crosswise: a column [b, 1] and a vector [b] are broadcast to [b, b], so that each sample's value
// meets those of all samples, where a loss wanted pairs.
#ifndef DFRUN_SRC_TRAINING_WARNINGS_CROSSWISE_H_
#define DFRUN_SRC_TRAINING_WARNINGS_CROSSWISE_H_

#include <optional>
#include <string>

#include "src/graph/graph.h"

namespace dfrun {

struct CrosswiseMeeting {
  NodeId node;    // the element-wise op in which they meet
  Output column;  // [b, 1], or [..., b, 1] where the vector is [..., b]
  Output vector;
};

// The first meeting whose result goes into `loss` by element-wise ops and a mean (or a sum over everything) alone, and
// that the graph does not ask for. It asks for it where ExpandDims, Reshape, a slice, keepdims and the like have made
// the column, where the vector is the column in another shape, and where the result meets another matrix [b, b].
// Nothing where there is none.
// Thread safety: reads the graph only.
std::optional<CrosswiseMeeting> FindCrosswiseMeeting(const Graph& graph, Output loss);

// Returns a sentence with the place, the shapes, and the notation to use instead.
std::string DescribeCrosswise(const Graph& graph, const CrosswiseMeeting& meeting);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WARNINGS_CROSSWISE_H_
