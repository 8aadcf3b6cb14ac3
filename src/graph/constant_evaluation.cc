#include "src/graph/constant_evaluation.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dfrun {
namespace {

using Element = PartialConstant::Element;

// The node and the known values of its inputs.
class NodeConstants final : public ConstantContext {
 public:
  NodeConstants(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  int num_inputs() const override { return node_.num_inputs(); }
  int num_outputs() const override { return node_.num_outputs(); }
  const AttrMap& attrs() const override { return node_.attrs; }
  const PartialShape& input_shape(int i) const override {
    static const PartialShape unknown;
    return IsKnownEdge(i) ? graph_.shape(node_.inputs[i]) : unknown;
  }
  const PartialShape& output_shape(int i) const override { return node_.output_shapes[i]; }
  PartialShape handle_shape(int i) const override {
    return IsKnownEdge(i) ? graph_.HandleShape(node_.inputs[i]) : PartialShape();
  }
  MaybeConstant input(int i) const override {
    if (!IsKnownEdge(i)) return std::nullopt;
    if (const PartialConstant* known = graph_.PartialConstantOf(node_.inputs[i])) {
      return ConstantInts{known->is_scalar, known->elements};
    }
    const PartialShape& s = input_shape(i);
    if (s.rank() == 0) return ConstantInts::Scalar(std::nullopt);
    if (s.rank() != 1 || s.dim(0) < 0 || s.dim(0) > static_cast<int64_t>(ConstantInts::kMaxElements)) {
      return std::nullopt;
    }
    return ConstantInts::Vector(std::vector<Element>(static_cast<size_t>(s.dim(0))));
  }

 private:
  bool IsKnownEdge(int i) const { return node_.inputs[i].valid() && !graph_.IsBackEdge(node_, i); }

  const Graph& graph_;
  const Node& node_;
};

// Elements that the dtype cannot hold become unknown.
template <class T>
void Narrow(std::vector<Element>& elements) {
  for (Element& e : elements) {
    if (e && (*e < std::numeric_limits<T>::min() || *e > std::numeric_limits<T>::max())) e = std::nullopt;
  }
}

template <class T>
std::shared_ptr<PartialConstant> FinishAs(ConstantInts value) {
  Narrow<T>(value.elements);
  const auto is_known = [](const Element& e) { return e.has_value(); };
  const bool complete = std::all_of(value.elements.begin(), value.elements.end(), is_known);
  if (!complete && std::none_of(value.elements.begin(), value.elements.end(), is_known)) return nullptr;
  auto out = std::make_shared<PartialConstant>();
  out->is_scalar = value.is_scalar;
  out->elements = std::move(value.elements);
  if (complete) {
    const int64_t n = static_cast<int64_t>(out->elements.size());
    out->tensor = Tensor(DTypeOf<T>, value.is_scalar ? Shape() : Shape({n}));
    for (int64_t i = 0; i < n; ++i) out->tensor.data<T>()[i] = static_cast<T>(*out->elements[static_cast<size_t>(i)]);
  }
  return out;
}

// Returns null where nothing is known.
std::shared_ptr<PartialConstant> Finish(MaybeConstant value, DType dtype) {
  if (!value || value->elements.size() > ConstantInts::kMaxElements) return nullptr;
  return dtype == DType::kInt32 ? FinishAs<int32_t>(*std::move(value)) : FinishAs<int64_t>(*std::move(value));
}

std::shared_ptr<PartialConstant> FinishMany(std::vector<MaybeConstant> values, DType dtype) {
  if (values.empty()) return nullptr;
  std::vector<std::shared_ptr<const PartialConstant>> later;
  bool any = false;
  for (size_t i = 1; i < values.size(); ++i) {
    later.push_back(Finish(std::move(values[i]), dtype));
    any = any || later.back() != nullptr;
  }
  std::shared_ptr<PartialConstant> first = Finish(std::move(values[0]), dtype);
  if (!any) return first;
  if (first == nullptr) first = std::make_shared<PartialConstant>();
  first->later_outputs = std::move(later);
  return first;
}

}  // namespace

PartialShape ConstantPartialShape(const Graph& graph, Output sizes) {
  if (!sizes.valid()) return PartialShape();
  if (const PartialConstant* value = graph.PartialConstantOf(sizes))
    return value->is_scalar ? PartialShape() : value->AsShape();
  const PartialShape& shape = graph.shape(sizes);
  const bool of_known_rank = shape.rank() == 1 && shape.dim(0) >= 0 && shape.dim(0) <= Shape::kMaxRank;
  return of_known_rank ? PartialShape::UnknownOfRank(static_cast<int>(shape.dim(0))) : PartialShape();
}

std::shared_ptr<const PartialConstant> EvaluatePartialConstant(const Graph& graph, const Node& node) {
  if (node.output_types.empty()) return nullptr;
  const DType dtype = node.output_types[0].dtype;
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return nullptr;
  const ConstantsFn& evaluate = node.op->traits.constant_values;
  return evaluate ? FinishMany(evaluate(NodeConstants(graph, node)), dtype) : nullptr;
}

}  // namespace dfrun
