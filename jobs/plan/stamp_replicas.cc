#include "jobs/plan/stamp_replicas.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/graph/order/node_order.h"
#include "src/graph/order/participants.h"
#include "src/training/replicas.h"

namespace dfrun::jobs {
namespace {

// Attrs of the nodes of a replica by which it differs from others. Those of channels are compared by themselves.
constexpr std::string_view kOwnAttrs[] = {"slice",       "seed2",       "frame_name", "channel",
                                          "tensor_name", "send_device", "recv_device"};

bool AreEqualBut(const AttrMap& a, const AttrMap& b, std::string_view other_name = "") {
  if (a.size() != b.size()) return false;
  return std::equal(a.begin(), a.end(), b.begin(), [&](const AttrMap::Entry& x, const AttrMap::Entry& y) {
    if (x.first != y.first) return false;
    const bool may_differ =
        x.first == other_name || std::find(std::begin(kOwnAttrs), std::end(kOwnAttrs), x.first) != std::end(kOwnAttrs);
    return may_differ || x.second == y.second;
  });
}

bool IsEnd(const Node& node) {
  return IsSend(node) || IsRecv(node);
}

// The channel of a Send or Recv; -1: there is none.
int64_t NumberOfChannel(const Node& node) {
  const Result<int64_t> channel = node.attrs.Get<int64_t>("channel");
  return channel.ok() ? *channel : -1;
}

// The Cast behind a Recv of a compressed value, which the partitioner adds with it.
bool IsRestored(const Graph& graph, const Node& node) {
  return node.op->name == "Cast" && node.num_inputs() == 1 && IsRecv(graph.node(node.inputs[0].node)) &&
         node.name.find("/_restored_") != std::string::npos;
}

bool IsFused(const Node& node) {
  return node.op->name == "_FusedElementwise";
}

// Whether the node makes one value of those of all replicas.
bool Combines(const Node& node) {
  return node.op->name == "AddN" || node.op->name == "ConcatV2" || IsFused(node);
}

// The operands of the steps of a fused node (kernels/math/elementwise/fused_elementwise_op.cc): its inputs, and behind
// these the results of the steps.
struct FusedSteps {
  std::vector<std::string> ops;
  std::vector<std::vector<int>> operands;  // by step
};

FusedSteps StepsOf(const Node& node) {
  FusedSteps steps;
  const AttrValue* const texts = node.attrs.Find("steps");
  for (const std::string& text : *texts->get<std::vector<std::string>>()) {
    std::istringstream words(text);
    words >> steps.ops.emplace_back();
    std::vector<int>& operands = steps.operands.emplace_back();
    for (int operand = 0; words >> operand;) operands.push_back(operand);
  }
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
  for (const std::vector<int>& operands : StepsOf(node).operands) {
    std::copy_if(operands.begin(), operands.end(), std::back_inserter(reads),
                 [&](int operand) { return operand < node.num_inputs(); });
  }
  return reads;
}

// The channels of a step, in the order of their numbers.
class Channels {
 public:
  // Says that a channel of the last device stands where `before` does on the last but one.
  void Pair(int64_t before, int64_t last) {
    Grow(std::max(before, last));
    of_[Index(before)].next = last;
    of_[Index(before)].site = kBefore;
    of_[Index(last)].site = kLast;
  }
  bool ArePaired(int64_t before, int64_t last) const {
    return before >= 0 && before < size() && of_[Index(before)].next == last;
  }
  void Grow(int64_t channel) {
    if (channel >= size()) of_.resize(Index(channel) + 1);
  }

  // Gives the channels of copies numbers behind those of the last device, which come right behind those of the one
  // before, and the others later ones. False: they do not come so.
  bool Number(int copies) {
    int64_t shift = 0;
    for (int64_t c = 0; c < size();) {
      of_[Index(c)].number = c + shift;
      if (of_[Index(c)].site != kLast) {
        ++c;
        continue;
      }
      int64_t end = c;
      while (end < size() && of_[Index(end)].site == kLast) ++end;
      const int64_t step = end - c;
      for (int64_t last = c; last < end; ++last) {
        if (last < step || !ArePaired(last - step, last)) return false;
        of_[Index(last)].number = last + shift;
        of_[Index(last)].step = step;
      }
      shift += step * copies;
      c = end;
    }
    return true;
  }
  int64_t NumberOf(int64_t channel) const { return of_[Index(channel)].number; }
  int64_t StepOf(int64_t channel) const { return of_[Index(channel)].step; }

