#include "jobs/plan/shared_part.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>

#include "jobs/plan/replica_nodes.h"
#include "src/framework/op/fused_step.h"
#include "src/graph/order/node_order.h"
#include "src/partition/message_nodes.h"
#include "src/training/replicas.h"

namespace dfrun::jobs {
namespace {

bool IsFused(const Node& node) {
  return node.op->name == "_FusedElementwise";
}

// Whether the node makes one value of those of all replicas.
bool Combines(const Node& node) {
  return node.op->name == "AddN" || node.op->name == "ConcatV2" || IsFused(node);
}

std::vector<FusedStep> StepsOf(const Node& node) {
  std::vector<FusedStep> steps;
  const AttrValue* const texts = node.attrs.Find("steps");
  for (const std::string& text : *texts->get<std::vector<std::string>>())
    steps.push_back(ParseFusedStep(text).value_or(FusedStep{text, {}}));
  return steps;
}

// The numbers of the inputs in the order in which they are read, some more than once.
std::vector<int> ReadsOf(const Node& node) {
  std::vector<int> reads;
  if (!IsFused(node)) {
    reads.resize(node.inputs.size());
    std::iota(reads.begin(), reads.end(), 0);
    return reads;
  }
  for (const FusedStep& step : StepsOf(node)) {
    std::copy_if(step.operands.begin(), step.operands.end(), std::back_inserter(reads),
                 [&](int operand) { return operand < node.num_inputs(); });
  }
  return reads;
}

}  // namespace

bool SharedPart::Match(StampedChannels& channels) {
  FindSites();
  if (of_site_[0].size() != of_site_[1].size()) return false;
  for (size_t i = 0; i < of_site_[1].size(); ++i) {
    twin_[Index(of_site_[0][i])] = of_site_[1][i];
    twin_[Index(of_site_[1][i])] = of_site_[0][i];
  }
  for (const NodeId last : of_site_[1]) {
    if (!MatchTwins(graph_.node(twin_[Index(last)]), graph_.node(last), channels)) return false;
  }
  return FindReaders();
}

std::optional<Graph> SharedPart::Complete(const StampedChannels& channels) {
  if (!FindOrder() || !FindNames()) return {};
  steps_.assign(Index(graph_.num_nodes()), 0);
  for (const NodeId id : of_site_[1]) {
    if (IsEnd(graph_.node(id))) steps_[Index(id)] = channels.StepOf(old_channel_[Index(id)]);
  }
  Graph made(graph_.ops());
  made.Reserve(static_cast<int>(order_.size()));
  made.TakeLocations(graph_);
  made.set_extras(graph_.extras());
  new_ids_.assign(Index(graph_.num_nodes()), kNone);
  copy_ids_.assign(of_site_[1].size() * static_cast<size_t>(copies_), kNone);
  for (const Item& item : order_) {
    std::optional<Node> node = item.copy == 0 ? Itself(item.node) : CopyOf(graph_.node(item.node), item.copy);
    if (!node) return {};
    IdOf(item) = made.AddResolved(*std::move(node));
  }
  for (const BackEdge& edge : back_edges_)
    made.mutable_node(IdOf({edge.reader, 0})).inputs[static_cast<size_t>(edge.input)].node = IdOf({edge.source, 0});
  return made;
}

// A node is of a device if it sends to it, gets a value from it, or computes from such a value alone.
void SharedPart::FindSites() {
  site_.assign(Index(graph_.num_nodes()), kNoSite);
  number_.assign(Index(graph_.num_nodes()), 0);
  twin_.assign(Index(graph_.num_nodes()), kNone);
  old_channel_.assign(Index(graph_.num_nodes()), -1);
  for (const Node& node : graph_.nodes()) {
    int& site = site_[Index(node.id)];
    if (IsEnd(node)) {
      old_channel_[Index(node.id)] = NumberOfChannel(node);
      const Result<int64_t> peer = node.attrs.Get<int64_t>("peer");
      for (int s = 0; s < 2; ++s) site = peer.ok() && *peer == ranks_[s] ? s : site;
    } else if (!Combines(node)) {
      site = SiteOfInputs(node);
    }
  }
  FindSitesOfSources();
  for (const Node& node : graph_.nodes()) {
    const int site = SiteOf(node.id);
    if (site == kNoSite) continue;
    number_[Index(node.id)] = static_cast<int>(of_site_[site].size());
    of_site_[site].push_back(node.id);
  }
}

// A node without inputs, as a Const, is of the device of whose nodes all are that read it.
void SharedPart::FindSitesOfSources() {
  const Consumers consumers = graph_.BuildConsumers();
  for (const Node& node : graph_.nodes()) {
    if (!node.inputs.empty() || !node.control_inputs.empty() || IsEnd(node) || node.op->is_stateful) continue;
    const std::span<const Consumers::Edge> readers = consumers.of(node.id);
    if (readers.empty()) continue;
    const int site = SiteOf(readers[0].node);
    const bool is_of_site =
        std::all_of(readers.begin(), readers.end(), [&](const auto& edge) { return SiteOf(edge.node) == site; });
    if (is_of_site) site_[Index(node.id)] = site;
  }
}

int SharedPart::SiteOfInputs(const Node& node) const {
  int site = kNoSite;
  for (const Output input : node.inputs) {
    const int of_input = input.valid() ? SiteOf(input.node) : kNoSite;
    if (of_input == kNoSite) continue;
    if (site != kNoSite && of_input != site) return kNoSite;
    site = of_input;
  }
  return site;
}

// Whether `last` reads for its device what `before` reads for its own.
bool SharedPart::StandsFor(NodeId before, NodeId last) const {
  if (SiteOf(last) == kNoSite) return before == last;
  return SiteOf(last) == 1 && twin_[Index(last)] == before;
}

bool SharedPart::MatchTwins(const Node& before, const Node& last, StampedChannels& channels) const {
  if (before.op != last.op || before.inputs.size() != last.inputs.size() ||
      before.control_inputs.size() != last.control_inputs.size() || before.output_shapes != last.output_shapes ||
      !AreEqualBut(before.attrs, last.attrs, IsEnd(last) ? "peer" : ""))
    return false;
  if (IsEnd(last) && !channels.ArePaired(NumberOfChannel(before), NumberOfChannel(last))) return false;
  for (size_t i = 0; i < last.inputs.size(); ++i) {
    const Output a = before.inputs[i];
    const Output b = last.inputs[i];
    if (a.valid() != b.valid() || a.port != b.port || (b.valid() && !StandsFor(a.node, b.node))) return false;
  }
  return std::all_of(last.control_inputs.begin(), last.control_inputs.end(), [&](NodeId b) {
    const NodeId a = SiteOf(b) == kNoSite ? b : twin_[Index(b)];
    return SiteOf(b) != 0 && std::binary_search(before.control_inputs.begin(), before.control_inputs.end(), a);
  });
}

// Finds the inputs at which others read what is the last device's: once for it, and once for each copy.
bool SharedPart::FindReaders() {
  std::map<std::pair<NodeId, int32_t>, int> of_before;
  for (const Node& node : graph_.nodes()) {
    if (SiteOf(node.id) != kNoSite) continue;
    for (const int i : ReadsOf(node)) {
      const Output input = node.inputs[static_cast<size_t>(i)];
      if (!input.valid() || SiteOf(input.node) == kNoSite) continue;
      if (!Combines(node)) return false;
      if (SiteOf(input.node) == 1) readers_[{input.node, input.port}].push_back(node.id);
      if (SiteOf(input.node) == 0) ++of_before[{twin_[Index(input.node)], input.port}];
    }
    for (const NodeId control : node.control_inputs) {
      if (SiteOf(control) == kNoSite) continue;
      const std::vector<NodeId>& all = node.control_inputs;
      if (!std::binary_search(all.begin(), all.end(), twin_[Index(control)])) return false;
    }
  }
  if (of_before.size() != readers_.size()) return false;
  return std::all_of(readers_.begin(), readers_.end(), [&](const auto& entry) {
    const auto before = of_before.find(entry.first);
    return before != of_before.end() && before->second == 1 && entry.second.size() == static_cast<size_t>(copies_) + 1;
  });
}

// The first node that reads what is a copy's, of values of the nodes from `begin` to `end`; kNone: none does.
NodeId SharedPart::FirstReader(NodeId begin, NodeId end, int copy) const {
  NodeId first = kNone;
  for (auto found = readers_.lower_bound({begin, 0}); found != readers_.end() && found->first.first < end; ++found) {
    const NodeId reader = found->second[static_cast<size_t>(copy)];
    if (first == kNone || reader < first) first = reader;
  }
  return first;
}

// Puts the copies of nodes behind the last device's, which come right behind those of the one before. A Recv stands
// before its first reader, which for a copy may be another.
bool SharedPart::FindOrder() {
  std::unordered_map<NodeId, std::vector<Item>> before_reader;
  for (NodeId id = 0; id < graph_.num_nodes();) {
    if (SiteOf(id) != 1) {
      if (const auto found = before_reader.find(id); found != before_reader.end())
        order_.insert(order_.end(), found->second.begin(), found->second.end());
      order_.push_back({id++, 0});
      continue;
    }
    NodeId end = id;
    while (end < graph_.num_nodes() && SiteOf(end) == 1) ++end;
    const NodeId length = end - id;
    bool goes_with_reader = true;
    for (NodeId last = id; last < end; ++last) {
      if (last < length || twin_[Index(last)] != last - length) return false;
      order_.push_back({last, 0});
      const Node& node = graph_.node(last);
      goes_with_reader = goes_with_reader && (IsRecv(node) || RestoresMessage(graph_, node));
    }
    if (!goes_with_reader) {
      for (int copy = 1; copy <= copies_; ++copy) Append(id, end, copy, order_);
    } else if (!AppendWithReaders(id, end, before_reader)) {
      return false;
    }
    id = end;
  }
  return true;
}

void SharedPart::Append(NodeId begin, NodeId end, int copy, std::vector<Item>& to) {
  for (NodeId id = begin; id < end; ++id) to.push_back({id, copy});
}

// False: what a Recv waits for was chosen by the reader of another.
bool SharedPart::AppendWithReaders(NodeId begin, NodeId end,
                                   std::unordered_map<NodeId, std::vector<Item>>& before_reader) {
  for (int copy = 1; copy <= copies_; ++copy) {
    for (NodeId recv = begin; recv < end;) {
      NodeId next = recv + 1;
      while (next < end && !IsRecv(graph_.node(next))) ++next;
      const NodeId reader = FirstReader(recv, next, copy);
      const bool is_with_last = reader == FirstReader(recv, next, 0);
      if (!is_with_last && !graph_.node(recv).control_inputs.empty()) return false;
      Append(recv, next, copy, is_with_last ? order_ : before_reader[reader]);
      recv = next;
    }
  }
  return true;
}

bool SharedPart::FindNames() {
  for (const NodeId id : of_site_[1]) {
    std::optional<NumberedName> name = NumberedName::Of(graph_.node(twin_[Index(id)]).name, graph_.node(id).name);
    if (!name) return false;
    names_.push_back(*std::move(name));
  }
  return true;
}

NodeId& SharedPart::IdOf(Item item) {
  if (item.copy == 0) return new_ids_[Index(item.node)];
  return copy_ids_[static_cast<size_t>(number_[Index(item.node)]) * static_cast<size_t>(copies_) +
                   static_cast<size_t>(item.copy - 1)];
}

// Takes the node out of the part, but for one that is copied. Nothing where it reads what has not been made.
std::optional<Node> SharedPart::Itself(NodeId id) {
  Node node;
  if (SiteOf(id) == 1) {
    node = graph_.node(id);
  } else {
    node = std::move(graph_.mutable_node(id));
  }
  node.attrs.Erase(kSumOfReplicas);
  const bool is_shared = SiteOf(id) == kNoSite;
  const std::vector<Output> inputs = node.inputs;
  const auto is_of_last = [&](Output input) { return input.valid() && SiteOf(input.node) == 1; };
  if (is_shared && IsFused(node) && std::any_of(node.inputs.begin(), node.inputs.end(), is_of_last)) {
    if (!ReadAll(node)) return {};
  } else {
    for (Output& input : node.inputs) {
      if (input.valid()) input.node = IdOf({input.node, is_shared ? NextCopy(input) : 0});
    }
  }
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[static_cast<size_t>(i)].node != kNone || !inputs[static_cast<size_t>(i)].valid()) continue;
    if (!is_shared || node.op->traits.control_flow != ControlFlowKind::kMerge) return {};
    back_edges_.push_back({id, i, inputs[static_cast<size_t>(i)].node});
  }
  const std::vector<NodeId> controls = std::exchange(node.control_inputs, {});
  for (const NodeId control : controls) {
    const int copies = is_shared && SiteOf(control) == 1 ? copies_ : 0;
    for (int copy = 0; copy <= copies; ++copy) node.control_inputs.push_back(IdOf({control, copy}));
  }
  return InOrder(std::move(node));
}

