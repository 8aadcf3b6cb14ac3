#include "src/graph/known_value.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace dfrun {
namespace {

using Element = KnownValue::Element;

// A value while it is computed.
struct Ints {
  bool is_scalar = false;
  std::vector<Element> elements;
};
using MaybeInts = std::optional<Ints>;

Ints ScalarOf(Element element) {
  return {true, {element}};
}
Ints VectorOf(std::vector<Element> elements) {
  return {false, std::move(elements)};
}

// The node and the known values of its inputs.
class Inputs {
 public:
  Inputs(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  const Node& node() const { return node_; }
  int size() const { return node_.num_inputs(); }
  const PartialShape& shape(int i) const {
    static const PartialShape unknown;
    return IsKnownEdge(i) ? graph_.shape(node_.inputs[i]) : unknown;
  }
  PartialShape handle_shape(int i) const {
    return IsKnownEdge(i) ? graph_.HandleShape(node_.inputs[i]) : PartialShape();
  }
  // A scalar or short vector, with unknown elements if only its shape is known. Nothing for other inputs.
  MaybeInts operator[](int i) const {
    if (!IsKnownEdge(i)) return std::nullopt;
    if (const KnownValue* known = graph_.KnownValueOf(node_.inputs[i])) return Ints{known->is_scalar, known->elements};
    const PartialShape& s = shape(i);
    if (s.rank() == 0) return ScalarOf(std::nullopt);
    if (s.rank() != 1 || s.dim(0) < 0 || s.dim(0) > static_cast<int64_t>(KnownValue::kMaxElements)) return std::nullopt;
    return VectorOf(std::vector<Element>(static_cast<size_t>(s.dim(0))));
  }
  MaybeInts Vector(int i) const {
    MaybeInts value = (*this)[i];
    return value && !value->is_scalar ? value : std::nullopt;
  }
  // The one element of a scalar or of a vector of length 1.
  Element Single(int i) const {
    const MaybeInts value = (*this)[i];
    return value && value->elements.size() == 1 ? value->elements[0] : std::nullopt;
  }
  int64_t Mask(std::string_view attr) const {
    const AttrValue* value = node_.attrs.Find(attr);
    const int64_t* number = value == nullptr ? nullptr : value->get<int64_t>();
    return number == nullptr ? 0 : *number;
  }

 private:
  bool IsKnownEdge(int i) const { return node_.inputs[i].valid() && !graph_.IsBackEdge(node_, i); }

  const Graph& graph_;
  const Node& node_;
};

MaybeInts Const(const Inputs& in) {
  const AttrValue* value = in.node().attrs.Find("value");
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  if (tensor == nullptr || tensor->shape().rank() > 1) return std::nullopt;
  if (tensor->num_elements() > static_cast<int64_t>(KnownValue::kMaxElements)) return std::nullopt;
  Ints out{tensor->shape().rank() == 0, {}};
  VisitDType<int32_t, int64_t>(tensor->dtype(), [&](auto tag) {
    for (auto v : tensor->values<typename decltype(tag)::type>()) out.elements.emplace_back(v);
  });
  return out;
}

MaybeInts SizesOf(const PartialShape& shape) {
  if (!shape.known_rank()) return std::nullopt;
  Ints out;
  for (int64_t size : shape.dims()) out.elements.push_back(size < 0 ? std::nullopt : Element(size));
  return out;
}

MaybeInts ShapeOf(const Inputs& in) {
  return SizesOf(in.shape(0));
}

MaybeInts VariableShape(const Inputs& in) {
  return SizesOf(in.handle_shape(0));
}

MaybeInts SizeOf(const Inputs& in) {
  const int64_t n = in.shape(0).num_elements();
  return n < 0 ? std::nullopt : MaybeInts(ScalarOf(n));
}

MaybeInts RankOf(const Inputs& in) {
  const int rank = in.shape(0).rank();
  return rank < 0 ? std::nullopt : MaybeInts(ScalarOf(rank));
}

MaybeInts Same(const Inputs& in) {
  return in[0];
}

MaybeInts Pack(const Inputs& in) {
  Ints out;
  for (int i = 0; i < in.size(); ++i) {
    const MaybeInts value = in[i];
    if (!value || !value->is_scalar) return std::nullopt;
    out.elements.push_back(value->elements[0]);
  }
  return out;
}

MaybeInts Concat(const Inputs& in) {
  Ints out;
  for (int i = 0; i + 1 < in.size(); ++i) {  // the last input is the axis, which can only be 0 for vectors
    const MaybeInts value = in.Vector(i);
    if (!value) return std::nullopt;
    out.elements.insert(out.elements.end(), value->elements.begin(), value->elements.end());
  }
  return out;
}

MaybeInts Slice(const Inputs& in) {
  const MaybeInts value = in.Vector(0);
  const Element begin = in.Single(1);
  const Element size = in.Single(2);
  if (!value || !begin || !size) return std::nullopt;
  const auto length = static_cast<int64_t>(value->elements.size());
  if (*begin < 0 || *begin > length || *size < -1 || *size > length - *begin) return std::nullopt;
  const auto first = value->elements.begin() + *begin;
  return VectorOf({first, *size == -1 ? value->elements.end() : first + *size});
}

// A bound of a strided slice as TensorFlow clamps it: [0, length] going up, [-1, length - 1] going down.
int64_t ClampBound(int64_t bound, int64_t length, int64_t stride) {
  if (bound < 0) bound = std::max<int64_t>(bound, -length - 1) + length;
  return stride > 0 ? std::clamp<int64_t>(bound, 0, length) : std::clamp<int64_t>(bound, -1, length - 1);
}

MaybeInts StridedSlice(const Inputs& in) {
  const MaybeInts value = in.Vector(0);
  const Element begin = in.Single(1);
  const Element end = in.Single(2);
  const Element stride = in.Single(3);
  if (!value || !begin || !end || !stride || *stride == 0) return std::nullopt;
  if ((in.Mask("ellipsis_mask") | in.Mask("new_axis_mask")) != 0) return std::nullopt;
  const auto length = static_cast<int64_t>(value->elements.size());
  if ((in.Mask("shrink_axis_mask") & 1) != 0) {
    const int64_t at = *begin < 0 ? *begin + length : *begin;
    return at < 0 || at >= length ? std::nullopt : MaybeInts(ScalarOf(value->elements[static_cast<size_t>(at)]));
  }
  const int64_t lowest = *stride > 0 ? 0 : -1;
  const int64_t highest = *stride > 0 ? length : length - 1;
  const int64_t from =
      (in.Mask("begin_mask") & 1) != 0 ? (*stride > 0 ? lowest : highest) : ClampBound(*begin, length, *stride);
  const int64_t to =
      (in.Mask("end_mask") & 1) != 0 ? (*stride > 0 ? highest : lowest) : ClampBound(*end, length, *stride);
  Ints out;
  for (int64_t i = from; *stride > 0 ? i < to : i > to; i += std::clamp<int64_t>(*stride, -length - 1, length + 1)) {
    out.elements.push_back(value->elements[static_cast<size_t>(i)]);
  }
  return out;
}

MaybeInts ExpandDims(const Inputs& in) {
  const MaybeInts value = in[0];
  return value && value->is_scalar ? MaybeInts(VectorOf(value->elements)) : std::nullopt;
}

MaybeInts Squeeze(const Inputs& in) {
  const MaybeInts value = in.Vector(0);
  return value && value->elements.size() == 1 ? MaybeInts(ScalarOf(value->elements[0])) : std::nullopt;
}

MaybeInts Reshape(const Inputs& in) {
  const MaybeInts value = in[0];
  const int rank = in.node().output_shapes[0].rank();
  if (!value || rank < 0 || rank > 1) return std::nullopt;
  return Ints{rank == 0, value->elements};
}

MaybeInts Gather(const Inputs& in) {
  const MaybeInts params = in.Vector(0);
  const MaybeInts indices = in[1];
  if (!params || !indices) return std::nullopt;
  Ints out{indices->is_scalar, {}};
  for (Element index : indices->elements) {
    const bool known = index && *index >= 0 && *index < static_cast<int64_t>(params->elements.size());
    out.elements.push_back(known ? params->elements[static_cast<size_t>(*index)] : std::nullopt);
  }
  return out;
}

MaybeInts Range(const Inputs& in) {
  const Element start = in.Single(0);
  const Element limit = in.Single(1);
  const Element delta = in.Single(2);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  Ints out;
  int64_t at = *start;
  while (*delta > 0 ? at < *limit : at > *limit) {
    if (out.elements.size() == KnownValue::kMaxElements) return std::nullopt;
    out.elements.emplace_back(at);
    if (__builtin_add_overflow(at, *delta, &at)) break;
  }
  return out;
}

// For a permutation whose elements are all known.
MaybeInts InvertPermutation(const Inputs& in) {
  const MaybeInts value = in.Vector(0);
  if (!value) return std::nullopt;
  const auto length = static_cast<int64_t>(value->elements.size());
  std::vector<Element> inverse(value->elements.size());
  for (int64_t i = 0; i < length; ++i) {
    const Element to = value->elements[static_cast<size_t>(i)];
    if (!to || *to < 0 || *to >= length || inverse[static_cast<size_t>(*to)]) return std::nullopt;
    inverse[static_cast<size_t>(*to)] = i;
  }
  return VectorOf(std::move(inverse));
}

MaybeInts Fill(const Inputs& in) {
  const MaybeInts dims = in.Vector(0);
  const MaybeInts value = in[1];
  if (!dims || !value || dims->elements.size() > 1) return std::nullopt;
  if (dims->elements.empty()) return ScalarOf(value->elements[0]);
  const Element n = dims->elements[0];
  if (!n || *n < 0 || *n > static_cast<int64_t>(KnownValue::kMaxElements)) return std::nullopt;
  return VectorOf(std::vector<Element>(static_cast<size_t>(*n), value->elements[0]));
}

Element Times(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : Element(out);
}
Element Plus(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : Element(out);
}
Element Minus(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? std::nullopt : Element(out);
}
// A quotient that is not defined, or overflows, stays unknown: the kernel reports it.
bool CanDivide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
Element Quotient(int64_t a, int64_t b) {
  return CanDivide(a, b) ? Element(a / b) : std::nullopt;
}
Element FloorQuotient(int64_t a, int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
Element FloorRemainder(int64_t a, int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
Element Larger(int64_t a, int64_t b) {
  return std::max(a, b);
}
Element Smaller(int64_t a, int64_t b) {
  return std::min(a, b);
}

// Element by element; a scalar or a vector of one element is repeated.
template <Element (*F)(int64_t, int64_t)>
MaybeInts Binary(const Inputs& in) {
  const MaybeInts a = in[0];
  const MaybeInts b = in[1];
  if (!a || !b) return std::nullopt;
  const size_t na = a->elements.size();
  const size_t nb = b->elements.size();
  if (na != nb && na != 1 && nb != 1) return std::nullopt;
  Ints out{a->is_scalar && b->is_scalar, {}};
  for (size_t i = 0; i < (na == 1 ? nb : na); ++i) {
    const Element x = a->elements[na == 1 ? 0 : i];
    const Element y = b->elements[nb == 1 ? 0 : i];
    out.elements.push_back(x && y ? F(*x, *y) : std::nullopt);
  }
  return out;
}

Element Negative(int64_t a) {
  return Minus(0, a);
}

template <Element (*F)(int64_t)>
MaybeInts Unary(const Inputs& in) {
  MaybeInts value = in[0];
  if (!value) return std::nullopt;
  for (Element& e : value->elements) e = e ? F(*e) : std::nullopt;
  return value;
}

// Folds all elements of a vector into one.
template <Element (*F)(int64_t, int64_t), int64_t kOfNone>
MaybeInts Reduction(const Inputs& in) {
  const MaybeInts value = in.Vector(0);
  if (!value || in.node().output_shapes[0].rank() != 0) return std::nullopt;
  Element out = kOfNone;
  for (Element e : value->elements) out = out && e ? F(*out, *e) : std::nullopt;
  return ScalarOf(out);
}

using Evaluator = MaybeInts (*)(const Inputs&);

// The values of all outputs.
using ManyInts = std::vector<MaybeInts>;

ManyInts ShapesOf(const Inputs& in) {
  ManyInts out;
  for (int i = 0; i < in.size(); ++i) out.push_back(SizesOf(in.shape(i)));
  return out;
}

ManyInts Unpack(const Inputs& in) {
  ManyInts out;
  if (const MaybeInts value = in.Vector(0)) {
    for (Element e : value->elements) out.emplace_back(ScalarOf(e));
  }
  return out;
}

// Splits a vector, whose axis can only be 0, into equal parts.
ManyInts Split(const Inputs& in) {
  ManyInts out;
  const MaybeInts value = in.Vector(1);
  const size_t parts = in.node().output_types.size();
  if (!value || value->elements.size() % parts != 0) return out;
  const auto length = static_cast<int64_t>(value->elements.size() / parts);
  for (auto at = value->elements.begin(); out.size() < parts; at += length) {
    out.emplace_back(VectorOf({at, at + length}));
  }
  return out;
}

// Empty for an op of another kind, and if nothing is known.
ManyInts EvaluateMany(const Inputs& in) {
  const std::string& op = in.node().op->name;
  if (op == "ShapeN") return ShapesOf(in);
  if (op == "Unpack") return Unpack(in);
  if (op == "Split") return Split(in);
  return {};
}

Evaluator FindEvaluator(std::string_view op) {
  static const std::unordered_map<std::string_view, Evaluator>& table =
      *new std::unordered_map<std::string_view, Evaluator>{
          {"Const", Const},
          {"Shape", ShapeOf},
          {"VariableShape", VariableShape},
          {"Size", SizeOf},
          {"Rank", RankOf},
          {"Identity", Same},
          {"StopGradient", Same},
          {"Cast", Same},
          {"Pack", Pack},
          {"ConcatV2", Concat},
          {"Slice", Slice},
          {"StridedSlice", StridedSlice},
          {"ExpandDims", ExpandDims},
          {"Squeeze", Squeeze},
          {"Reshape", Reshape},
          {"Gather", Gather},
          {"GatherV2", Gather},
          {"Range", Range},
          {"InvertPermutation", InvertPermutation},
          {"Fill", Fill},
          {"Add", Binary<Plus>},
          {"AddV2", Binary<Plus>},
          {"Sub", Binary<Minus>},
          {"Mul", Binary<Times>},
          {"Div", Binary<Quotient>},
          {"FloorDiv", Binary<FloorQuotient>},
          {"FloorMod", Binary<FloorRemainder>},
          {"Maximum", Binary<Larger>},
          {"Minimum", Binary<Smaller>},
          {"Neg", Unary<Negative>},
          {"Prod", Reduction<Times, 1>},
          {"Sum", Reduction<Plus, 0>},
          {"Max", Reduction<Larger, std::numeric_limits<int64_t>::min()>},
          {"Min", Reduction<Smaller, std::numeric_limits<int64_t>::max()>},
      };
  auto it = table.find(op);
  return it == table.end() ? nullptr : it->second;
}

// Elements that the dtype cannot hold become unknown.
template <class T>
void Narrow(std::vector<Element>& elements) {
  for (Element& e : elements) {
    if (e && (*e < std::numeric_limits<T>::min() || *e > std::numeric_limits<T>::max())) e = std::nullopt;
  }
}

template <class T>
std::shared_ptr<KnownValue> FinishAs(Ints value) {
  Narrow<T>(value.elements);
  const auto is_known = [](const Element& e) { return e.has_value(); };
  const bool complete = std::all_of(value.elements.begin(), value.elements.end(), is_known);
  if (!complete && std::none_of(value.elements.begin(), value.elements.end(), is_known)) return nullptr;
  auto out = std::make_shared<KnownValue>();
  out->is_scalar = value.is_scalar;
  out->elements = std::move(value.elements);
  if (complete) {
    const int64_t n = static_cast<int64_t>(out->elements.size());
    out->tensor = Tensor(DTypeOf<T>, value.is_scalar ? Shape() : Shape({n}));
    for (int64_t i = 0; i < n; ++i) out->tensor.data<T>()[i] = static_cast<T>(*out->elements[static_cast<size_t>(i)]);
  }
  return out;
}

// Null if nothing is known.
std::shared_ptr<KnownValue> Finish(MaybeInts value, DType dtype) {
  if (!value || value->elements.size() > KnownValue::kMaxElements) return nullptr;
  return dtype == DType::kInt32 ? FinishAs<int32_t>(*std::move(value)) : FinishAs<int64_t>(*std::move(value));
}

std::shared_ptr<KnownValue> FinishMany(ManyInts values, DType dtype) {
  if (values.empty()) return nullptr;
  std::vector<std::shared_ptr<const KnownValue>> later;
  bool any = false;
  for (size_t i = 1; i < values.size(); ++i) {
    later.push_back(Finish(std::move(values[i]), dtype));
    any = any || later.back() != nullptr;
  }
  std::shared_ptr<KnownValue> first = Finish(std::move(values[0]), dtype);
  if (!any) return first;
  if (first == nullptr) first = std::make_shared<KnownValue>();
  first->later_outputs = std::move(later);
  return first;
}

}  // namespace

bool KnownValue::complete() const {
  return tensor.initialized();
}

PartialShape KnownValue::AsShape() const {
  std::vector<int64_t> dims;
  for (const Element& e : elements) dims.push_back(e && *e >= 0 ? *e : PartialShape::kUnknown);
  return PartialShape(std::move(dims));
}

PartialShape KnownShapeValue(const Graph& graph, Output sizes) {
  if (!sizes.valid()) return PartialShape();
  if (const KnownValue* value = graph.KnownValueOf(sizes)) return value->is_scalar ? PartialShape() : value->AsShape();
  const PartialShape& shape = graph.shape(sizes);
  const bool of_known_rank = shape.rank() == 1 && shape.dim(0) >= 0 && shape.dim(0) <= Shape::kMaxRank;
  return of_known_rank ? PartialShape::UnknownOfRank(static_cast<int>(shape.dim(0))) : PartialShape();
}

std::shared_ptr<const KnownValue> EvaluateKnownValue(const Graph& graph, const Node& node) {
  if (node.output_types.empty()) return nullptr;
  const DType dtype = node.output_types[0].dtype;
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return nullptr;
  const Inputs inputs(graph, node);
  if (ManyInts values = EvaluateMany(inputs); !values.empty()) return FinishMany(std::move(values), dtype);
  const Evaluator evaluate = FindEvaluator(node.op->name);
  return evaluate == nullptr ? nullptr : Finish(evaluate(inputs), dtype);
}

}  // namespace dfrun
