#include "src/passes/table_gradients.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "src/passes/share_panels.h"
#include "src/passes/variable_readers.h"

namespace dfrun {
namespace {

// Multiplications below which two nodes more cost what they save.
constexpr int64_t kLeastWork = int64_t{1} << 24;

// Whether two integer tensors have the same elements in the same order, whatever their shapes. A variable may have
// others when it is read again.
bool HaveSameElements(const Graph& graph, Output a, Output b) {
  for (Output* value : {&a, &b}) {
    while (graph.node(value->node).op->name == "Reshape" || graph.node(value->node).op->name == "Identity") {
      *value = graph.node(value->node).inputs[0];
    }
  }
  if (a == b) return !graph.is_ref(a);
  const Tensor* const x = graph.ConstantValue(a);
  const Tensor* const y = graph.ConstantValue(b);
  return x != nullptr && y != nullptr && x->dtype() == y->dtype() && x->num_elements() == y->num_elements() &&
         std::memcmp(x->raw(), y->raw(), x->num_bytes()) == 0;
}

class Finder {
 public:
  explicit Finder(const FusionView& view) : view_(view), graph_(view.graph()) {}

  std::optional<TableGradient> At(const Node& pack) const {
    if (pack.op->name != "_PackColumns" || pack.inputs.size() < kLeastByPanels) return std::nullopt;
    const DType dtype = pack.output_types[0].dtype;
    if (dtype != DType::kFloat && dtype != DType::kDouble) return std::nullopt;
    TableGradient found{};
    found.pack = &pack;
    if (!FindTable(found) || !FindSteps(found) || !IsWorthwhile(found)) return std::nullopt;
    found.lookup = FindLookup(found);
    return found;
  }

 private:
  // The one node that reads `node`, if nothing else would miss it; null if there is none.
  const Node* ReaderOf(const Node& node) const {
    if (!view_.HasOneReader(node) || view_.IsAwaited(node)) return nullptr;
    return &view_.node(view_.consumers().of(node.id)[0].node);
  }

  static bool IsScatter(const std::string& op) {
    return op == "ScatterSub" || op == "ScatterAdd" || op == "ResourceScatterSub" || op == "ResourceScatterAdd";
  }

  bool IsScale(const Node& node, const Node& of) const {
    if (node.op->name == "Neg") return true;
    if (node.op->name != "Mul") return false;
    const PartialShape& by = graph_.shape(node.inputs[node.inputs[0].node == of.id ? 1 : 0]);
    return by.known_rank() && by.rank() == 0;
  }

  bool FindTable(TableGradient& found) const {
    found.reshape = ReaderOf(*found.pack);
    if (found.reshape == nullptr || found.reshape->op->name != "Reshape" || !found.reshape->control_inputs.empty() ||
        found.reshape->inputs[0].node != found.pack->id) {
      return false;
    }
    const PartialShape& rows = found.reshape->output_shapes[0];
    if (!rows.IsFullyDefined() || rows.rank() != 2 || rows.dim(1) != found.pack->output_shapes[0].dim(2)) return false;
    const Node* last = found.reshape;
    const Node* next = ReaderOf(*last);
    for (; next != nullptr && IsScale(*next, *last); next = ReaderOf(*last)) {
      found.scale.push_back(next);
      last = next;
    }
    if (next == nullptr) return false;
    found.end = next;
    found.keys = KeysOf(*next, {last->id, 0});
    if (!found.keys.valid()) return false;
    const PartialShape& keys = graph_.shape(found.keys);
    return keys.known_rank() && keys.rank() == 1;
  }

  // Of the rows that a node adds to a table or up; none where it does something else.
  Output KeysOf(const Node& end, Output rows) const {
    if (IsScatter(end.op->name)) return end.inputs[2] == rows ? end.inputs[1] : Output();
    if (end.op->name != "UnsortedSegmentSum" || !(end.inputs[0] == rows) || end.inputs[1].port != 1) return {};
    const Node& unique = view_.node(end.inputs[1].node);
    const bool is_unique = unique.op->name == "Unique" && IsCount(end.inputs[2], {unique.id, 0});
    return is_unique ? unique.inputs[0] : Output();
  }