 private:
  enum Site { kOther, kBefore, kLast };
  struct Channel {
    Site site = kOther;
    int64_t next = -1;  // the channel of the last device
    int64_t number = 0;
    int64_t step = 0;
  };

  static size_t Index(int64_t i) { return static_cast<size_t>(i); }
  int64_t size() const { return static_cast<int64_t>(of_.size()); }

  std::vector<Channel> of_;
};

// Gives the ends of channels their numbers, and the names that these make.
void NumberEnds(const Channels& channels, Graph& graph) {
  const auto rename = [](Node& node, int64_t from, int64_t to) {
    const std::string end = "_" + std::to_string(from);
    if (!node.name.ends_with(end)) return;
    node.name.resize(node.name.size() - end.size() + 1);
    node.name += std::to_string(to);
  };
  // A Cast behind a Recv is named by the number that the Recv had.
  for (NodeId id = graph.num_nodes() - 1; id >= 0; --id) {
    Node& node = graph.mutable_node(id);
    if (IsEnd(node)) {
      const int64_t channel = NumberOfChannel(node);
      rename(node, channel, channels.NumberOf(channel));
      node.attrs.Set("channel", channels.NumberOf(channel));
    } else if (IsRestored(graph, node)) {
      const int64_t channel = NumberOfChannel(graph.node(node.inputs[0].node));
      rename(node, channel, channels.NumberOf(channel));
    }
  }
}

// Whether two parts are those of replicas. Adds what the channels of the one are in the other.
bool MatchParts(const Graph& before, const Graph& last, Channels& channels) {
  if (before.num_nodes() != last.num_nodes()) return false;
  for (const Node& a : before.nodes()) {
    const Node& b = last.node(a.id);
    if (a.op != b.op || a.inputs != b.inputs || a.control_inputs != b.control_inputs ||
        a.output_shapes != b.output_shapes || !AreEqualBut(a.attrs, b.attrs))
      return false;
    if (IsEnd(a)) channels.Pair(NumberOfChannel(a), NumberOfChannel(b));
  }
  return true;
}

// A part of the step that is none of a replica alone.
class SharedPart {
 public:
  SharedPart(Graph& graph, int before_rank, const std::vector<ClusterDevice>& devices, int last)
      : graph_(graph),
        ranks_{before_rank, devices[static_cast<size_t>(last)].rank},
        devices_(devices),
        last_(last),
        copies_(static_cast<int>(devices.size()) - last - 1) {}

