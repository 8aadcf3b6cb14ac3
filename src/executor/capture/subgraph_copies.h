// Copies of the values that come to a subgraph and leave it, enqueued as one.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_COPIES_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_COPIES_H_

#include <utility>
#include <vector>

#include "src/framework/device/graph_capture.h"

namespace dfrun {

// Thread safety: one thread. The device outlives it.
class SubgraphCopies {
 public:
  explicit SubgraphCopies(CapturingDevice& device) : device_(device) {}

  // Adds a copy from the device's memory or the host's. Values in host memory are kept, or copied at once where others
  // may change them. ResourceExhausted without memory for that.
  Status Add(const Tensor& from, void* to);
  // `is_last`: nothing is enqueued for the subgraph after them.
  Status Enqueue(bool is_last) {
    return copies_.empty() ? Status() : device_.EnqueueCopies(copies_, std::move(kept_), is_last);
  }

 private:
  CapturingDevice& device_;
  std::vector<BlockCopy> copies_;
  std::vector<Tensor> kept_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_COPIES_H_
