#include "src/training/warnings/crosswise.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace dfrun {
namespace {

using Names = std::unordered_set<std::string_view>;

bool IsElementwise(const Node& node) {
  static const Names kOps = {
      "Abs",       "Acos",        "Acosh",    "Add",          "AddN",        "AddV2",      "Asin",
      "Asinh",     "Atan",        "Atan2",    "Atanh",        "BiasAdd",     "BiasAddV1",  "Cast",
      "Ceil",      "ClipByValue", "Cos",      "Cosh",         "Digamma",     "Div",        "DivNoNan",
      "Elu",       "Equal",       "Erf",      "Erfc",         "Exp",         "Expm1",      "Floor",
      "FloorDiv",  "FloorMod",    "Greater",  "GreaterEqual", "Inv",         "LeakyRelu",  "Less",
      "LessEqual", "Lgamma",      "Log",      "Log1p",        "LogicalAnd",  "LogicalNot", "LogicalOr",
      "Maximum",   "Minimum",     "Mod",      "Mul",          "MulNoNan",    "Neg",        "NextAfter",
      "NotEqual",  "Pow",         "RealDiv",  "Reciprocal",   "Relu",        "Relu6",      "Rint",
      "Round",     "Rsqrt",       "Select",   "SelectV2",     "Selu",        "Sigmoid",    "Sign",
      "Sin",       "Sinh",        "Softplus", "Softsign",     "Sqrt",        "Square",     "SquaredDifference",
      "Sub",       "Tan",         "Tanh",     "TruncateDiv",  "TruncateMod", "Xdivy",      "Xlog1py",
      "Xlogy",     "ZerosLike",   "OnesLike", "CheckNumerics"};
  return node.op->traits.passthrough != Passthrough::kNone || kOps.contains(node.op->name);
}

// Ops that give a value the shape that they are asked for.
bool MakesShape(const Node& node) {
  static const Names kOps = {"ExpandDims", "Reshape",     "StridedSlice", "Slice",  "Split",    "SplitV",
                             "Unpack",     "Pack",        "Squeeze",      "Tile",   "Gather",   "GatherV2",
                             "GatherNd",   "BroadcastTo", "Transpose",    "Concat", "ConcatV2", "Fill"};
  if (kOps.contains(node.op->name)) return true;
  const Result<bool> keeps = node.attrs.GetOr<bool>("keep_dims", false);
  return keeps.ok() && *keeps;
}

bool IsScalar(const PartialShape& shape) {
  return shape.known_rank() && shape.rank() == 0;
}
bool IsKnown(const PartialShape& shape) {
  if (!shape.known_rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) return false;
  }
  return true;
}
int64_t ElementsOf(const PartialShape& shape) {
  int64_t count = 1;
  for (int i = 0; i < shape.rank(); ++i) count *= shape.dim(i);
  return count;
}

// Whether the column is the vector with an axis of size 1 behind it, and both together are larger than each.
bool AreCrosswise(const PartialShape& column, const PartialShape& vector, const PartialShape& both) {
  if (!IsKnown(column) || !IsKnown(vector) || !IsKnown(both) || vector.rank() == 0) return false;
  if (column.rank() != vector.rank() + 1 || column.dim(vector.rank()) != 1) return false;
  for (int i = 0; i < vector.rank(); ++i) {
    if (column.dim(i) != vector.dim(i)) return false;
  }
  return ElementsOf(both) > ElementsOf(vector);
}

// Finds the sources of `from`: the nodes behind it, by way of nodes that `passes` accepts and inputs with as many
// elements. Nodes that `passes` refuses end the search.
template <class Passes>
std::vector<NodeId> SourcesOf(const Graph& graph, Output from, const Passes& passes) {
  std::vector<NodeId> found = {from.node};
  std::unordered_set<NodeId> seen = {from.node};
  const int64_t size = ElementsOf(graph.shape(from));
  for (size_t i = 0; i < found.size(); ++i) {
    const Node& node = graph.node(found[i]);
    if (!passes(node)) continue;
    for (const Output input : node.inputs) {
      const bool is_whole = input.valid() && IsKnown(graph.shape(input)) && ElementsOf(graph.shape(input)) == size;
      if (is_whole && seen.insert(input.node).second) found.push_back(input.node);
    }
  }
  return found;
}

