#include "src/training/warnings/loss_form.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "src/spec/input_nodes.h"

namespace dfrun {
namespace {

using Kind = LossForm::Kind;

constexpr int kMaxDepth = 500;

bool IsOneOf(const std::string& op, std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}
// The values of the inputs do not go into the output.
bool ReadsShapesAlone(const std::string& op) {
  return IsOneOf(op, {"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"});
}
bool KeepsElements(const Node& node) {
  return node.op->traits.passthrough == Passthrough::kFirstInput ||
         IsOneOf(node.op->name, {"Reshape", "Squeeze", "ExpandDims", "EnsureShape", "Cast", "Neg", "CheckNumerics"});
}
bool IsSum(const std::string& op) {
  return IsOneOf(op, {"Add", "AddV2", "Sub", "AddN", "BiasAdd"});
}
bool IsProduct(const std::string& op) {
  return IsOneOf(op, {"Mul", "MulNoNan"});
}
bool IsQuotient(const std::string& op) {
  return IsOneOf(op, {"RealDiv", "Div", "DivNoNan", "Xdivy"});
}
bool IsReciprocal(const std::string& op) {
  return IsOneOf(op, {"Reciprocal", "Inv", "Rsqrt"});
}
bool IsNonlinear(const std::string& op) {
  return IsOneOf(op, {"Sqrt", "Square", "Exp", "Expm1", "Log", "Log1p", "Pow", "Abs", "Maximum", "Minimum", "Sigmoid",
                      "Tanh", "Relu", "Softplus", "SquaredDifference", "Max", "Min", "Prod", "EuclideanNorm"});
}

// The walk from the loss back to the reductions over samples.
class Forms {
 public:
  // `sliced` is `whole` with the shapes of a slice.
  Forms(const Graph& whole, const Graph& sliced, const std::vector<NodeId>& order, const std::set<NodeId>& readers)
      : whole_(whole), sliced_(sliced), of_data_(whole.num_nodes(), false), of_sizes_(whole.num_nodes(), false) {
    for (const NodeId id : order) {
      const Node& node = whole.node(id);
      const bool reads_shapes = ReadsShapesAlone(node.op->name);
      of_data_[id] = readers.count(id) > 0 || (!reads_shapes && AnyInput(node, of_data_));
      of_sizes_[id] = AnyInput(node, of_sizes_) || (reads_shapes && HasBatchAxis(node.inputs[0]) != Axis::kNo);
    }
  }

  LossForm Of(Output output, int depth = 0) const {
    const Node& node = whole_.node(output.node);
    const std::string& op = node.op->name;
    if (!of_data_[node.id]) return {of_sizes_[node.id] ? Kind::kUnknown : Kind::kMean, -1};
    if (depth > kMaxDepth || output.port != 0 || HasBatchAxis(output) != Axis::kNo) return {};
    if (op == "Mean") return Reduces(node) ? LossForm{Kind::kMean, node.id} : Of(node.inputs[0], depth + 1);
    if (op == "Sum") return Reduces(node) ? LossForm{Kind::kSum, node.id} : Of(node.inputs[0], depth + 1);
    if (op == "L2Loss") return {Reduces(node) ? Kind::kSum : Kind::kNonlinear, node.id};
    if (KeepsElements(node)) return Of(node.inputs[0], depth + 1);
    if (IsSum(op)) return OfSum(node, depth);
    if (IsProduct(op)) return OfProduct(node, depth);
    if (IsQuotient(op)) return OfQuotient(node, depth);
    if (IsReciprocal(op)) return {Kind::kRatio, node.id};
    if (IsNonlinear(op)) return {Kind::kNonlinear, node.id};
    return {};
  }

 private:
  enum class Axis { kNo, kYes, kUnknown };

