// Finds nodes that only take columns of a wider tensor: a cluster of element-wise nodes can read those columns where
// they are.
#ifndef DFRUN_SRC_PASSES_STRIDED_VIEWS_H_
#define DFRUN_SRC_PASSES_STRIDED_VIEWS_H_

#include <optional>
#include <vector>

#include "src/graph/graph.h"
#include "src/passes/elementwise_clusters.h"
#include "src/passes/fusion.h"

namespace dfrun {

// Columns of the last dimension of `whole`, from `first` on.
struct StridedView {
  Output whole;
  int64_t first;
};

// Views of Splits, SplitVs and Slices of the last dimension of float tensors that only clusters read and nothing
// awaits. Their readers take over their control inputs.
class StridedViews {
 public:
  // Takes views of `least_columns` columns and more.
  StridedViews(const FusionView& view, const ElementwiseClusters& clusters, int64_t least_columns);
  // Returns true for a node that is removed, since its readers read the whole.
  bool IsGone(NodeId id) const { return is_gone_[static_cast<size_t>(id)]; }
  // The view that a cluster reads instead of `value`; none where `value` is of a node that stays.
  std::optional<StridedView> Of(Output value) const;

 private:
  const Graph& graph_;
  std::vector<bool> is_gone_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_STRIDED_VIEWS_H_
