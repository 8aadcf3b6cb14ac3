#include "src/passes/sum_equal_rows.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/graph/control_flow.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/share_panels.h"
#include "src/passes/variable_readers.h"

namespace dfrun {
namespace {

// Multiplications below which two nodes more cost what they save.
constexpr int64_t kLeastWork = int64_t{1} << 24;

const std::vector<std::string> kBiasAdd = {"BiasAdd"};

// Columns of a product, which are rows of the matrix that it is by.
struct Range {
  int64_t first = 0;
  int64_t count = 0;
};

// A product, of which some columns are packed.
struct Step {
  Output gradient;             // what is multiplied
  NodeId product = -1;         // by the transposed matrix
  NodeId whole = -1;           // what is read of it: itself, or an Identity of it
  std::vector<NodeId> slices;  // of the columns that are not packed
  // Where the table's rows are looked up as here:
  NodeId join = -1;     // the ConcatV2 of them and others
  Output other;         // that
  NodeId forward = -1;  // the product of the join by the matrix
};

// How the table's rows come into the net, where nothing else reads them.
struct Lookup {
  NodeId node;                  // gathers them
  std::vector<NodeId> between;  // it and the joins
  bool is_first;                // among a join's columns
  NodeId sum;                   // the matrix's gradient
  Output bias;                  // of the products, perhaps
};

// A table's gradient over the steps of a net.
struct TableGradient {
  const Node* end;                 // adds rows to the table, or up by what Unique gives
  Output keys;                     // one for each row
  std::vector<const Node*> scale;  // between the packed rows and the end
  const Node* reshape;
  const Node* pack;
  std::vector<Step> steps;
  Output matrix;
  Range packed;
  Range sliced;  // none: of count 0
  std::optional<Lookup> lookup;
};

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
      const std::optional<Step> step = FindStep(found, view_.node(whole.node));
      if (!step || !products.insert(step->product).second) return false;
      found.steps.push_back(*step);
    }
    return true;
  }

  std::optional<Step> FindStep(TableGradient& found, const Node& whole) const {
    const Node& product = whole.op->name == "Identity" ? view_.node(whole.inputs[0].node) : whole;
    if (product.op->name != "MatMul" || !IsSet(product, "transpose_b") || IsSet(product, "transpose_a") ||
        (&product != &whole && !view_.HasOneReader(product)) || !view_.OnOneDevice(product, *found.pack) ||
        graph_.is_ref(product.inputs[0])) {
      return std::nullopt;
    }
    if (!found.matrix.valid()) found.matrix = product.inputs[1];
    if (!(product.inputs[1] == found.matrix) || !product.output_shapes[0].IsFullyDefined()) return std::nullopt;
    Step step;
    step.gradient = product.inputs[0];
    step.product = product.id;
    step.whole = whole.id;
    int packs = 0;
    for (const Consumers::Edge& edge : view_.consumers().of(whole.id)) {
      if (edge.port < 0) continue;
      const Node& reader = view_.node(edge.node);
      if (&reader == found.pack && ++packs == 1) continue;
      if (!IsOtherSlice(found, reader, product.output_shapes[0], found.sliced)) return std::nullopt;
      step.slices.push_back(reader.id);
    }
    return step;
  }

  // Of all columns beside those that are packed, the same as of other slices.
  bool IsOtherSlice(const TableGradient& found, const Node& slice, const PartialShape& whole, Range& sliced) const {
    if (slice.op->name != "Slice" || !view_.OnOneDevice(slice, *found.pack)) return false;
    const Tensor* const begin = graph_.ConstantValue(slice.inputs[1]);
    const PartialShape& part = slice.output_shapes[0];
    if (begin == nullptr || !part.IsFullyDefined() || part.rank() != 2 || part.dim(0) != whole.dim(0)) return false;
    const Range range{LastInt(*begin), part.dim(1)};
    if (sliced.count == 0) sliced = range;
    const int64_t end = found.packed.first + found.packed.count;
    if (!slice.control_inputs.empty()) return false;
    const bool is_rest =
        range.first == 0 ? range.count == found.packed.first && end == whole.dim(1)
                         : found.packed.first == 0 && range.first == end && range.first + range.count == whole.dim(1);
    return is_rest && range.first == sliced.first && range.count == sliced.count;
  }

  bool IsWorthwhile(const TableGradient& found) const {
    const PartialShape& matrix = graph_.shape(found.matrix);
    const PartialShape& rows = found.reshape->output_shapes[0];
    return matrix.IsFullyDefined() && matrix.rank() == 2 &&
           matrix.dim(1) >= kLeastWork / std::max<int64_t>(1, rows.dim(0) * rows.dim(1));
  }

  // Sets what the steps know of it.
  std::optional<Lookup> FindLookup(TableGradient& found) const {
    for (const Consumers::Edge& edge : view_.consumers().of(found.steps[0].gradient.node)) {
      const Node& node = view_.node(edge.node);
      if (edge.port < 0 || node.op->name != "_MatMulSum" || !IsMatrixGradient(found, node)) continue;
      std::optional<Lookup> lookup = LookupOf(found, node);
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
    for (Step& step : found.steps) step.join = -1;
    for (size_t i = 0; i < count; ++i) {
      const auto step = std::find_if(found.steps.begin(), found.steps.end(),
                                     [&](const Step& s) { return s.gradient == sum.inputs[count + i] && s.join < 0; });
      if (step == found.steps.end()) return false;
      step->join = sum.inputs[i].node;
    }
    return true;
  }

  std::optional<Lookup> LookupOf(TableGradient& found, const Node& sum) const {
    Lookup lookup{-1, {}, found.packed.first == 0, sum.id, {}};
    const Node* unpack = nullptr;
    for (size_t t = 0; t < found.steps.size(); ++t) {
      Step& step = found.steps[t];
      const Node& join = view_.node(step.join);
      if (!IsJoin(found, join)) return std::nullopt;
      const Output of_table = join.inputs[lookup.is_first ? 0 : 1];
      step.other = join.inputs[lookup.is_first ? 1 : 0];
      if (unpack == nullptr) unpack = &view_.node(of_table.node);
      if (!(of_table == Output{unpack->id, static_cast<int32_t>(t)}) || !FindForward(found, step, sum, lookup.bias)) {
        return std::nullopt;
      }
    }
    return IsLookedUp(found, *unpack, lookup) ? std::optional(std::move(lookup)) : std::nullopt;
  }

  // A ConcatV2 of the columns that are packed with all others.
  bool IsJoin(const TableGradient& found, const Node& join) const {
    if (join.op->name != "ConcatV2" || join.num_inputs() != 3 || !view_.OnOneDevice(join, *found.pack)) return false;
    const Tensor* const axis = graph_.ConstantValue(join.inputs[2]);
    const PartialShape& whole = join.output_shapes[0];
    const PartialShape& part = graph_.shape(join.inputs[found.packed.first == 0 ? 0 : 1]);
    if (axis == nullptr || !whole.IsFullyDefined() || whole.rank() != 2 || !part.IsFullyDefined()) return false;
    const int64_t along = LastInt(*axis);
    const int64_t rest = whole.dim(1) - found.packed.count;
    return (along == 1 || along == -1) && whole.dim(1) == graph_.shape(found.matrix).dim(0) &&
           part.dim(1) == found.packed.count && rest > 0 && rest == found.sliced.count;
  }

  // The one node beside `sum` that reads the join of a step, a product by the matrix that is quicker by panels.
  bool FindForward(const TableGradient& found, Step& step, const Node& sum, Output& bias) const {
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
    if (has_bias && *product.attrs.Find("fused_ops")->get<std::vector<std::string>>() != kBiasAdd) return false;
    const Output of_product = has_bias ? product.inputs[2] : Output();
    if (&step == &found.steps[0]) bias = of_product;
    const PartialShape& shape = product.output_shapes[0];
    return of_product == bias && GainsByPanels(shape.dim(0), found.sliced.count, shape.dim(1));
  }

  // Whether rows are unpacked as gradients are packed, of a lookup by the same indices, and go nowhere else.
  bool IsLookedUp(const TableGradient& found, const Node& unpack, Lookup& lookup) const {
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

// Makes the new graph. What stands for a node is made where it stood, the products by the sums as soon as all that is
// summed is there.
class Rewriter {
 public:
  Rewriter(const FusionView& view, const std::vector<TableGradient>& tables)
      : view_(view), graph_(view.graph()), rebuilder_(view.graph()) {
    for (const TableGradient& table : tables) {
      Work& work = works_.emplace_back(Work{table, {}, {}, {}, {}, {}, -1, {}});
      for (const Step& step : table.steps) {
        tasks_[step.product] = [&] { return RemakeProduct(work, step); };
        if (step.whole != step.product) tasks_[step.whole] = [&] { return RemakeWhole(step); };
        for (NodeId slice : step.slices) tasks_[slice] = [&, slice] { return ReplaceSlice(slice, step); };
      }
      const auto drop = [] { return Status(); };
      for (const Node* node : {table.pack, table.reshape}) tasks_[node->id] = drop;
      for (const Node* node : table.scale) tasks_[node->id] = drop;
      tasks_[table.end->id] = [&] { return RemakeEnd(work); };
      if (table.lookup) PlanLookup(work, *table.lookup);
    }
  }

  Result<Graph> Apply(std::span<const NodeId> order) {
    for (NodeId id : order) {
      if (const auto task = tasks_.find(id); task != tasks_.end()) {
        DF_TRY(task->second());
      } else {
        rebuilder_.Keep(id);
      }
    }
    return rebuilder_.Finish();
  }

 private:
  struct Work {
    const TableGradient& table;
    Output packed_rows;  // of the matrix
    Output sliced_rows;
    Output places;         // among the table's different rows
    Output of_table;       // the product of these by the matrix
    Output sliced_panels;  // of the matrix
    NodeId sums;           // none yet: -1
    Output rows;           // the gradient of the table's different rows
  };

  void PlanLookup(Work& work, const Lookup& lookup) {
    tasks_[lookup.node] = [&] { return RemakeLookup(work); };
    for (NodeId id : lookup.between) {
      tasks_[id] = [&, id] {
        rebuilder_.ReplaceControl(id, rebuilder_.NewControl(lookup.node));
        return Status();
      };
    }
    for (size_t t = 0; t < work.table.steps.size(); ++t) {
      const Step& step = work.table.steps[t];
      tasks_[step.join] = [&] {
        return view_.IsAwaited(graph_.node(step.join)) ? rebuilder_.AddAwaited(step.join).status() : Status();
      };
      tasks_[step.forward] = [&, t] { return RemakeForward(work, t); };
    }
    tasks_[lookup.sum] = [&] { return RemakeSum(work); };
  }

  // Each different row once.
  Status RemakeLookup(Work& work) {
    const Node& lookup = graph_.node(work.table.lookup->node);
    NodeSpec spec = SpecOf(lookup);
    Tensor all(DType::kInt32, Shape({1}));
    all.data<int32_t>()[0] = -1;
    DF_ASSIGN(const Output shape, Add(lookup, "/shape", "Const", {}, {{"dtype", all.dtype()}, {"value", all}}));
    DF_ASSIGN(const Output flat, Add(lookup, "/keys", "Reshape", {spec.inputs[1], shape}));
    DF_ASSIGN(const Output unique, Add(lookup, "/unique", "Unique", {flat}, {{"out_idx", DType::kInt32}}));
    work.places = {unique.node, 1};
    spec.inputs[1] = unique;
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(lookup.id, made);
    return Status();
  }

  // A step's product is of the other columns alone. To it are added the table's rows, which are multiplied before.
  Status RemakeForward(Work& work, size_t t) {
    const Step& step = work.table.steps[t];
    const Node& product = graph_.node(step.forward);
    DF_TRY(TakeRows(work, product));
    if (!work.of_table.valid()) {
      const Output rows = rebuilder_.NewPlace({work.table.lookup->node, 0});
      if (work.table.lookup->bias.valid()) {
        DF_ASSIGN(work.of_table, Add(product, "/of_table", "_FusedMatMul",
                                     {rows, work.packed_rows, rebuilder_.NewPlace(work.table.lookup->bias)},
                                     {{"num_args", 1}, {"fused_ops", kBiasAdd}}));
      } else {
        DF_ASSIGN(work.of_table, Add(product, "/of_table", "MatMul", {rows, work.packed_rows}));
      }
      DF_ASSIGN(work.sliced_panels, Add(product, "/panels", "_MatMulPanels", {work.sliced_rows}));
    }
    const bool is_step_first = *work.table.pack->attrs.Find("axis")->get<int64_t>() == 0;
    const auto step_number = static_cast<int64_t>(t);
    const auto steps = static_cast<int64_t>(work.table.steps.size());
    NodeSpec spec = SpecOf(product);
    spec.op = "_MatMulByPanels";
    spec.inputs = {rebuilder_.NewPlace(step.other), work.sliced_panels, work.of_table, work.places};
    spec.attrs = {{"columns", product.output_shapes[0].dim(1)},
                  {"num_args", 1},
                  {"num_places", 1},
                  {"first_place", is_step_first ? step_number * product.output_shapes[0].dim(0) : step_number},
                  {"place_step", is_step_first ? 1 : steps}};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(product.id, made);
    return Status();
  }

  Status RemakeProduct(Work& work, const Step& step) {
    DF_TRY(TakeRows(work, graph_.node(step.product)));
    if (!step.slices.empty()) {
      NodeSpec spec = SpecOf(graph_.node(step.product));
      spec.inputs[1] = work.sliced_rows;
      spec.control_inputs.push_back(work.packed_rows.node);
      DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
      rebuilder_.MergeInto(step.product, made);
      return Status();
    }
    if (CanSum(work)) {  // who waited for this one, to change the matrix perhaps, waits for all of them
      DF_ASSIGN(const Output rows, RowsOf(work));
      rebuilder_.ReplaceControl(step.product, rows.node);
      return Status();
    }
    DF_ASSIGN(const NodeId made, rebuilder_.AddAwaited(step.product));
    rebuilder_.to().AddControlEdge(work.packed_rows.node, made);
    return Status();
  }

  Status RemakeWhole(const Step& step) {
    if (step.slices.empty()) return rebuilder_.AddAwaited(step.whole).status();
    return Remake(graph_.node(step.whole));
  }

  Status ReplaceSlice(NodeId slice, const Step& step) {
    const Output whole = rebuilder_.NewPlace({step.whole, 0});
    rebuilder_.Replace({slice, 0}, whole);
    rebuilder_.ReplaceControl(slice, whole.node);
    return Status();
  }

  // The table's part of the matrix's gradient is a product of its different rows.
  Status RemakeSum(Work& work) {
    const Lookup& lookup = *work.table.lookup;
    DF_ASSIGN(const NodeId sums, SumsOf(work));
    std::vector<Output> a;
    std::vector<Output> b;
    for (const Step& step : work.table.steps) {
      a.push_back(rebuilder_.NewPlace(step.other));
      b.push_back(rebuilder_.NewPlace(step.gradient));
    }
    a.insert(lookup.is_first ? a.begin() : a.end(), rebuilder_.NewPlace({lookup.node, 0}));
    b.insert(lookup.is_first ? b.begin() : b.end(), Output{sums, 0});
    const auto steps = static_cast<int64_t>(work.table.steps.size());
    NodeSpec spec = SpecOf(graph_.node(lookup.sum));
    spec.inputs = a;
    spec.inputs.insert(spec.inputs.end(), b.begin(), b.end());
    spec.attrs.Set("N", steps + 1);
    spec.attrs.Set("parts", lookup.is_first ? std::vector<int64_t>{1, steps} : std::vector<int64_t>{steps, 1});
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(lookup.sum, made);
    return Status();
  }

  Status RemakeEnd(Work& work) {
    DF_ASSIGN(const Output rows, RowsOf(work));
    rebuilder_.Replace({work.table.reshape->id, 0}, rows);
    for (const Node* node : work.table.scale) DF_TRY(Remake(*node));
    const Node& end = *work.table.end;
    if (end.op->name == "UnsortedSegmentSum") {
      const Output sums = rebuilder_.NewPlace(end.inputs[0]);
      rebuilder_.Replace({end.id, 0}, sums);
      rebuilder_.ReplaceControl(end.id, sums.node);
      return Status();
    }
    NodeSpec spec = SpecOf(end);
    spec.inputs[1] = {work.sums, 1};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(end.id, made);
    return Status();
  }

  // The rows of the matrix, once for all products.
  Status TakeRows(Work& work, const Node& product) {
    if (work.packed_rows.valid()) return Status();
    const auto take = [&](Range range) {
      return Add(product, "/rows", "_Rows", {rebuilder_.NewPlace(work.table.matrix)},
                 {{"first", range.first}, {"count", range.count}});
    };
    DF_ASSIGN(work.packed_rows, take(work.table.packed));
    if (work.table.sliced.count > 0) {
      DF_ASSIGN(work.sliced_rows, take(work.table.sliced));
    }
    return Status();
  }

  Output KeysOf(const Work& work) const {
    return rebuilder_.NewPlace(work.table.lookup ? graph_.node(work.table.lookup->node).inputs[1] : work.table.keys);
  }
  bool CanSum(const Work& work) const {
    return KeysOf(work).valid() && std::all_of(work.table.steps.begin(), work.table.steps.end(), [&](const Step& step) {
             return rebuilder_.NewPlace(step.gradient).valid();
           });
  }

  Result<NodeId> SumsOf(Work& work) {
    if (work.sums >= 0) return work.sums;
    const Node& pack = *work.table.pack;
    NodeSpec spec = PlacedAs(pack);
    spec.name = pack.name;
    spec.op = "_SumEqualRows";
    spec.inputs = {KeysOf(work)};
    for (const Step& step : work.table.steps) spec.inputs.push_back(rebuilder_.NewPlace(step.gradient));
    rebuilder_.AddControls(pack.control_inputs, spec.control_inputs);
    spec.attrs = {{"axis", *pack.attrs.Find("axis")->get<int64_t>()}};
    DF_ASSIGN(work.sums, rebuilder_.to().AddNode(std::move(spec)));
    return work.sums;
  }

  Result<Output> RowsOf(Work& work) {
    if (work.rows.valid()) return work.rows;
    DF_ASSIGN(const NodeId sums, SumsOf(work));
    NodeSpec spec = PlacedAs(*work.table.reshape);
    spec.name = work.table.reshape->name;
    spec.op = "MatMul";
    spec.inputs = {{sums, 0}, work.packed_rows};
    spec.attrs = {{"transpose_b", true}};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    work.rows = {made, 0};
    return work.rows;
  }

  // A node beside `near`, called as it and `what`.
  Result<Output> Add(const Node& near, const char* what, const char* op, std::vector<Output> inputs,
                     AttrMap attrs = {}) {
    NodeSpec spec = PlacedAs(near);
    spec.name = rebuilder_.to().UniqueName(StrCat(near.name, what));
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    return Output{made, 0};
  }
  NodeSpec SpecOf(const Node& node) const {
    NodeSpec spec = PlacedAs(node);
    spec.name = node.name;
    spec.op = node.op->name;
    for (Output input : node.inputs) spec.inputs.push_back(rebuilder_.NewPlace(input));
    rebuilder_.AddControls(node.control_inputs, spec.control_inputs);
    spec.attrs = node.attrs;
    return spec;
  }
  // As it was, but of what its inputs are now.
  Status Remake(const Node& node) {
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(SpecOf(node)));
    rebuilder_.MergeInto(node.id, made);
    return Status();
  }

  const FusionView& view_;
  const Graph& graph_;
  GraphRebuilder rebuilder_;
  std::deque<Work> works_;
  std::unordered_map<NodeId, std::function<Status()>> tasks_;
};

// Whether all products by a variable, if the matrix is one, see one value of it.
bool SeeOneMatrix(const Graph& graph, const VariableReaders& variables, std::span<const NodeId> order,
                  const TableGradient& table) {
  if (!graph.is_ref(table.matrix)) return true;
  std::vector<NodeId> products;
  for (const Step& step : table.steps) {
    products.push_back(step.product);
    if (table.lookup) products.push_back(step.forward);
  }
  return SeeOneValue(graph, variables, order, table.matrix.node, products);
}

// Those of which no two share a node.
std::vector<TableGradient> FindTables(const FusionView& view, std::span<const NodeId> order) {
  const Finder finder(view);
  const VariableReaders variables(view.graph(), view.consumers());
  std::vector<TableGradient> tables;
  std::unordered_set<NodeId> taken;
  for (const Node& node : view.graph().nodes()) {
    std::optional<TableGradient> table = finder.At(node);
    if (!table || !SeeOneMatrix(view.graph(), variables, order, *table)) continue;
    const auto is_taken = [&](const Step& step) {
      return taken.count(step.whole) > 0 || taken.count(step.product) > 0;
    };
    if (std::any_of(table->steps.begin(), table->steps.end(), is_taken)) continue;
    if (table->lookup && !taken.insert(table->lookup->sum).second) table->lookup.reset();
    for (const Step& step : table->steps) taken.insert({step.whole, step.product});
    tables.push_back(*std::move(table));
  }
  return tables;
}

}  // namespace

Status SumEqualRows(Graph& graph) {
  if (graph.ops().Find("_SumEqualRows") == nullptr || HasControlFlow(graph)) return Status();
  const auto is_packed = [](const Node& node) { return node.op->name == "_PackColumns"; };
  if (std::none_of(graph.nodes().begin(), graph.nodes().end(), is_packed)) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const FusionView view(graph);
  const std::vector<TableGradient> tables = FindTables(view, order);
  if (tables.empty()) return Status();
  DF_ASSIGN(Graph changed, Rewriter(view, tables).Apply(order));
  graph = std::move(changed);
  return Status();
}

}  // namespace dfrun