  bool AnyInput(const Node& node, const std::vector<bool>& flags) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](Output input) { return input.valid() && flags[input.node]; });
  }

  // Whether a size of the output is that of the batch, or made of it.
  Axis HasBatchAxis(Output output) const {
    const PartialShape& a = whole_.shape(output);
    const PartialShape& b = sliced_.shape(output);
    if (!a.known_rank() || a.rank() != b.rank()) return Axis::kUnknown;
    Axis axis = Axis::kNo;
    for (int i = 0; i < a.rank(); ++i) {
      if (a.dim(i) < 0 || b.dim(i) < 0) axis = Axis::kUnknown;
      if (a.dim(i) >= 0 && b.dim(i) >= 0 && a.dim(i) != b.dim(i)) return Axis::kYes;
    }
    return axis;
  }
  // Whether the node reduces over the batch; its output has no batch axis.
  bool Reduces(const Node& node) const { return HasBatchAxis(node.inputs[0]) != Axis::kNo; }

  bool IsConstant(Output output) const { return !of_data_[output.node] && !of_sizes_[output.node]; }
  bool IsCount(Output output) const { return !of_data_[output.node] && of_sizes_[output.node]; }

  // The term that changes most.
  LossForm OfSum(const Node& node, int depth) const {
    LossForm worst{Kind::kMean, -1};
    bool is_known = true;
    for (const Output input : node.inputs) {
      const LossForm form = Of(input, depth + 1);
      if (form.kind == Kind::kUnknown) is_known = false;
      if (form.kind > worst.kind) worst = form;
    }
    return is_known || worst.changes_with_replicas() ? worst : LossForm();
  }
  LossForm OfProduct(const Node& node, int depth) const {
    for (int i = 0; i < 2; ++i) {
      if (IsConstant(node.inputs[1 - i])) return Of(node.inputs[i], depth + 1);
      if (IsCount(node.inputs[1 - i])) return {};
    }
    for (const Output input : node.inputs) {
      const LossForm form = Of(input, depth + 1);
      if (form.kind == Kind::kRatio) return form;
    }
    return {Kind::kNonlinear, node.id};
  }
  LossForm OfQuotient(const Node& node, int depth) const {
    const LossForm form = Of(node.inputs[0], depth + 1);
    if (IsConstant(node.inputs[1])) return form;
    if (!IsCount(node.inputs[1])) return {Kind::kRatio, node.id};
    return form.kind == Kind::kSum ? LossForm{Kind::kMean, node.id} : LossForm();
  }

  const Graph& whole_;
  const Graph& sliced_;
  std::vector<bool> of_data_;   // by node: a value of samples goes into it
  std::vector<bool> of_sizes_;  // by node: the number of samples goes into it
};

}  // namespace

Result<LossForm> FormOfLoss(const LoadedSpec& spec, int64_t slices) {
  std::vector<InputSpec> cut;
  std::set<NodeId> readers;
  for (const InputSpec& input : spec.job.inputs) {
    if (!input.is_sliced()) continue;
    cut.push_back(input);
    cut.back().batch = input.batch / slices;
    readers.insert(input.read);
  }
  Graph sliced = spec.graph.Clone();
  if (cut.empty() || !FixBatchSizes(cut, sliced).ok()) return LossForm();
  DF_ASSIGN(const std::vector<NodeId> order, spec.graph.TopologicalOrder());
  return Forms(spec.graph, sliced, order, readers).Of(spec.job.train->loss);
}

std::string DescribeLossForm(const Graph& graph, const LossForm& form, int64_t replicas) {
  const std::string where = graph.Describe(form.node);
  const std::string slice = StrCat("each of the ", replicas, " replicas computes it over its slice of the batch, and ");
  if (form.kind == Kind::kSum) {
    return StrCat(where, ": the loss is a sum over samples: ", slice, "an update takes the mean of these, 1/", replicas,
                  " of the sum; write a mean, or raise the learning rate with `replicas`");
  }
  const char* what = form.kind == Kind::kRatio
                         ? "the loss divides by a value that is computed of the whole batch: "
                         : "the loss is no mean over samples, but another function of the batch: ";
  return StrCat(where, ": ", what, slice,
                "the mean of these is not the loss of the batch; write a mean over samples, as Mean(x * m), or "
                "`replicas: 1` if the loss must not change with `replicas`");
}

}  // namespace dfrun
