#include "src/session/compile_copies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/base/text.h"
#include "src/graph/colocation_head.h"
#include "src/graph/order/participants.h"

namespace dfrun {
namespace {

// Numbers and names by which kernels alone tell nodes apart: no pass looks at them.
constexpr std::string_view kNumbers[] = {"replica", "seed", "seed2"};
constexpr std::string_view kNames[] = {"_position", "frame_name"};

template <size_t N>
bool IsOneOf(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// A node, and the one that stands for it in a copy.
struct Pair {
  NodeId from;
  NodeId to;
};

// The nodes of one signature that stand for those of another.
class NodeMatch {
 public:
  NodeMatch(const Graph& graph, const RunSignature& from, const RunSignature& to)
      : graph_(graph), to_of_(static_cast<size_t>(graph.num_nodes()), kNone), from_of_(to_of_) {
    matches_ = Match(from, to);
  }
  // Whether the signatures run the same nodes but for their names.
  bool matches() const { return matches_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  // Returns the values of the attrs kNames, with those in the copy.
  const std::unordered_map<std::string, std::string>& names() const { return names_; }

 private:
  static constexpr NodeId kNone = -1;

  bool Match(const RunSignature& from, const RunSignature& to) {
    if (!from.feeds.empty() || !to.feeds.empty() || !from.fetches.empty() || !to.fetches.empty()) return false;
    if (from.targets.size() != to.targets.size()) return false;
    for (size_t i = 0; i < from.targets.size(); ++i) {
      if (!Add(from.targets[i], to.targets[i])) return false;
    }
    for (size_t next = 0; next < pairs_.size(); ++next) {
      if (!MatchNodes(pairs_[next])) return false;
    }
    return true;
  }

  // Returns false where one of the two stands for another node already.
  bool Add(NodeId from, NodeId to) {
    NodeId& known_to = to_of_[static_cast<size_t>(from)];
    NodeId& known_from = from_of_[static_cast<size_t>(to)];
    if (known_to == to && known_from == from) return true;
    if (known_to != kNone || known_from != kNone) return false;
    known_to = to;
    known_from = from;
    pairs_.push_back({from, to});
    return true;
  }

  bool MatchNodes(Pair pair) {
    const Node& from = graph_.node(pair.from);
    const Node& to = graph_.node(pair.to);
    if (pair.from != pair.to) {
      if (from.op != to.op || from.device != to.device || from.inputs.size() != to.inputs.size()) return false;
      if (from.output_shapes != to.output_shapes || !MatchAttrs(from.attrs, to.attrs, from.op->is_stateful))
        return false;
    }
    if (!MatchColocation(from, to)) return false;
    for (size_t i = 0; i < from.inputs.size(); ++i) {
      const Output a = from.inputs[i];
      const Output b = to.inputs[i];
      if (a.valid() != b.valid() || a.port != b.port) return false;
      if (a.valid() && !Add(a.node, b.node)) return false;
    }
    return MatchControls(from.control_inputs, to.control_inputs);
  }

  // The nodes of a group have one head, which need not run.
  bool MatchColocation(const Node& from, const Node& to) {
    const NodeId a = HeadOfColocation(graph_, from).id;
    const NodeId b = HeadOfColocation(graph_, to).id;
    return heads_.emplace(a, b).first->second == b && heads_of_copy_.emplace(b, a).first->second == a;
  }

  // Both are sorted by id. Nodes that both wait for stand for themselves.
  bool MatchControls(const std::vector<NodeId>& from, const std::vector<NodeId>& to) {
    if (from.size() != to.size()) return false;
    if (from == to) {
      return std::all_of(from.begin(), from.end(), [&](NodeId id) { return Add(id, id); });
    }
    std::vector<NodeId> a;
    std::vector<NodeId> b;
    std::set_difference(from.begin(), from.end(), to.begin(), to.end(), std::back_inserter(a));
    std::set_difference(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(b));
    for (const NodeId id : from) {
      if (std::binary_search(to.begin(), to.end(), id) && !Add(id, id)) return false;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      if (!Add(a[i], b[i])) return false;
    }
    return true;
  }

  bool MatchAttrs(const AttrMap& from, const AttrMap& to, bool is_stateful) {
    if (from.size() != to.size()) return false;
    return std::equal(from.begin(), from.end(), to.begin(), [&](const AttrMap::Entry& a, const AttrMap::Entry& b) {
      if (a.first != b.first) return false;
      if (is_stateful && IsOneOf(kNumbers, a.first))
        return a.second.get<int64_t>() != nullptr && b.second.get<int64_t>() != nullptr;
      if (IsOneOf(kNames, a.first)) return MatchNames(a.second.get<std::string>(), b.second.get<std::string>());
      return a.second == b.second;
    });
  }

  bool MatchNames(const std::string* from, const std::string* to) {
    return from != nullptr && to != nullptr && names_.emplace(*from, *to).first->second == *to;
  }

  const Graph& graph_;
  std::vector<NodeId> to_of_;    // by node; kNone: none yet
  std::vector<NodeId> from_of_;  // by node of the copy
  std::vector<Pair> pairs_;
  std::unordered_map<NodeId, NodeId> heads_;  // heads of groups that are colocated
  std::unordered_map<NodeId, NodeId> heads_of_copy_;
  std::unordered_map<std::string, std::string> names_;
  bool matches_ = false;
};

// Makes the copies of one signature's partitions.
class PartitionCopier {
 public:
  PartitionCopier(const Graph& graph, const NodeMatch& match, int32_t channel_shift)
      : graph_(graph), match_(match), channel_shift_(channel_shift) {
    for (const Pair& pair : match.pairs()) pairs_.emplace(graph.node(pair.from).name, Named{pair});
  }

  // Returns nothing where the names in the partitions do not tell what they stand for.
  std::optional<std::vector<Partition>> Run(const std::vector<Partition>& partitions) {
    std::vector<Partition> copies;
    for (const Partition& partition : partitions) {
      std::optional<Graph> graph = CopyGraph(partition.graph);
      if (!graph) return std::nullopt;
      copies.push_back({partition.device, partition.rank, *std::move(graph)});
    }
    const bool all_told_apart = std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& entry) {
      return entry.second.is_met || !AreToldApart(entry.second.pair);
    });
    if (!all_told_apart) return std::nullopt;
    return copies;
  }

 private:
  struct Named {
    Pair pair;
    bool is_met = false;  // some partition has a node of this name and op
  };

  bool AreToldApart(const Pair& pair) const {
    const AttrMap& from = graph_.node(pair.from).attrs;
    const AttrMap& to = graph_.node(pair.to).attrs;
    return std::any_of(std::begin(kNumbers), std::end(kNumbers), [&](std::string_view name) {
      const AttrValue* const number = from.Find(name);
      return number != nullptr && !(*number == *to.Find(name));
    });
  }

  std::optional<Graph> CopyGraph(const Graph& graph) {
    Graph copy(graph.ops());
    copy.Reserve(graph.num_nodes());
    copy.TakeLocations(graph);
    copy.set_extras(graph.extras());
    for (const Node& node : graph.nodes()) {
      Node renamed = node;
      renamed.name = NameOfNode(node);
      renamed.colocate_with = NameInCopy(node.colocate_with);
      const bool is_copied = !IsParticipant(node) && copy.Find(renamed.name) < 0 && SetAttrs(node, renamed.attrs);
      if (!is_copied) return std::nullopt;
      copy.AddResolved(std::move(renamed));
    }
    return copy;
  }

  // Returns false where a node of one name has become another.
  bool SetAttrs(const Node& node, AttrMap& attrs) {
    for (const std::string_view name : kNames) SetName(name, attrs);
    if (const AttrValue* const channel = node.attrs.Find("channel")) {
      attrs.Set("channel", *channel->get<int64_t>() + channel_shift_);
      if (const AttrValue* const value = node.attrs.Find("tensor_name"))
        attrs.Set("tensor_name", ValueInCopy(*value->get<std::string>()));
    }
    const auto found = pairs_.find(node.name);
    if (found == pairs_.end() || !AreToldApart(found->second.pair)) return true;
    const Node& from = graph_.node(found->second.pair.from);
    const Node& to = graph_.node(found->second.pair.to);
    if (node.op != from.op) return false;
    found->second.is_met = true;
    for (const std::string_view name : kNumbers) {
      const AttrValue* const number = from.attrs.Find(name);
      if (number == nullptr) continue;
      const AttrValue* const here = node.attrs.Find(name);
      if (here == nullptr || !(*here == *number)) return false;
      attrs.Set(name, *to.attrs.Find(name));
    }
    return true;
  }

  void SetName(std::string_view name, AttrMap& attrs) const {
    const AttrValue* const value = attrs.Find(name);
    const std::string* const text = value == nullptr ? nullptr : value->get<std::string>();
    if (text == nullptr) return;
    const auto found = match_.names().find(*text);
    if (found != match_.names().end()) attrs.Set(name, std::string(found->second));
  }

  // "^name", "name:port" or "name".
  std::string ValueInCopy(const std::string& value) const {
    if (value.starts_with('^')) return "^" + NameInCopy(value.substr(1));
    const size_t colon = value.rfind(':');
    if (colon == std::string::npos) return NameInCopy(value);
    return NameInCopy(value.substr(0, colon)) + value.substr(colon);
  }

  // The name of a Send or Recv ends with its channel.
  std::string NameOfNode(const Node& node) const {
    std::string name = NameInCopy(node.name);
    const AttrValue* const channel = node.attrs.Find("channel");
    if (channel == nullptr) return name;
    const std::string number = StrCat("_", *channel->get<int64_t>());
    if (!name.ends_with(number)) return name;
    name.resize(name.size() - number.size());
    return StrCat(name, "_", *channel->get<int64_t>() + channel_shift_);
  }

  // A name that passes have made begins with that of a node.
  std::string NameInCopy(const std::string& name) const {
    for (size_t end = name.size(); end != std::string::npos && end > 0; end = name.find_last_of("/_", end - 1)) {
      const auto found = pairs_.find(std::string_view(name).substr(0, end));
      if (found != pairs_.end()) return graph_.node(found->second.pair.to).name + name.substr(end);
    }
    return name;
  }

  const Graph& graph_;
  const NodeMatch& match_;
  const int32_t channel_shift_;
  std::unordered_map<std::string_view, Named> pairs_;  // by name
};

}  // namespace

SignatureCompiler::Partitions SignatureCompiler::CopyOf(const Compiled& compiled, const RunSignature& signature) {
  const NodeMatch match(graph_, compiled.signature, signature);
  if (!match.matches()) return nullptr;
  const int32_t shift = *next_channel_ - compiled.first_channel;
  std::optional<std::vector<Partition>> copies = PartitionCopier(graph_, match, shift).Run(*compiled.partitions);
  if (!copies) return nullptr;
  return std::make_shared<const std::vector<Partition>>(*std::move(copies));
}

Result<SignatureCompiler::Partitions> SignatureCompiler::Compile(const RunSignature& signature) {
  const int32_t most = runtime_.communicator().max_channels();
  for (const Compiled& compiled : compiled_) {
    const int32_t channels = compiled.end_channel - compiled.first_channel;
    if (channels > most - *next_channel_) continue;  // CompileRun() says so
    if (Partitions copies = CopyOf(compiled, signature)) {
      *next_channel_ += channels;
      return copies;
    }
  }
  const int32_t first = *next_channel_;
  DF_ASSIGN(std::vector<Partition> partitions, CompileRun(graph_, signature, runtime_, options_, next_channel_));
  compiled_.push_back({.signature = signature,
                       .partitions = std::make_shared<const std::vector<Partition>>(std::move(partitions)),
                       .first_channel = first,
                       .end_channel = *next_channel_});
  return compiled_.back().partitions;
}

}  // namespace dfrun
