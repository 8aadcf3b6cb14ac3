#include "src/executor/planning/plan_edges.h"

#include <algorithm>
#include <numeric>

#include "src/graph/order/node_order.h"

namespace dfrun {

Status PlanEdges::Find(bool has_control_flow) {
  has_control_flow_ = has_control_flow;
  passed_.assign(static_cast<size_t>(graph_.num_nodes()), Output());
  if (has_control_flow) DF_TRY(FindPassed());
  Collect();
  DropRepeated();
  if (!has_control_flow) PutReceivesFirst();
  CountAwaited();
  return FindOrder();
}

Status PlanEdges::FindPassed() {
  DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
  for (NodeId id : order) {
    if (node_plans_[id].is_idle()) passed_[id] = OnlySource(graph_.node(id));
  }
  return Status();
}

// Returns the only source that the node waits for; invalid if there are several or none.
Output PlanEdges::OnlySource(const Node& node) const {
  Output only;
  int num_sources = 0;
  const auto look = [&](Output source) {
    if (node_plans_[source.node].is_settled) return;
    ++num_sources;
    only = SourceOf(source);
  };
  for (const Output& input : node.inputs) look(input);
  for (NodeId id : node.control_inputs) look({id, -1});
  return num_sources == 1 && node_plans_[only.node].is_awaited() ? only : Output();
}

template <class Visit>
void PlanEdges::ForEachEdge(Visit visit) const {
  for (const Node& reader : graph_.nodes()) {
    if (!IsInPlan(reader.id)) continue;
    const auto see = [&](Output value, int32_t input) {
      if (!value.valid()) return;
      const Output source = SourceOf(value);
      if (!node_plans_[source.node].is_settled) visit(source.node, Edge{reader.id, source.port, input});
    };
    for (int i = 0; i < reader.num_inputs(); ++i) see(reader.inputs[i], i);
    for (NodeId id : reader.control_inputs) see({id, -1}, -1);
  }
}

void PlanEdges::Collect() {
  std::vector<int32_t>& begin = edges_.begin;
  begin.assign(static_cast<size_t>(graph_.num_nodes()) + 1, 0);
  ForEachEdge([&](NodeId source, const Edge&) { ++begin[source + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  edges_.edges.resize(static_cast<size_t>(begin.back()));
  std::vector<int32_t> at(begin.begin(), begin.end() - 1);
  ForEachEdge([&](NodeId source, const Edge& edge) { edges_.edges[at[source]++] = edge; });
}

// Drops repeated edges, once all edges between two nodes stand together.
void PlanEdges::DropRepeated() {
  size_t kept = 0;
  size_t next = 0;
  for (size_t source = 0; source + 1 < edges_.begin.size(); ++source) {
    const size_t begin = kept;
    for (const auto end = static_cast<size_t>(edges_.begin[source + 1]); next < end; ++next) {
      const Edge& edge = edges_.edges[next];
      if (kept == begin || !Repeats(edges_.edges[kept - 1], edge)) edges_.edges[kept++] = edge;
    }
    edges_.begin[source] = static_cast<int32_t>(begin);
  }
  edges_.begin.back() = static_cast<int32_t>(kept);
  edges_.edges.resize(kept);
}

bool PlanEdges::Repeats(const Edge& before, const Edge& edge) const {
  if (before.node != edge.node) return false;
  if (!has_control_flow_) return true;
  const bool says_no_more = edge.port < 0 || edge.port == before.port;
  return says_no_more && node_plans_[edge.node].control_flow != ControlFlowKind::kMerge;
}

// Receives start first: their messages are under way while the other nodes run.
void PlanEdges::PutReceivesFirst() {
  for (size_t source = 0; source + 1 < edges_.begin.size(); ++source) {
    std::stable_partition(edges_.edges.begin() + edges_.begin[source], edges_.edges.begin() + edges_.begin[source + 1],
                          [&](const Edge& edge) { return IsRecv(graph_.node(edge.node)); });
  }
}

void PlanEdges::CountAwaited() {
  num_awaited_.assign(static_cast<size_t>(graph_.num_nodes()), 0);
  for (NodeId source = 0; source < graph_.num_nodes(); ++source)
    ForEachAwaiting(source, [&](NodeId reader) { ++num_awaited_[reader]; });
}

template <class Visit>
void PlanEdges::ForEachAwaiting(NodeId source, Visit visit) const {
  if (!node_plans_[source].is_awaited()) return;
  for (const Edge& edge : of(source)) {
    const bool closes_loop = edge.input >= 0 && graph_.IsBackEdge(graph_.node(edge.node), edge.input);
    if (!closes_loop) visit(edge.node);
  }
}

std::vector<NodeId> PlanEdges::Roots() const {
  std::vector<NodeId> roots;
  for (const Node& node : graph_.nodes()) {
    if (IsInPlan(node.id) && num_awaited_[node.id] == 0) roots.push_back(node.id);
  }
  // Receives start first: their messages are under way while the other nodes run.
  std::stable_partition(roots.begin(), roots.end(),
                        [&](NodeId id) { return node_plans_[id].def != nullptr && node_plans_[id].def->is_async; });
  return roots;
}

Status PlanEdges::FindOrder() {
  order_ = Roots();
  std::vector<int32_t> waits_for = num_awaited_;
  for (size_t i = 0; i < order_.size(); ++i) {
    ForEachAwaiting(order_[i], [&](NodeId reader) {
      if (--waits_for[reader] == 0) order_.push_back(reader);
    });
  }
  for (const Node& node : graph_.nodes()) {
    if (waits_for[node.id] > 0) return InvalidArgument(graph_.Describe(node.id), " is in or behind a cycle");
  }
  return Status();
}

}  // namespace dfrun
