#include "src/passes/element_groups.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <utility>

namespace dfrun {
namespace {

constexpr FusibleOp kFusibleOps[] = {
    {"Abs", 1, false},         {"Add", 2, true},
    {"AddN", 0, false},        {"AddV2", 2, true},
    {"Div", 2, true},          {"Erf", 1, false},
    {"Erfc", 1, false},        {"Exp", 1, false},
    {"Log", 1, false},         {"Maximum", 2, true},
    {"Minimum", 2, true},      {"Mul", 2, true},
    {"Neg", 1, false},         {"RealDiv", 2, true},
    {"Relu", 1, false},        {"ReluGrad", 2, false},
    {"Rsqrt", 1, false},       {"Sigmoid", 1, false},
    {"SigmoidGrad", 2, false}, {"Sqrt", 1, false},
    {"Square", 1, false},      {"SquaredDifference", 2, true},
    {"Sub", 2, true},          {"Tanh", 1, false},
    {"TanhGrad", 2, false},
};

// Nodes of a group and operands of all of them: what the kernel has room for.
constexpr size_t kMostMembers = 64;
constexpr size_t kMostOperands = 192;
// Groups of a graph: sets of them are bits, and what is before a group is looked at when others grow.
constexpr size_t kMostGroups = 2048;

// A set of groups by their numbers, as long as it has to be.
class GroupSet {
 public:
  void Add(size_t group) {
    if (words_.size() <= group / 64) words_.resize(group / 64 + 1);
    words_[group / 64] |= uint64_t{1} << group % 64;
  }
  void Add(const GroupSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool Has(size_t group) const { return group / 64 < words_.size() && (words_[group / 64] >> group % 64 & 1) != 0; }
  bool HasAny(const std::vector<size_t>& groups) const {
    return std::any_of(groups.begin(), groups.end(), [&](size_t group) { return Has(group); });
  }
  bool Holds(const GroupSet& other) const {
    for (size_t i = 0; i < other.words_.size(); ++i) {
      if ((other.words_[i] & ~(i < words_.size() ? words_[i] : 0)) != 0) return false;
    }
    return true;
  }
  // The numbers in it, until `visit` gives false; whether it never did.
  template <class Visit>
  bool ForEach(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t left = words_[i]; left != 0; left &= left - 1) {
        if (!visit(i * 64 + static_cast<size_t>(std::countr_zero(left)))) return false;
      }
    }
    return true;
  }

 private:
  std::vector<uint64_t> words_;
};

struct Group {
  std::vector<NodeId> members;  // ascending, and so in an order in which they can run
  std::vector<size_t> ids;      // its own number and those of groups that it took in
  GroupSet before;              // from which a way leads to it, by nodes and by groups as wholes
  size_t operands = 0;          // of all members
  int depth = 0;                // of what it waits for
};

bool IsPlainFloat(const Graph& graph, Output value) {
  return value.valid() && !graph.is_ref(value) &&
         graph.node(value.node).output_types[value.port].dtype == DType::kFloat;
}

// A node that may be computed with others, and what it takes and gives is of one shape but for a scalar.
bool IsFusible(const Graph& graph, const Node& node, int64_t least_elements) {
  const auto* const op = std::find_if(std::begin(kFusibleOps), std::end(kFusibleOps),
                                      [&](const FusibleOp& o) { return o.name == node.op->name; });
  if (op == std::end(kFusibleOps) || node.num_outputs() != 1 || node.inputs.size() > kMostOperands ||
      (op->operands > 0 && node.num_inputs() != op->operands)) {
    return false;
  }
  if (!IsPlainFloat(graph, {node.id, 0})) return false;
  const PartialShape& shape = node.output_shapes[0];
  if (!shape.IsFullyDefined() || shape.num_elements() < std::max<int64_t>(2, least_elements)) return false;
  int scalars = 0;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
    if (!IsPlainFloat(graph, input)) return false;
    return graph.shape(input) == shape ||
           (op->takes_scalar && graph.shape(input).num_elements() == 1 && ++scalars == 1);
  });
}

// What goes along with a group that has all that it reads and waits for.
bool MayGoAlong(const Graph& graph, const Node& node) {
  if (node.op->name == "NoOp") return !node.control_inputs.empty();
  return node.op->name == "Identity" && IsPlainFloat(graph, node.inputs[0]) && IsPlainFloat(graph, {node.id, 0});
}

}  // namespace

