#include "src/training/warnings/input_warnings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/graph/location_prefix.h"
#include "src/graph/order/ancestors.h"
#include "src/spec/tied_inputs.h"
#include "src/training/copy_subgraph.h"

namespace dfrun {
namespace {

using Texts = std::vector<std::string>;

// Tells for each node whether the loss depends on it.
std::vector<bool> InLoss(const LoadedSpec& spec) {
  AncestorWalk walk(spec.graph);
  walk.Add(spec.job.train->loss.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return walk.added();
}

// The inputs of the loss, of which those that go together are one group, the leader's.
class LossInputs {
 public:
  explicit LossInputs(const LoadedSpec& spec) : spec_(spec), in_loss_(InLoss(spec)) {
    for (const InputSpec& input : spec.job.inputs) {
      if (in_loss_[static_cast<size_t>(input.read)]) groups_[&LeaderOf(input, spec.job.inputs)].push_back(&input);
    }
  }

  Result<Texts> Untied() {
    Texts texts;
    for (auto a = groups_.begin(); a != groups_.end(); ++a) {
      for (auto b = std::next(a); b != groups_.end(); ++b) {
        if (!MayBelongTogether(*a->first, *b->first)) continue;
        if (ReadOneSet(a->second, b->second) || AreCompared(a->second, b->second)) continue;
        DF_ASSIGN(const bool meet, Meet(a->second, b->second));
        if (meet) texts.push_back(Describe(*a->first, *b->first));
      }
    }
    return texts;
  }

 private:
  using Group = std::vector<const InputSpec*>;

  static bool MayBelongTogether(const InputSpec& a, const InputSpec& b) {
    if (a.with == InputSpec::kNoOther || b.with == InputSpec::kNoOther || (a.all && b.all)) return false;
    return a.num_samples == b.num_samples || (a.shuffle && b.shuffle);
  }

  static bool ReadOneSet(const Group& a, const Group& b) {
    const auto fields = [](const InputSpec& input) {
      std::set<std::string> from;
      for (const InputTensor& tensor : input.tensors) from.insert(tensor.field.from);
      return from;
    };
    return a.size() == 1 && b.size() == 1 && a[0]->config.files == b[0]->config.files && fields(*a[0]) == fields(*b[0]);
  }

  // The way of a group's rows to where they meet those of another group.
  struct Side {
    std::vector<bool> only;                                 // by node: it depends on this group and not on the other
    std::map<NodeId, std::vector<const VariableSpec*>> by;  // nodes of the way, each with variables that it applies
    std::set<const VariableSpec*> variables;                // the variables of the way
    std::set<const VariableSpec*> last;                     // the last ones before rows meet
  };

  // Whether rows are compared that come of one net, as in a Siamese net or with samples drawn to tell apart: the last
  // trained variables on the way of one group are on the other's. A table of embeddings that others come behind is no
  // such net.
  bool AreCompared(const Group& a, const Group& b) const {
    const std::vector<bool> from_a = Reached(ReadersOf(a));
    const std::vector<bool> from_b = Reached(ReadersOf(b));
    const Side one = SideOf(from_a, from_b);
    const Side other = SideOf(from_b, from_a);
    const auto is_in = [](const std::set<const VariableSpec*>& set) {
      return [&set](const VariableSpec* variable) { return set.contains(variable); };
    };
    const auto is_on = [&](const Side& side, const Side& way) {
      return std::all_of(side.last.begin(), side.last.end(), is_in(way.variables)) &&
             std::any_of(side.last.begin(), side.last.end(),
                         [&](const VariableSpec* variable) { return !IsTable(*variable); });
    };
    return std::any_of(one.last.begin(), one.last.end(), is_in(other.last)) || is_on(one, other) || is_on(other, one);
  }

  Side SideOf(const std::vector<bool>& own, const std::vector<bool>& others) const {
    Side side;
    for (size_t i = 0; i < own.size(); ++i) side.only.push_back(own[i] && !others[i]);
    for (const VariableSpec& variable : spec_.job.variables) {
      if (variable.trainable && in_loss_[static_cast<size_t>(variable.node)]) FindUses(variable, own, side);
    }
    FindLast(own, others, side);
    return side;
  }

  // Where the variable comes in: of what it reaches, the nodes that others of its readers do not lead to.
  void FindUses(const VariableSpec& variable, const std::vector<bool>& own, Side& side) const {
    const std::vector<bool> from = Reached({variable.node});
    for (const Node& node : spec_.graph.nodes()) {
      if (!side.only[static_cast<size_t>(node.id)]) continue;
      const bool applies = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
        return input.valid() && from[static_cast<size_t>(input.node)] && !own[static_cast<size_t>(input.node)];
      });
      if (!applies) continue;
      side.by[node.id].push_back(&variable);
      side.variables.insert(&variable);
    }
  }

