// Segments of the early nodes of a training step, between which few values pass.
#ifndef DFRUN_SRC_PASSES_RECOMPUTE_SEGMENTS_H_
#define DFRUN_SRC_PASSES_RECOMPUTE_SEGMENTS_H_

#include <cstdint>
#include <vector>

#include "src/passes/recompute/gradient_step.h"

namespace dfrun {

// The values of early nodes, each at the node that owns its bytes. Places are those of GradientStep::order().
// Thread safety: const methods from any thread.
class EarlyValues {
 public:
  EarlyValues(const Graph& graph, const GradientStep& step);

  // The bytes of the node's own outputs, without those that lie in the arena in any case.
  int64_t Bytes(NodeId id) const { return bytes_[static_cast<size_t>(id)]; }
  // Whether late nodes read a value of the node.
  bool IsReadLate(NodeId id) const { return is_read_late_[static_cast<size_t>(id)]; }
  // The early nodes with bytes of their own that read a value of the node.
  int64_t LargeReaders(NodeId id) const { return large_readers_[static_cast<size_t>(id)]; }
  // The place of the last early node that reads a value of the node; -1: none does.
  int32_t LastEarlyReader(NodeId id) const { return last_reader_[static_cast<size_t>(id)]; }

  // The places at which the segments begin, without the first: `count` - 1 of them at most, in ascending order. Each
  // stands where fewest bytes pass, near the place that gives all segments equal bytes of values that are read late.
  std::vector<int32_t> SegmentBegins(int count) const;
  // The values that are read late and may be recomputed.
  int num_kept() const { return num_kept_; }

 private:
  void FindReaders(const Graph& graph, const GradientStep& step);
  void FindPassing(const GradientStep& step);

  std::vector<int64_t> bytes_;  // by node, as the next ones
  std::vector<bool> is_read_late_;
  std::vector<int32_t> last_reader_;
  std::vector<int64_t> large_readers_;
  std::vector<int64_t> passing_;  // by place: bytes that were made before it and are read from it on, by early nodes
  std::vector<int64_t> kept_;     // by place: bytes of the values before it that are read late and may be recomputed
  int num_kept_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_RECOMPUTE_SEGMENTS_H_
