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

// By bucket its gradients, by their numbers. Of `gradients`, which are in the order in which the backward pass makes
// them, those of one dtype and of the same devices share buckets of at most `bucket_bytes`. Alone is one of as many
// bytes, of unknown shape, or that no constraint puts on a task. What comes before one of as many bytes does not wait
// for what comes after it. 0: all are alone.
std::vector<std::vector<size_t>> AssignToBuckets(const Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                                                 int64_t bucket_bytes);

// By reader and gradient: the mean over the replicas, summed in their order.
Result<std::vector<std::vector<Output>>> ReduceInBuckets(Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                                                         int64_t bucket_bytes, const std::vector<MeanReader>& readers);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_GRADIENT_BUCKETS_H_
