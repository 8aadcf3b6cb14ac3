// Which nodes on groups' tensors only take columns of wider ones apart or put them beside each other: a group can read
// and write those columns where they are.
#ifndef DFRUN_SRC_PASSES_COLUMN_SLICES_H_
#define DFRUN_SRC_PASSES_COLUMN_SLICES_H_

#include <optional>
#include <unordered_map>
#include <vector>

#include "src/graph/graph.h"
#include "src/passes/element_groups.h"
#include "src/passes/fusion.h"

namespace dfrun {

// Columns of the last dimension of `whole`, from `first` on.
struct ColumnSlice {
  Output whole;
  int64_t first;
};

// What ElementGroups of a graph need not wait for: Splits, SplitVs and Slices of columns that only groups read, by way
// of Identities or not, and ConcatV2s of columns that one group alone makes for them.
class ColumnSlices {
 public:
  // Of `least_columns` and more. All outlive this.
  ColumnSlices(const FusionView& view, const ElementGroups& groups, int64_t least_columns);
  // True for a node that goes. Those that read it wait for what it waits for.
  bool IsGone(NodeId id) const { return is_gone_[static_cast<size_t>(id)]; }
  // What is awaited instead of a node that goes; -1: nothing waits for it alone.
  NodeId AwaitedFor(NodeId gone) const;
  // What a group reads instead of `value`; none where that is of a node that stays.
  std::optional<ColumnSlice> SliceOf(Output value) const;
  // The nodes that go on the way to it.
  std::vector<NodeId> GoneBefore(Output value) const;
  // The ConcatV2 that goes and puts the value of a group's member beside others; null: there is none.
  const Node* JoinOf(NodeId member) const;

 private:
  bool IsWide(const PartialShape& shape) const;
  void LookAtSlice(const Node& node);
  bool OnlyGroupsRead(const Node& node) const;
  bool MayWaitForWhole(const Node& node) const;
  void DropWithIdentities(const Node& node);
  void LookAtJoin(const Node& node);
  bool MayBeJoined(const Node& part, const Node& join) const;
  bool IsSlice(NodeId id) const;

  const FusionView& view_;
  const Graph& graph_;
  const ElementGroups& groups_;
  const int64_t least_columns_;
  std::vector<bool> is_gone_;
  std::unordered_map<NodeId, NodeId> join_of_;  // by member
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_COLUMN_SLICES_H_