// Has a fused node read the values of all devices. Its inputs come in the order in which they are read first. False:
// it reads columns of some.
bool SharedPart::ReadAll(Node& node) {
  const Result<std::vector<int64_t>> columns = node.attrs.Get<std::vector<int64_t>>("first_columns");
  const Result<std::vector<int64_t>> scalars = node.attrs.Get<std::vector<int64_t>>("scalars");
  Result<std::vector<int64_t>> outputs = node.attrs.Get<std::vector<int64_t>>("outputs");
  if (!columns.ok() || !columns->empty() || !scalars.ok() || !outputs.ok()) return false;
  std::vector<FusedStep> steps = StepsOf(node);
  const std::vector<Output> inputs = std::exchange(node.inputs, {});
  const std::vector<TypedArg> types = std::exchange(node.input_types, {});
  const auto count = static_cast<int>(inputs.size());
  std::map<std::pair<int, int>, int> numbers;  // by input and copy
  std::vector<int64_t> new_scalars;
  for (FusedStep& step : steps) {
    for (int& operand : step.operands) {
      if (operand >= count) continue;
      const Output input = inputs[static_cast<size_t>(operand)];
      const int copy = NextCopy(input);
      const auto [number, is_new] = numbers.try_emplace({operand, copy}, node.num_inputs());
      if (is_new) {
        if (std::find(scalars->begin(), scalars->end(), operand) != scalars->end())
          new_scalars.push_back(node.num_inputs());
        node.inputs.push_back({IdOf({input.node, copy}), input.port});
        node.input_types.push_back(types[static_cast<size_t>(operand)]);
      }
      operand = ~number->second;  // until the results are numbered behind the inputs
    }
  }
  const int shift = node.num_inputs() - count;
  std::vector<std::string> texts;
  for (FusedStep& step : steps) {
    for (int& operand : step.operands) operand = operand < 0 ? ~operand : operand + shift;
    texts.push_back(PrintFusedStep(step));
  }
  for (int64_t& output : *outputs) output += shift;
  node.attrs.Set("N", static_cast<int64_t>(node.num_inputs()));
  node.attrs.Set("steps", std::move(texts));
  node.attrs.Set("scalars", std::move(new_scalars));
  node.attrs.Set("outputs", *std::move(outputs));
  return true;
}