  // Whether a scalar is how many elements a vector has.
  bool IsCount(Output value, Output of) const {
    const Node& slice = view_.node(value.node);
    const PartialShape& shape = graph_.shape(value);
    if (slice.op->name != "StridedSlice" || !shape.known_rank() || shape.rank() != 0) return false;
    const Node& shape_of = view_.node(slice.inputs[0].node);
    return shape_of.op->name == "Shape" && shape_of.inputs[0] == of;
  }

  bool FindSteps(TableGradient& found) const {
    found.packed = {*found.pack->attrs.Find("first")->get<int64_t>(),
                    *found.pack->attrs.Find("columns")->get<int64_t>()};
    std::unordered_set<NodeId> products;
    for (const Output whole : found.pack->inputs) {
      const std::optional<TableStep> step = FindStep(found, view_.node(whole.node));
      if (!step || !products.insert(step->product).second) return false;
      found.steps.push_back(*step);
    }
    return true;
  }

  std::optional<TableStep> FindStep(TableGradient& found, const Node& whole) const {
    const Node& product = whole.op->name == "Identity" ? view_.node(whole.inputs[0].node) : whole;
    if (product.op->name != "MatMul" || !IsSet(product, "transpose_b") || IsSet(product, "transpose_a") ||
        (&product != &whole && !view_.HasOneReader(product)) || !view_.OnOneDevice(product, *found.pack) ||
        graph_.is_ref(product.inputs[0])) {
      return std::nullopt;
    }
    if (!found.matrix.valid()) found.matrix = product.inputs[1];
    if (!(product.inputs[1] == found.matrix) || !product.output_shapes[0].IsFullyDefined()) return std::nullopt;
    TableStep step;
    step.gradient = product.inputs[0];
    step.product = product.id;
    step.whole = whole.id;
    int packs = 0;
    for (const Consumers::Edge& edge : view_.consumers().of(whole.id)) {
      if (edge.port < 0) continue;
      const Node& reader = view_.node(edge.node);
      if (&reader == found.pack && ++packs == 1) continue;
      if (!IsOtherSlice(found, reader, product.output_shapes[0])) return std::nullopt;
      step.slices.push_back(reader.id);
    }
    return step;
  }

  // Of all columns beside those that are packed, the same as of other slices.
  bool IsOtherSlice(TableGradient& found, const Node& slice, const PartialShape& whole) const {
    if (slice.op->name != "Slice" || !slice.control_inputs.empty() || !view_.OnOneDevice(slice, *found.pack)) {
      return false;
    }
    const Tensor* const begin = graph_.ConstantValue(slice.inputs[1]);
    const PartialShape& part = slice.output_shapes[0];
    if (begin == nullptr || !part.IsFullyDefined() || part.rank() != 2 || part.dim(0) != whole.dim(0)) return false;
    const ColumnRange range{LastInt(*begin), part.dim(1)};
    if (found.sliced.count == 0) found.sliced = range;
    const ColumnRange& before = found.is_table_first() ? found.packed : range;
    const ColumnRange& after = found.is_table_first() ? range : found.packed;
    return range == found.sliced && before.first == 0 && before.end() == after.first && after.end() == whole.dim(1);
  }

  bool IsWorthwhile(const TableGradient& found) const {
    const PartialShape& matrix = graph_.shape(found.matrix);
    const PartialShape& rows = found.reshape->output_shapes[0];
    return matrix.IsFullyDefined() && matrix.rank() == 2 &&
           matrix.dim(1) >= kLeastWork / std::max<int64_t>(1, rows.dim(0) * rows.dim(1));
  }

  // Sets what the steps know of it.
  std::optional<TableLookup> FindLookup(TableGradient& found) const {
    for (const Consumers::Edge& edge : view_.consumers().of(found.steps[0].gradient.node)) {
      const Node& node = view_.node(edge.node);
      if (edge.port < 0 || node.op->name != "_MatMulSum" || !IsMatrixGradient(found, node)) continue;
      std::optional<TableLookup> lookup = LookupOf(found, node);
      if (lookup) return lookup;
    }
    return std::nullopt;
  }