  // Backwards from where rows meet, up to the first variables.
  void FindLast(const std::vector<bool>& own, const std::vector<bool>& others, Side& side) const {
    AncestorWalk walk(spec_.graph);
    const auto add = [&](const Node& node) {
      for (const Output input : node.inputs) {
        if (input.valid() && side.only[static_cast<size_t>(input.node)]) walk.Add(input.node);
      }
    };
    for (const Node& node : spec_.graph.nodes()) {
      const auto at = static_cast<size_t>(node.id);
      if (own[at] && others[at]) add(node);
    }
    while (const Node* node = walk.Next()) {
      const auto found = side.by.find(node->id);
      if (found == side.by.end()) {
        add(*node);
      } else {
        side.last.insert(found->second.begin(), found->second.end());
      }
    }
  }

  // Whether all that the loss takes of the variable is rows of it.
  bool IsTable(const VariableSpec& variable) const {
    std::vector<bool> gives(in_loss_.size());  // by node: the variable itself
    gives[static_cast<size_t>(variable.node)] = true;
    for (const Node& node : spec_.graph.nodes()) {
      if (!in_loss_[static_cast<size_t>(node.id)]) continue;
      const auto at = std::find_if(node.inputs.begin(), node.inputs.end(), [&](Output input) {
        return input.valid() && gives[static_cast<size_t>(input.node)];
      });
      if (at == node.inputs.end()) continue;
      const OpTraits& traits = node.op->traits;
      if (traits.control_flow == ControlFlowKind::kEnter || traits.passthrough == Passthrough::kFirstInput) {
        gives[static_cast<size_t>(node.id)] = true;
      } else if (at != node.inputs.begin() || !traits.gathers_rows) {
        return false;
      }
    }
    return true;
  }

  static std::vector<NodeId> ReadersOf(const Group& group) {
    std::vector<NodeId> readers;
    for (const InputSpec* input : group) readers.push_back(input->read);
    return readers;
  }