// Finds the groups, node by node in the graph's order. With groups as wholes the graph stays without rings: what is
// before a group is known at any time, and nothing joins a group that is before it.
class ElementGrouping {
 public:
  ElementGrouping(const FusionView& view, int64_t least_elements)
      : view_(view),
        graph_(view.graph()),
        least_elements_(least_elements),
        group_of_(static_cast<size_t>(graph_.num_nodes()), nullptr),
        before_(group_of_.size()),
        depth_(group_of_.size(), 0) {
    for (const Node& node : graph_.nodes()) Place(node);
  }

  // The members of each group that is worth making.
  std::vector<ElementGroup> Groups() const {
    std::vector<ElementGroup> groups;
    for (const auto& group : groups_) {
      if (IsWorthwhile(*group)) groups.push_back({group->members});
    }
    return groups;
  }

  // Whatever groups come before the node come before the group of `member` already, and it waits for no less.
  bool MayReadToo(NodeId member, NodeId id) const {
    const Group& group = *Of(member);
    const Group* const own = Of(id);
    if (own == &group || (own != nullptr && !group.before.HasAny(own->ids))) return false;
    return group.before.Holds(before_[static_cast<size_t>(id)]) && depth_[static_cast<size_t>(id)] <= group.depth;
  }

 private:
  Group* Of(NodeId id) const { return group_of_[static_cast<size_t>(id)]; }

  template <class Visit>
  static void ForEachSource(const Node& node, Visit visit) {
    for (Output input : node.inputs) visit(input.node);
    for (NodeId id : node.control_inputs) visit(id);
  }
  // At least two nodes that compute.
  bool IsWorthwhile(const Group& group) const {
    const auto computes = [&](NodeId id) { return !MayGoAlong(graph_, graph_.node(id)); };
    return std::count_if(group.members.begin(), group.members.end(), computes) >= 2;
  }

  void Place(const Node& node) {
    const auto id = static_cast<size_t>(node.id);
    GroupSet& before = before_[id];
    int depth = 0;
    ForEachSource(node, [&](NodeId source) {
      before.Add(before_[static_cast<size_t>(source)]);
      depth = std::max(depth, depth_[static_cast<size_t>(source)]);
    });
    const bool is_fusible = IsFusible(graph_, node, least_elements_);
    const bool goes_along = !is_fusible && MayGoAlong(graph_, node);
    Group* const group = is_fusible ? GroupFor(node, before, depth) : goes_along ? GroupAround(node) : nullptr;
    ForEachSource(node, [&](NodeId source) {
      if (Group* const other = Of(source); other != nullptr && other != group) before.Add(other->ids[0]);
    });
    const bool is_light = is_fusible || goes_along || node.op->name == "Const";
    depth_[id] = group != nullptr ? group->depth : is_light ? depth : depth + 1;
    group_of_[id] = group;
    if (group == nullptr) return;
    group->members.push_back(node.id);
    group->operands += node.inputs.size();
    PutBefore(*group, Whole(before));
  }

  // With what is before those groups.
  GroupSet Whole(const GroupSet& groups) const {
    GroupSet whole = groups;
    groups.ForEach([&](size_t number) {
      whole.Add(owners_[number]->before);
      return true;
    });
    return whole;
  }

  void PutBefore(Group& group, const GroupSet& before) {
    if (group.before.Holds(before)) return;
    group.before.Add(before);
    TellLater(group);
  }

  // What is before a group is before those that it is before.
  void TellLater(const Group& group) {
    for (const auto& later : groups_) {
      if (later->before.HasAny(group.ids)) later->before.Add(group.before);
    }
  }

  // The group that `node` joins: that of an operand, with those of the others that it can take in; else a new one, if
  // there may be more.
  Group* GroupFor(const Node& node, const GroupSet& before, int depth) {
    Group* joined = nullptr;
    for (Output input : node.inputs) {
      Group* const group = Of(input.node);
      if (group == nullptr || group == joined || !MayJoin(node, before, *group)) continue;
      if (joined == nullptr) {
        joined = group;
      } else if (FitTogether(*joined, *group, node) && AreApart(*joined, *group)) {
        TakeIn(*joined, *group);
      }
    }
    if (joined != nullptr || groups_.size() == kMostGroups) return joined;
    groups_.push_back(std::make_unique<Group>());
    joined = groups_.back().get();
    joined->ids.push_back(owners_.size());
    joined->depth = depth;
    owners_.push_back(joined);
    return joined;
  }

