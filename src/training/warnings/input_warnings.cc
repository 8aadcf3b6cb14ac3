#include "src/training/warnings/input_warnings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/graph/order/ancestors.h"
#include "src/spec/tied_inputs.h"
#include "src/training/copy_subgraph.h"

namespace dfrun {
namespace {

using Texts = std::vector<std::string>;

std::string TextOf(const Graph& graph, SourceLocation location) {
  if (location.file < 0) return "";
  return StrCat(graph.files()[static_cast<size_t>(location.file)], ":", location.line, ":", location.column, ": ");
}

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
        if (ReadOneSet(a->second, b->second) || ShareVariables(a->second, b->second)) continue;
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

  // Whether rows of both go through a trained variable before they meet: they are compared, as in a Siamese net.
  bool ShareVariables(const Group& a, const Group& b) const {
    const std::vector<bool> from_a = Reached(ReadersOf(a));
    const std::vector<bool> from_b = Reached(ReadersOf(b));
    return std::any_of(spec_.job.variables.begin(), spec_.job.variables.end(), [&](const VariableSpec& variable) {
      if (!variable.trainable || !in_loss_[static_cast<size_t>(variable.node)]) return false;
      const std::vector<bool> from = Reached({variable.node});
      bool meets_a = false;
      bool meets_b = false;
      for (size_t i = 0; i < from.size(); ++i) {
        meets_a = meets_a || (from[i] && from_a[i] && !from_b[i]);
        meets_b = meets_b || (from[i] && from_b[i] && !from_a[i]);
      }
      return meets_a && meets_b;
    });
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
    return body.ok() && CopySubgraph(spec_.graph, *body, options, copy, map).ok() && copy.InferShapes().ok();
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
    return StrCat(TextOf(spec_.graph, later.location), "rows of the inputs '", earlier.name, "' and '", later.name,
                  "' meet in the loss, one with one, and ", why, ": ", with, with.empty() ? "write " : "",
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
    texts.push_back(StrCat(TextOf(spec.graph, input.batch_location), "each of the ", replicas,
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