// A copy of a Send or Recv has of the attrs those by which plans find its other end.
std::optional<Node> SharedPart::CopyOf(const Node& from, int copy) {
  Node node;
  node.name = names_[static_cast<size_t>(number_[Index(from.id)])].OfCopy(copy);
  node.op = from.op;
  node.inputs = from.inputs;
  node.control_inputs = from.control_inputs;
  node.input_types = from.input_types;
  node.output_types = from.output_types;
  node.output_shapes = from.output_shapes;
  node.device = from.device;
  node.colocate_with = from.colocate_with;
  node.location = from.location;
  if (IsEnd(from)) {
    node.attrs = {{"channel", NumberOfChannel(from) + copy * steps_[Index(from.id)]},
                  {"peer", static_cast<int64_t>(devices_[Index(last_) + Index(copy)].rank)}};
  } else {
    node.attrs = from.attrs;
  }
  for (Output& input : node.inputs) {
    if (!input.valid()) continue;
    input.node = IdOf({input.node, SiteOf(input.node) == 1 ? copy : 0});
    if (input.node == kNone) return {};
  }
  for (NodeId& control : node.control_inputs) control = IdOf({control, SiteOf(control) == 1 ? copy : 0});
  return InOrder(std::move(node));
}

std::optional<Node> SharedPart::InOrder(Node node) {
  std::sort(node.control_inputs.begin(), node.control_inputs.end());
  if (!node.control_inputs.empty() && node.control_inputs[0] == kNone) return {};
  return node;
}

}  // namespace dfrun::jobs
