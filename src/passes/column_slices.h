// Which nodes on groups' tensors only take columns of wider ones apart or put them beside each other: a group can read
// and write those columns where they are.
#ifndef DFRUN_SRC_PASSES_COLUMN_SLICES_H_
#define DFRUN_SRC_PASSES_COLUMN_SLICES_H_

#include <optional>
#include <span>
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

// A ConcatV2 that a group makes: of columns that its members give, at least half of them, and of others that are there
// before it.
struct ColumnJoin {
  struct Part {
    Output value;
    bool is_copied;  // others read it too, or it is no member's
  };
  NodeId id;
  std::vector<Part> parts;
};

// What ElementGroups of a graph need not wait for: Splits, SplitVs and Slices of columns that only groups read, by way
// of Identities or not, Unpacks of which they read half of the values at least, and ConcatV2s that one group can make.
class ColumnSlices {
 public:
  // Of `least_columns` and more. All outlive this.
  ColumnSlices(const FusionView& view, const ElementGroups& groups, int64_t least_columns);
  // True for a node that goes. Those that read it wait for what it waits for.
  bool IsGone(NodeId id) const { return is_gone_[static_cast<size_t>(id)]; }
  // What is awaited instead of a node that goes; -1: nothing waits for it alone.
  NodeId AwaitedFor(NodeId gone) const;
  // What a group that `member` is of reads instead of `value`; none where that is of a node that stays, or of another
  // device.
  std::optional<ColumnSlice> SliceOf(Output value, const Node& member) const;
  // The nodes that go on the way to it.
  std::vector<NodeId> GoneBefore(Output value) const;
  // The values of an Unpack that goes which others than groups read.
  std::vector<int> ValuesOfOthers(const Node& gone) const;
  // Those that go, in the graph's order.
  std::span<const ColumnJoin> JoinsOf(const ElementGroup& group) const;

 private:
  bool IsWide(const PartialShape& shape) const;
  void LookAtSlice(const Node& node);
  void LookAtUnpack(const Node& node);
  bool CanTakeColumns(Output whole) const;
  bool OnlyGroupsRead(const Node& node) const;
  bool IsGroupsEdge(const Node& node, const Consumers::Edge& edge) const;
  bool MayWaitForWhole(const Node& node) const;
  void DropWithIdentities(const Node& node);
  void LookAtJoin(const Node& node);
  const ElementGroup* MakerOf(const Node& join) const;
  bool IsForJoinAlone(const Node& part) const;
  bool IsSlice(NodeId id) const;

  const FusionView& view_;
  const Graph& graph_;
  const ElementGroups& groups_;
  const int64_t least_columns_;
  std::vector<bool> is_gone_;
  std::unordered_map<const ElementGroup*, std::vector<ColumnJoin>> joins_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_COLUMN_SLICES_H_