  // Finds what it has for the last two devices. False: that is not equal.
  bool Match(Channels& channels) {
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

  // The part with what it has for all devices. Nothing where its order is not that of the devices.
  std::optional<Graph> Complete(const Channels& channels) {
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

 private:
  static constexpr NodeId kNone = -1;
  static constexpr int kNoSite = -1;

  // A node, or a copy of one: 0 is the node itself.
  struct Item {
    NodeId node;
    int copy;
  };

  // Closes a loop of what is not a copy.
  struct BackEdge {
    NodeId reader;
    int input;
    NodeId source;
  };

  static size_t Index(NodeId id) { return static_cast<size_t>(id); }
  int SiteOf(NodeId id) const { return site_[Index(id)]; }

  // A node is of a device if it sends to it, gets a value from it, or computes from such a value alone.
  void FindSites() {
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
  void FindSitesOfSources() {
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

  int SiteOfInputs(const Node& node) const {
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
  bool StandsFor(NodeId before, NodeId last) const {
    if (SiteOf(last) == kNoSite) return before == last;
    return SiteOf(last) == 1 && twin_[Index(last)] == before;
  }

  bool MatchTwins(const Node& before, const Node& last, Channels& channels) const {
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
  bool FindReaders() {
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
      return before != of_before.end() && before->second == 1 &&
             entry.second.size() == static_cast<size_t>(copies_) + 1;
    });
  }

  // The first node that reads what is a copy's, of values of the nodes from `begin` to `end`; kNone: none does.
  NodeId FirstReader(NodeId begin, NodeId end, int copy) const {
    NodeId first = kNone;
    for (auto found = readers_.lower_bound({begin, 0}); found != readers_.end() && found->first.first < end; ++found) {
      const NodeId reader = found->second[static_cast<size_t>(copy)];
      if (first == kNone || reader < first) first = reader;
    }
    return first;
  }

  // Puts the copies of nodes behind the last device's, which come right behind those of the one before. A Recv stands
  // before its first reader, which for a copy may be another.
  bool FindOrder() {
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
        goes_with_reader = goes_with_reader && (IsRecv(node) || IsRestored(graph_, node));
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

  static void Append(NodeId begin, NodeId end, int copy, std::vector<Item>& to) {
    for (NodeId id = begin; id < end; ++id) to.push_back({id, copy});
  }

  // False: what a Recv waits for was chosen by the reader of another.
  bool AppendWithReaders(NodeId begin, NodeId end, std::unordered_map<NodeId, std::vector<Item>>& before_reader) {
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

  bool FindNames() {
    for (const NodeId id : of_site_[1]) {
      std::optional<NumberedName> name = NumberedName::Of(graph_.node(twin_[Index(id)]).name, graph_.node(id).name);
      if (!name) return false;
      names_.push_back(*std::move(name));
    }
    return true;
  }

  NodeId& IdOf(Item item) {
    if (item.copy == 0) return new_ids_[Index(item.node)];
    return copy_ids_[static_cast<size_t>(number_[Index(item.node)]) * static_cast<size_t>(copies_) +
                     static_cast<size_t>(item.copy - 1)];
  }

  // Takes the node out of the part, but for one that is copied. Nothing where it reads what has not been made.
  std::optional<Node> Itself(NodeId id) {
    Node node = SiteOf(id) == 1 ? graph_.node(id) : std::move(graph_.mutable_node(id));
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

  // The copy whose value is read next where the last device's is.
  int NextCopy(Output input) { return SiteOf(input.node) == 1 ? reads_[{input.node, input.port}]++ : 0; }

  // Has a fused node read the values of all devices. Its inputs come in the order in which they are read first. False:
  // it reads columns of some.
  bool ReadAll(Node& node) {
    const Result<std::vector<int64_t>> columns = node.attrs.Get<std::vector<int64_t>>("first_columns");
    const Result<std::vector<int64_t>> scalars = node.attrs.Get<std::vector<int64_t>>("scalars");
    Result<std::vector<int64_t>> outputs = node.attrs.Get<std::vector<int64_t>>("outputs");
    if (!columns.ok() || !columns->empty() || !scalars.ok() || !outputs.ok()) return false;
    FusedSteps steps = StepsOf(node);
    const std::vector<Output> inputs = std::exchange(node.inputs, {});
    const std::vector<TypedArg> types = std::exchange(node.input_types, {});
    const auto count = static_cast<int>(inputs.size());
    std::map<std::pair<int, int>, int> numbers;  // by input and copy
    std::vector<int64_t> new_scalars;
    for (std::vector<int>& operands : steps.operands) {
      for (int& operand : operands) {
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
    for (size_t step = 0; step < steps.ops.size(); ++step) {
      std::string& text = texts.emplace_back(steps.ops[step]);
      for (const int operand : steps.operands[step]) text += StrCat(" ", operand < 0 ? ~operand : operand + shift);
    }
    for (int64_t& output : *outputs) output += shift;
    node.attrs.Set("N", static_cast<int64_t>(node.num_inputs()));
    node.attrs.Set("steps", std::move(texts));
    node.attrs.Set("scalars", std::move(new_scalars));
    node.attrs.Set("outputs", *std::move(outputs));
    return true;
  }

  // A copy of a Send or Recv has of the attrs those by which plans find its other end.
  std::optional<Node> CopyOf(const Node& from, int copy) {
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
                    {"peer", static_cast<int64_t>(devices_[static_cast<size_t>(last_ + copy)].rank)}};
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

  static std::optional<Node> InOrder(Node node) {
    std::sort(node.control_inputs.begin(), node.control_inputs.end());
    if (!node.control_inputs.empty() && node.control_inputs[0] == kNone) return {};
    return node;
  }

  Graph& graph_;
  const int ranks_[2];
  const std::vector<ClusterDevice>& devices_;
  const int last_;  // among the devices
  const int copies_;
  std::vector<int> site_;             // by node: 0 for the last device but one, 1 for the last
  std::vector<NodeId> of_site_[2];    // in their order
  std::vector<int> number_;           // by node, in of_site_
  std::vector<NodeId> twin_;          // by node
  std::vector<int64_t> old_channel_;  // by node
  std::vector<int64_t> steps_;        // by node: from a copy's channel to that of the next
  std::map<std::pair<NodeId, int32_t>, std::vector<NodeId>> readers_;  // by output of the last device
  std::map<std::pair<NodeId, int32_t>, int> reads_;                    // that have been made
  std::vector<Item> order_;
  std::vector<BackEdge> back_edges_;
  std::vector<NumberedName> names_;  // by of_site_[1]
  std::vector<NodeId> new_ids_;      // by node
  std::vector<NodeId> copy_ids_;     // by node of the last device and copy
};

// The frames of loops in the part that is copied, each once. Nothing where their names tell no number.
std::optional<std::vector<std::pair<std::string, NumberedName>>> FramesOf(const Graph& before, const Graph& copied) {
  std::vector<std::pair<std::string, NumberedName>> frames;
  std::set<std::string> seen;
  for (const Node& node : copied.nodes()) {
    const AttrValue* const frame = node.attrs.Find("frame_name");
    if (frame == nullptr || !seen.insert(*frame->get<std::string>()).second) continue;
    const AttrValue* const frame_before = before.node(node.id).attrs.Find("frame_name");
    std::optional<NumberedName> name = NumberedName::Of(*frame_before->get<std::string>(), *frame->get<std::string>());
    if (!name) return {};
    frames.emplace_back(*frame->get<std::string>(), *std::move(name));
  }
  return frames;
}

}  // namespace

std::optional<PartCopies> StampReplicas(const ReplicaSites& sites, std::vector<Partition>& parts) {
  const int last = sites.made_devices - 1;
  const auto copies = static_cast<int>(sites.devices.size()) - sites.made_devices;
  const ClusterDevice& device = sites.devices[static_cast<size_t>(last)];
  const ClusterDevice& device_before = sites.devices[static_cast<size_t>(last - 1)];
  if (parts.size() < 2 || parts.back().device != device.name.ToString() ||
      parts[parts.size() - 2].device != device_before.name.ToString())
    return {};
  for (const Partition& part : parts) {
    if (std::any_of(part.graph.nodes().begin(), part.graph.nodes().end(), &IsParticipant)) return {};
  }
  Graph& copied = parts.back().graph;
  Graph& before = parts[parts.size() - 2].graph;
  Channels channels;
  for (const Partition& part : parts) {
    for (const Node& node : part.graph.nodes()) {
      if (IsEnd(node)) channels.Grow(NumberOfChannel(node));
    }
  }
  if (!MatchParts(before, copied, channels) || !channels.Number(copies)) return {};
  std::vector<SharedPart> shared;
  for (size_t i = 0; i + 2 < parts.size(); ++i) {
    shared.emplace_back(parts[i].graph, device_before.rank, sites.devices, last);
    if (!shared.back().Match(channels)) return {};
  }
  PartCopies found;
  auto frames = FramesOf(before, copied);
  if (!frames) return {};
  found.frames = *std::move(frames);
  for (const Node& node : copied.nodes())
    found.channel_steps.push_back(IsEnd(node) ? channels.StepOf(NumberOfChannel(node)) : 0);
  for (Partition& part : parts) NumberEnds(channels, part.graph);
  for (size_t i = 0; i < shared.size(); ++i) {
    std::optional<Graph> completed = shared[i].Complete(channels);
    if (!completed) return {};
    parts[i].graph = *std::move(completed);
  }
  for (const Node& node : copied.nodes()) {
    std::optional<NumberedName> name = NumberedName::Of(before.node(node.id).name, node.name);
    if (!name) return {};
    found.names.push_back(*std::move(name));
  }
  return found;
}

}  // namespace dfrun::jobs