  bool MayJoin(const Node& node, const GroupSet& before, const Group& group) const {
    if (group.members.size() >= kMostMembers || group.operands + node.inputs.size() > kMostOperands) return false;
    GroupSet others = before;
    for (Output input : node.inputs) {
      if (Group* const other = Of(input.node); other != nullptr && other != &group) others.Add(other->ids[0]);
    }
    const bool is_before_none = others.ForEach(
        [&](size_t number) { return owners_[number] != &group && !owners_[number]->before.HasAny(group.ids); });
    if (!is_before_none) return false;
    const Node& member = graph_.node(group.members[0]);
    if (!view_.OnOneDevice(node, member) || !(node.output_shapes[0] == member.output_shapes[0])) return false;
    const auto is_waited_for_anyway = [&](NodeId id) { return Of(id) == &group; };
    if (!std::all_of(node.control_inputs.begin(), node.control_inputs.end(), is_waited_for_anyway)) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
      return Of(input.node) == &group || depth_[static_cast<size_t>(input.node)] <= group.depth;
    });
  }

  // No way leads from the one to the other, and neither would wait longer.
  static bool AreApart(const Group& a, const Group& b) {
    return a.depth == b.depth && !a.before.HasAny(b.ids) && !b.before.HasAny(a.ids);
  }
  static bool FitTogether(const Group& a, const Group& b, const Node& node) {
    return a.members.size() + b.members.size() < kMostMembers &&
           a.operands + b.operands + node.inputs.size() <= kMostOperands;
  }

  void TakeIn(Group& group, Group& other) {
    for (NodeId id : other.members) group_of_[static_cast<size_t>(id)] = &group;
    group.members.insert(group.members.end(), other.members.begin(), other.members.end());
    std::sort(group.members.begin(), group.members.end());
    other.members.clear();
    for (size_t number : other.ids) owners_[number] = &group;
    group.ids.insert(group.ids.end(), other.ids.begin(), other.ids.end());
    other.ids.clear();
    group.operands += other.operands;
    group.before.Add(std::exchange(other.before, {}));
    TellLater(group);
  }

  // The one group that all is of which the node reads or waits for.
  Group* GroupAround(const Node& node) const {
    Group* around = nullptr;
    bool is_one = true;
    ForEachSource(node, [&](NodeId source) {
      Group* const group = Of(source);
      is_one = is_one && group != nullptr && (around == nullptr || around == group);
      around = group;
    });
    if (around == nullptr || !is_one || around->members.size() >= kMostMembers || around->operands >= kMostOperands)
      return nullptr;
    if (node.op->name == "NoOp" && !view_.IsAwaited(node)) return nullptr;  // a target
    return view_.OnOneDevice(node, graph_.node(around->members[0])) ? around : nullptr;
  }

  const FusionView& view_;
  const Graph& graph_;
  const int64_t least_elements_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<Group*> owners_;    // by number: the group that has it now
  std::vector<Group*> group_of_;  // by node
  std::vector<GroupSet> before_;  // by node: groups from which a way of nodes leads to it, but for its own
  std::vector<int> depth_;        // by node: how many that are not element-wise lie on the longest way to it
};

std::span<const FusibleOp> FusibleOps() {
  return kFusibleOps;
}

ElementGroups::ElementGroups(const FusionView& view, int64_t least_elements)
    : grouping_(std::make_unique<ElementGrouping>(view, least_elements)),
      groups_(grouping_->Groups()),
      of_node_(static_cast<size_t>(view.graph().num_nodes()), -1) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (NodeId id : groups_[i].members) of_node_[static_cast<size_t>(id)] = static_cast<int32_t>(i);
  }
}

ElementGroups::~ElementGroups() = default;

bool ElementGroups::MayReadToo(const ElementGroup& group, NodeId id) const {
  return grouping_->MayReadToo(group.members[0], id);
}

}  // namespace dfrun