  // Tells for each node of the loss whether it depends on one of these.
  std::vector<bool> Reached(const std::vector<NodeId>& from) const {
    std::vector<bool> reached(in_loss_.size());
    for (const NodeId id : from) reached[static_cast<size_t>(id)] = true;
    for (bool changes = true; changes;) {  // once more for each loop around a loop
      changes = false;
      for (const Node& node : spec_.graph.nodes()) {
        const auto at = static_cast<size_t>(node.id);
        if (reached[at] || !in_loss_[at]) continue;
        reached[at] = std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
          return input.valid() && reached[static_cast<size_t>(input.node)];
        });
        changes = changes || reached[at];
      }
    }
    return reached;
  }

  // Rows meet one with one where the loss has shapes for batches of one size, and none for batches of two.
  Result<bool> Meet(const Group& a, const Group& b) const {
    const int64_t rows = 2 * std::max(a[0]->batch, b[0]->batch);
    return HasShapes(a, rows, b, rows) && !HasShapes(a, rows, b, 2 * rows);
  }

  bool HasShapes(const Group& a, int64_t rows_of_a, const Group& b, int64_t rows_of_b) const {
    std::map<NodeId, int64_t> rows;
    for (const InputSpec& input : spec_.job.inputs) rows[input.read] = PartialShape::kUnknown;
    for (const InputSpec* input : a) rows[input->read] = rows_of_a;
    for (const InputSpec* input : b) rows[input->read] = rows_of_b;
    SubgraphCopyOptions options;
    options.attrs = [&](const Node& node, AttrMap& attrs) {
      const auto found = rows.find(node.id);
      if (found == rows.end()) return;
      std::vector<PartialShape> shapes = *attrs.Get<std::vector<PartialShape>>("shapes");
      for (PartialShape& shape : shapes) shape.set_dim(0, found->second);
      attrs.Set("shapes", std::move(shapes));
    };
    const std::vector<bool> stop(in_loss_.size(), false);
    const Result<std::vector<NodeId>> body = Ancestors(spec_.graph, {spec_.job.train->loss}, stop);
    Graph copy(spec_.graph.ops());
    copy.TakeLocations(spec_.graph);
    SubgraphMap map;
    if (!body.ok() || !CopySubgraph(spec_.graph, *body, options, copy, map).ok() || !copy.InferShapes().ok())
      return false;
    return std::all_of(body->begin(), body->end(),
                       [&](NodeId id) { return KeepsRanks(spec_.graph.node(id), copy.node(map.nodes.at(id))); });
  }

  // Where shapes behind a loop do not fit, the loop's are taken to be unknown.
  static bool KeepsRanks(const Node& node, const Node& copy) {
    return std::equal(node.output_shapes.begin(), node.output_shapes.end(), copy.output_shapes.begin(),
                      copy.output_shapes.end(), [](const PartialShape& before, const PartialShape& after) {
                        return after.known_rank() || !before.known_rank();
                      });
  }

  std::string Describe(const InputSpec& a, const InputSpec& b) const {
    const InputSpec& later = a.read < b.read ? b : a;
    const InputSpec& earlier = a.read < b.read ? a : b;
    const char* const why =
        a.shuffle && b.shuffle ? "each is shuffled in its own order" : "nothing keeps them together";
    const std::string with = a.num_samples == b.num_samples
                                 ? StrCat("write `with: ", earlier.name, "` in '", later.name,
                                          "' in the stead of its batch and shuffle, or ")
                                 : "";
    return StrCat(LocationPrefix(spec_.graph, later.location), "rows of the inputs '", earlier.name, "' and '",
                  later.name, "' meet in the loss, one with one, and ", why, ": ", with, with.empty() ? "write " : "",
                  "`with: none` where any row may meet any other");
  }

  const LoadedSpec& spec_;
  const std::vector<bool> in_loss_;
  std::map<const InputSpec*, Group> groups_;  // in the order of the spec
};

}  // namespace

Result<Texts> WarningsOfWholeSets(const LoadedSpec& spec) {
  Texts texts;
  const int64_t replicas = spec.job.train->strategy.integer("replicas");
  if (replicas <= 1) return texts;
  const std::vector<bool> in_loss = InLoss(spec);
  const auto is_cut = [&](const InputSpec& input) {
    return in_loss[static_cast<size_t>(input.read)] && input.is_sliced();
  };
  if (std::any_of(spec.job.inputs.begin(), spec.job.inputs.end(), is_cut)) return texts;
  std::set<NodeId> seen;  // inputs that go together have one position
  for (const InputSpec& input : spec.job.inputs) {
    if (!input.all || input.split || !in_loss[static_cast<size_t>(input.read)]) continue;
    if (!seen.insert(input.position).second) continue;
    texts.push_back(StrCat(LocationPrefix(spec.graph, input.batch_location), "each of the ", replicas,
                           " replicas computes the whole of input '", LeaderOf(input, spec.job.inputs).name,
                           "': `split: true` gives each its slice, as of other batches, and `split: false` says that "
                           "each shall have the whole"));
  }
  return texts;
}

Result<Texts> WarningsOfUntiedInputs(const LoadedSpec& spec) {
  return LossInputs(spec).Untied();
}

}  // namespace dfrun