// Whether the graph asks for the meeting of all with all.
bool IsAskedFor(const Graph& graph, Output column, Output vector) {
  const std::vector<NodeId> made_of = SourcesOf(graph, column, &IsElementwise);
  const auto makes_shape = [&](NodeId id) { return MakesShape(graph.node(id)); };
  if (std::any_of(made_of.begin(), made_of.end(), makes_shape)) return true;
  const auto passes = [](const Node& node) { return IsElementwise(node) || MakesShape(node); };
  const std::vector<NodeId> of_vector = SourcesOf(graph, vector, passes);
  // Data may be both a target and a feature, so only computed values count, and the column itself.
  return std::any_of(of_vector.begin(), of_vector.end(), [&](NodeId id) {
    const bool is_computed = id == column.node || (!IsElementwise(graph.node(id)) && graph.node(id).num_inputs() > 0 &&
                                                   !graph.node(id).op->is_stateful);
    return is_computed && std::find(made_of.begin(), made_of.end(), id) != made_of.end();
  });
}

// Goes through the graph in order and marks values that come from a meeting by element-wise ops, and by a mean.
class Meetings {
 public:
  Meetings(const Graph& graph, const std::vector<NodeId>& order)
      : graph_(graph), of_pairs_(graph.num_nodes(), -1), of_mean_(graph.num_nodes(), -1) {
    for (const NodeId id : order) Look(graph.node(id));
  }

  std::optional<CrosswiseMeeting> In(Output loss) const {
    const int32_t found = of_mean_[loss.node];
    return found < 0 ? std::nullopt : std::optional(meetings_[static_cast<size_t>(found)]);
  }

 private:
  void Look(const Node& node) {
    if (node.num_outputs() == 0) return;
    if (IsElementwise(node)) {
      of_pairs_[node.id] = IsMeantAsMatrix(node) ? -1 : FirstOf(node, of_pairs_);
      of_mean_[node.id] = FirstOf(node, of_mean_);
      if (of_pairs_[node.id] < 0) FindMeeting(node);
    } else if (IsMean(node)) {
      of_mean_[node.id] = std::max(of_pairs_[node.inputs[0].node], of_mean_[node.inputs[0].node]);
    }
  }

  static int32_t FirstOf(const Node& node, const std::vector<int32_t>& marks) {
    for (const Output input : node.inputs) {
      if (input.valid() && marks[input.node] >= 0) return marks[input.node];
    }
    return -1;
  }

  bool IsMean(const Node& node) const {
    return node.op->name == "Mean" || (node.op->name == "Sum" && IsScalar(graph_.shape({node.id, 0})));
  }

  // Whether another input, which comes from no meeting, has the shape of the meeting's matrix.
  bool IsMeantAsMatrix(const Node& node) const {
    const PartialShape& shape = graph_.shape({node.id, 0});
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) {
      return input.valid() && of_pairs_[input.node] < 0 && FirstOf(node, of_pairs_) >= 0 &&
             graph_.shape(input) == shape;
    });
  }

  void FindMeeting(const Node& node) {
    for (const Output column : node.inputs) {
      for (const Output vector : node.inputs) {
        if (!column.valid() || !vector.valid()) continue;
        if (!AreCrosswise(graph_.shape(column), graph_.shape(vector), graph_.shape({node.id, 0}))) continue;
        if (IsAskedFor(graph_, column, vector)) continue;
        of_pairs_[node.id] = static_cast<int32_t>(meetings_.size());
        meetings_.push_back({node.id, column, vector});
        return;
      }
    }
  }

  const Graph& graph_;
  std::vector<CrosswiseMeeting> meetings_;
  // Numbers of meetings by node; -1: none.
  std::vector<int32_t> of_pairs_;  // the meeting that the value comes from by element-wise ops
  std::vector<int32_t> of_mean_;   // the meeting whose mean the value is, or comes from by element-wise ops
};

}  // namespace

std::optional<CrosswiseMeeting> FindCrosswiseMeeting(const Graph& graph, Output loss) {
  const Result<std::vector<NodeId>> order = graph.TopologicalOrder();
  if (!order.ok()) return std::nullopt;
  return Meetings(graph, *order).In(loss);
}

std::string DescribeCrosswise(const Graph& graph, const CrosswiseMeeting& meeting) {
  const std::string column = OutputName(graph, meeting.column);
  const std::string vector = OutputName(graph, meeting.vector);
  const int axis = graph.shape(meeting.vector).rank();
  return StrCat(graph.Describe(meeting.node), ": '", column, "' ", graph.shape(meeting.column), " and '", vector, "' ",
                graph.shape(meeting.vector), " become ", graph.shape({meeting.node, 0}),
                ": each value of one meets all of the other, and the loss is a mean over these; for pairs write "
                "Squeeze(",
                column, ", axis=[", axis, "]) or ExpandDims(", vector, ", ", axis,
                "), where all with all is meant Reshape(", column, ", ", graph.shape(meeting.column), ")");
}

}  // namespace dfrun