  // Whether a sum is of a product for each step, by the same gradients; the joins are set.
  bool IsMatrixGradient(TableGradient& found, const Node& sum) const {
    const size_t count = found.steps.size();
    if (sum.inputs.size() != 2 * count || !IsSet(sum, "transpose_a") || IsSet(sum, "transpose_b") ||
        !view_.OnOneDevice(sum, *found.pack)) {
      return false;
    }
    for (TableStep& step : found.steps) step.join = -1;
    for (size_t i = 0; i < count; ++i) {
      const auto step = std::find_if(found.steps.begin(), found.steps.end(), [&](const TableStep& s) {
        return s.gradient == sum.inputs[count + i] && s.join < 0;
      });
      if (step == found.steps.end()) return false;
      step->join = sum.inputs[i].node;
    }
    return true;
  }

  std::optional<TableLookup> LookupOf(TableGradient& found, const Node& sum) const {
    TableLookup lookup{-1, {}, sum.id, {}};
    const Node* unpack = nullptr;
    for (size_t t = 0; t < found.steps.size(); ++t) {
      TableStep& step = found.steps[t];
      const Node& join = view_.node(step.join);
      if (!IsJoin(found, join)) return std::nullopt;
      const Output of_table = join.inputs[found.is_table_first() ? 0 : 1];
      step.other = join.inputs[found.is_table_first() ? 1 : 0];
      step.other_is_zeros = IsZeros(step.other);
      if (unpack == nullptr) unpack = &view_.node(of_table.node);
      if (!(of_table == Output{unpack->id, static_cast<int32_t>(t)}) || !FindForward(found, step, sum, lookup.bias)) {
        return std::nullopt;
      }
    }
    return IsLookedUp(found, *unpack, lookup) ? std::optional(std::move(lookup)) : std::nullopt;
  }

  bool IsZeros(Output state) const {
    const Tensor* const value = graph_.ConstantValue(state);
    bool all = false;
    if (value != nullptr) {
      VisitDType<float, double>(value->dtype(), [&](auto tag) {
        const auto values = value->values<typename decltype(tag)::type>();
        all = std::all_of(values.begin(), values.end(), [](auto v) { return v == 0; });
      });
    }
    return all;
  }

  // A ConcatV2 of the columns that are packed with all others.
  bool IsJoin(const TableGradient& found, const Node& join) const {
    if (join.op->name != "ConcatV2" || join.num_inputs() != 3 || !view_.OnOneDevice(join, *found.pack)) return false;
    const Tensor* const axis = graph_.ConstantValue(join.inputs[2]);
    const PartialShape& whole = join.output_shapes[0];
    const PartialShape& part = graph_.shape(join.inputs[found.is_table_first() ? 0 : 1]);
    if (axis == nullptr || !whole.IsFullyDefined() || whole.rank() != 2 || !part.IsFullyDefined()) return false;
    const int64_t along = LastInt(*axis);
    const int64_t rest = whole.dim(1) - found.packed.count;
    return (along == 1 || along == -1) && whole.dim(1) == graph_.shape(found.matrix).dim(0) &&
           part.dim(1) == found.packed.count && rest > 0 && rest == found.sliced.count;
  }

  // The one node beside `sum` that reads the join of a step, a product by the matrix that is quicker by panels.
  bool FindForward(const TableGradient& found, TableStep& step, const Node& sum, Output& bias) const {
    step.forward = -1;
    for (const Consumers::Edge& edge : view_.consumers().of(step.join)) {
      if (edge.port < 0 || edge.node == sum.id) continue;
      if (step.forward >= 0) return false;
      step.forward = edge.node;
    }
    if (step.forward < 0) return false;
    const Node& product = view_.node(step.forward);
    const bool has_bias = product.op->name == "_FusedMatMul";
    if ((product.op->name != "MatMul" && !has_bias) || !view_.OnOneDevice(product, *found.pack) ||
        !(product.inputs[1] == found.matrix) || product.inputs[0].node != step.join || IsSet(product, "transpose_a") ||
        IsSet(product, "transpose_b") || !product.output_shapes[0].IsFullyDefined()) {
      return false;
    }
    using Names = std::vector<std::string>;
    if (has_bias && *product.attrs.Find("fused_ops")->get<Names>() != Names{"BiasAdd"}) return false;
    const Output of_product = has_bias ? product.inputs[2] : Output();
    if (&step == &found.steps[0]) bias = of_product;
    const PartialShape& shape = product.output_shapes[0];
    return of_product == bias && GainsByPanels(shape.dim(0), found.sliced.count, shape.dim(1));
  }

