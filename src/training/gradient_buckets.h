// Gradients that the replicas reduce together. Small ones are put behind each other into buckets, and each bucket is
// reduced by one collective: few messages, and the first ones leave while the backward pass goes on. The sum of each
// element has the same terms in the same order as that of its gradient alone, so that bits do not depend on buckets.
#ifndef DFRUN_SRC_TRAINING_GRADIENT_BUCKETS_H_
#define DFRUN_SRC_TRAINING_GRADIENT_BUCKETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

struct ReplicatedGradient {
  std::string name;            // name of its mean
  std::vector<Output> values;  // by replica
};

// A reader of the means.
struct MeanReader {
  int32_t replica;     // the one that it is beside
  std::string device;  // the constraint of its nodes
};

// Returns the gradients of each bucket, by their numbers. `gradients` are in the order in which the backward pass makes
// them; those of one dtype and of the same devices share buckets of at most `bucket_bytes`. A gradient stands alone if
// it has as many bytes, is of unknown shape, or no constraint puts it on a task. Gradients before a large one do not
// wait for those after it. 0: all are alone.
std::vector<std::vector<size_t>> AssignToBuckets(const Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                                                 int64_t bucket_bytes);

// Returns the mean over the replicas, summed in their order, by reader and gradient.
Result<std::vector<std::vector<Output>>> ReduceInBuckets(Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                                                         int64_t bucket_bytes, const std::vector<MeanReader>& readers);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_GRADIENT_BUCKETS_H_
