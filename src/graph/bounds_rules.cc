#include "src/graph/bounds_rules.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dfrun {
namespace {
namespace rules {

using Inputs = std::span<const Bounds>;
using Rule = Bounds (*)(const Node& node, Inputs in);

// The largest number that RandomUniform draws: the largest float below 1.
constexpr double kBelowOne = 1 - 0x1p-24;

Bounds Hull(std::initializer_list<double> values) {
  for (const double value : values) {
    if (std::isnan(value)) return {};
  }
  return {std::min(values), std::max(values)};
}

// 1, 0, or either.
Bounds Truth(bool is_true, bool is_false) {
  return {is_true ? 1.0 : 0.0, is_false ? 0.0 : 1.0};
}

Bounds First(const Node&, Inputs in) {
  return in[0];
}
Bounds Second(const Node&, Inputs in) {
  return in[1];
}
template <int kValue>
Bounds Always(const Node&, Inputs) {
  return Bounds::Of(kValue);
}
template <int kLow, int kHigh>
Bounds Between(const Node&, Inputs) {
  return {kLow, kHigh};
}

Bounds Sum(const Node&, Inputs in) {
  return Hull({in[0].low + in[1].low, in[0].high + in[1].high});
}
Bounds Difference(const Node&, Inputs in) {
  return Hull({in[0].low - in[1].high, in[0].high - in[1].low});
}
// The bounds of a product. 0 times anything is 0: the bounds say nothing about NaN and infinity.
Bounds Product(const Node&, Inputs in) {
  if (in[0].is(0) || in[1].is(0)) return Bounds::Of(0);
  const auto times = [](double a, double b) { return a == 0 || b == 0 ? 0 : a * b; };
  return Hull({times(in[0].low, in[1].low), times(in[0].low, in[1].high), times(in[0].high, in[1].low),
               times(in[0].high, in[1].high)});
}
Bounds Quotient(const Node& node, Inputs in) {
  const bool is_whole = IsInteger(node.output_types[0].dtype);
  if (in[0].is(0) && !(in[1].low <= 0 && in[1].high >= 0)) return Bounds::Of(0);
  if (is_whole || !in[1].is_constant() || in[1].is(0)) return {};
  return Hull({in[0].low / in[1].low, in[0].high / in[1].low});
}
Bounds SumOfAll(const Node&, Inputs in) {
  Bounds sum = Bounds::Of(0);
  for (const Bounds& one : in) sum = Hull({sum.low + one.low, sum.high + one.high});
  return sum;
}
Bounds Negative(const Node&, Inputs in) {
  return {-in[0].high, -in[0].low};
}
Bounds Larger(const Node&, Inputs in) {
  return {std::max(in[0].low, in[1].low), std::max(in[0].high, in[1].high)};
}
Bounds Smaller(const Node&, Inputs in) {
  return {std::min(in[0].low, in[1].low), std::min(in[0].high, in[1].high)};
}
Bounds Magnitude(const Node&, Inputs in) {
  if (in[0].low >= 0) return in[0];
  return {in[0].high <= 0 ? -in[0].high : 0, std::max(-in[0].low, in[0].high)};
}
Bounds Rectified(const Node&, Inputs in) {
  return {std::max(in[0].low, 0.0), std::max(in[0].high, 0.0)};
}
template <double (*kFunction)(double)>
Bounds Rising(const Node&, Inputs in) {
  return {kFunction(in[0].low), kFunction(in[0].high)};
}

Bounds IsLess(const Node&, Inputs in) {
  return Truth(in[0].high < in[1].low, in[0].low >= in[1].high);
}
Bounds IsLessOrEqual(const Node&, Inputs in) {
  return Truth(in[0].high <= in[1].low, in[0].low > in[1].high);
}
Bounds IsGreater(const Node& node, Inputs in) {
  return IsLess(node, std::vector<Bounds>{in[1], in[0]});
}
Bounds IsGreaterOrEqual(const Node& node, Inputs in) {
  return IsLessOrEqual(node, std::vector<Bounds>{in[1], in[0]});
}
Bounds IsEqual(const Node&, Inputs in) {
  return Truth(in[0].is_constant() && in[1].is(in[0].low), in[0].high < in[1].low || in[1].high < in[0].low);
}
Bounds IsUnequal(const Node& node, Inputs in) {
  const Bounds equal = IsEqual(node, in);
  return {1 - equal.high, 1 - equal.low};
}
Bounds Not(const Node&, Inputs in) {
  return {1 - in[0].high, 1 - in[0].low};
}

Bounds AsOtherType(const Node& node, Inputs in) {
  const DType to = node.output_types[0].dtype;
  if (to == DType::kBool) return Truth(in[0].low > 0 || in[0].high < 0, in[0].is(0));
  if (IsInteger(to)) return {std::trunc(in[0].low), std::trunc(in[0].high)};
  return IsFloating(to) ? in[0] : Bounds();
}

Bounds OfConst(const Node& node, Inputs) {
  const AttrValue* value = node.attrs.Find("value");
  const Tensor* tensor = value == nullptr ? nullptr : value->get<Tensor>();
  return tensor == nullptr ? Bounds() : Bounds::OfElements(*tensor);
}
Bounds Uniform(const Node&, Inputs) {
  return {0, kBelowOne};
}
Bounds UniformIntegers(const Node&, Inputs in) {
  return {in[1].low, in[2].high - 1};
}
Bounds SumOfZeros(const Node&, Inputs in) {
  return in[0].is(0) ? in[0] : Bounds();
}

const std::unordered_map<std::string_view, Rule>& All() {
  static const auto& all = *new std::unordered_map<std::string_view, Rule>{
      {"Const", &OfConst},
      {"RandomUniform", &Uniform},
      {"RandomUniformInt", &UniformIntegers},
      {"ZerosLike", &Always<0>},
      {"OnesLike", &Always<1>},
      {"Fill", &Second},
      {"PlaceholderWithDefault", &First},
      {"EnsureShape", &First},
      {"Reshape", &First},
      {"ExpandDims", &First},
      {"Squeeze", &First},
      {"Transpose", &First},
      {"BroadcastTo", &First},
      {"Tile", &First},
      {"Slice", &First},
      {"StridedSlice", &First},
      {"Reverse", &First},
      {"ReverseV2", &First},
      {"Gather", &First},
      {"GatherV2", &First},
      {"Mean", &First},
      {"Cast", &AsOtherType},
      {"Add", &Sum},
      {"AddV2", &Sum},
      {"BiasAdd", &Sum},
      {"AddN", &SumOfAll},
      {"Sub", &Difference},
      {"Mul", &Product},
      {"MulNoNan", &Product},
      {"RealDiv", &Quotient},
      {"Div", &Quotient},
      {"DivNoNan", &Quotient},
      {"Neg", &Negative},
      {"Maximum", &Larger},
      {"Minimum", &Smaller},
      {"Abs", &Magnitude},
      {"Relu", &Rectified},
      {"Sigmoid", &Between<0, 1>},
      {"Softmax", &Between<0, 1>},
      {"Tanh", &Between<-1, 1>},
      {"Floor", &Rising<std::floor>},
      {"Ceil", &Rising<std::ceil>},
      {"Round", &Rising<std::nearbyint>},
      {"Rint", &Rising<std::nearbyint>},
      {"Sqrt", &Rising<std::sqrt>},
      {"Less", &IsLess},
      {"LessEqual", &IsLessOrEqual},
      {"Greater", &IsGreater},
      {"GreaterEqual", &IsGreaterOrEqual},
      {"Equal", &IsEqual},
      {"NotEqual", &IsUnequal},
      {"LogicalNot", &Not},
      {"LogicalAnd", &Smaller},
      {"LogicalOr", &Larger},
      {"Sum", &SumOfZeros},
  };
  return all;
}

}  // namespace rules
}  // namespace

std::optional<Bounds> BoundsByRule(const Node& node, std::span<const Bounds> inputs) {
  const auto rule = rules::All().find(node.op->name);
  if (rule == rules::All().end()) return std::nullopt;
  const Bounds bounds = rule->second(node, inputs);
  return std::isnan(bounds.low) || std::isnan(bounds.high) ? Bounds() : bounds;
}

}  // namespace dfrun
