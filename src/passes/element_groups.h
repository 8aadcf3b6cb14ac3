// Which element-wise nodes of a graph can be computed together: as one node that others neither wait for longer nor
// wait with in a ring.
#ifndef DFRUN_SRC_PASSES_ELEMENT_GROUPS_H_
#define DFRUN_SRC_PASSES_ELEMENT_GROUPS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "src/graph/graph.h"
#include "src/passes/fusion.h"

namespace dfrun {

// An op that can be in a group: of float operands of one shape, which is the result's.
struct FusibleOp {
  std::string_view name;
  int operands;       // 0: any number
  bool takes_scalar;  // one of the operands may have a single element
};
std::span<const FusibleOp> FusibleOps();

// Ascending, and so in an order in which they can run. Beside nodes of those ops, at least two, these are Identities
// between them and NoOps that wait for them alone.
struct ElementGroup {
  std::vector<NodeId> members;
};

class ElementGrouping;

// At most 64 members with 192 operands make a group.
class ElementGroups {
 public:
  // Of nodes on tensors of one static shape, of `least_elements` and more. The graph has no control flow.
  ElementGroups(const FusionView& view, int64_t least_elements);
  ~ElementGroups();
  bool empty() const { return groups_.empty(); }
  // Of the node; null where it stays as it is.
  const ElementGroup* Of(NodeId id) const {
    const int32_t group = of_node_[static_cast<size_t>(id)];
    return group < 0 ? nullptr : &groups_[static_cast<size_t>(group)];
  }
  // True where the group may read what the node gives too: it does not wait longer then, nor in a ring.
  bool MayReadToo(const ElementGroup& group, NodeId id) const;

 private:
  const std::unique_ptr<const ElementGrouping> grouping_;
  std::vector<ElementGroup> groups_;
  std::vector<int32_t> of_node_;  // -1: none
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_ELEMENT_GROUPS_H_