  // Whether rows are unpacked as gradients are packed, of a lookup by the same indices, and go nowhere else.
  bool IsLookedUp(const TableGradient& found, const Node& unpack, TableLookup& lookup) const {
    if (unpack.op->name != "Unpack" || unpack.num_outputs() != found.pack->num_inputs()) return false;
    const auto readers = view_.consumers().of(unpack.id);
    const auto data = std::count_if(readers.begin(), readers.end(), [](const auto& edge) { return edge.port >= 0; });
    if (data != unpack.num_outputs()) return false;
    if (!(graph_.shape(unpack.inputs[0]) == found.pack->output_shapes[0])) return false;
    const int64_t axis = *unpack.attrs.Find("axis")->get<int64_t>();
    if ((axis < 0 ? axis + 3 : axis) != *found.pack->attrs.Find("axis")->get<int64_t>()) return false;
    lookup.between.push_back(unpack.id);
    const Node* node = &view_.node(unpack.inputs[0].node);
    for (; node->op->name == "Identity"; node = &view_.node(node->inputs[0].node)) {
      if (!view_.HasOneReader(*node) || !node->control_inputs.empty()) return false;
      lookup.between.push_back(node->id);
    }
    lookup.node = node->id;
    return IsLookup(*node) && view_.HasOneReader(*node) && view_.OnOneDevice(*node, *found.pack) &&
           unpack.control_inputs.empty() && HaveSameElements(graph_, node->inputs[1], found.keys);
  }

  bool IsLookup(const Node& node) const {
    if (node.op->name == "Gather") return true;
    const AttrValue* const batch_dims = node.attrs.Find("batch_dims");
    if (batch_dims == nullptr || *batch_dims->get<int64_t>() != 0) return false;
    if (node.op->name == "ResourceGather") return true;
    if (node.op->name != "GatherV2") return false;
    const Tensor* const axis = graph_.ConstantValue(node.inputs[2]);
    return axis != nullptr && LastInt(*axis) == 0;
  }

  const FusionView& view_;
  const Graph& graph_;
};

// Whether all products by a variable, if the matrix is one, see one value of it.
bool SeeOneMatrix(const Graph& graph, const VariableReaders& variables, std::span<const NodeId> order,
                  const TableGradient& table) {
  if (!graph.is_ref(table.matrix)) return true;
  std::vector<NodeId> products;
  for (const TableStep& step : table.steps) {
    products.push_back(step.product);
    if (table.lookup) products.push_back(step.forward);
  }
  return SeeOneValue(graph, variables, order, table.matrix.node, products);
}

}  // namespace

std::vector<TableGradient> FindTableGradients(const FusionView& view, std::span<const NodeId> order) {
  const Finder finder(view);
  const VariableReaders variables(view.graph(), view.consumers());
  std::vector<TableGradient> tables;
  std::unordered_set<NodeId> taken;
  for (const Node& node : view.graph().nodes()) {
    std::optional<TableGradient> table = finder.At(node);
    if (!table || !SeeOneMatrix(view.graph(), variables, order, *table)) continue;
    const auto is_taken = [&](const TableStep& step) {
      return taken.count(step.whole) > 0 || taken.count(step.product) > 0;
    };
    if (std::any_of(table->steps.begin(), table->steps.end(), is_taken)) continue;
    if (table->lookup && !taken.insert(table->lookup->sum).second) table->lookup.reset();
    for (const TableStep& step : table->steps) taken.insert({step.whole, step.product});
    tables.push_back(*std::move(table));
  }
  return tables;
}

}  // namespace dfrun
