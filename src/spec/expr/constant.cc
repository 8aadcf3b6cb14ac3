#include "src/spec/expr/constant.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "src/spec/expr/float_range.h"

namespace dfrun {
namespace {

using Scalar = Constant::Scalar;

Folded Known(Scalar value) {
  Folded folded{Folded::Kind::kConstant, {}};
  folded.value.elements.push_back(std::move(value));
  return folded;
}

__extension__ using Wide = __int128;  // any sum, difference or product of 64-bit integers but for the largest products

std::optional<Wide> AsWide(const Scalar& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return Wide{*i};
  if (const auto* u = std::get_if<uint64_t>(&value)) return Wide{*u};
  return {};
}

// Returns nothing where 64 bits cannot hold it.
std::optional<Scalar> FromWide(Wide value) {
  if (value >= std::numeric_limits<int64_t>::min() && value <= std::numeric_limits<int64_t>::max())
    return static_cast<int64_t>(value);
  if (value > 0 && value <= std::numeric_limits<uint64_t>::max()) return static_cast<uint64_t>(value);
  return {};
}

std::optional<Scalar> IntegerResult(std::string_view op, Wide a, Wide b) {
  Wide product = 0;
  if (op == "Add") return FromWide(a + b);
  if (op == "Sub") return FromWide(a - b);
  if (op == "Mul" && !__builtin_mul_overflow(a, b, &product)) return FromWide(product);
  if (op == "Div" && b != 0 && a % b == 0) return FromWide(a / b);
  return {};
}

std::optional<Scalar> RealResult(std::string_view op, double a, double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  return {};
}

// Returns nothing if an operand is no number, or finite ones have a result that is not.
std::optional<Scalar> Apply(std::string_view op, const Scalar& a, const Scalar& b) {
  const std::optional<Wide> i = AsWide(a);
  const std::optional<Wide> j = AsWide(b);
  if (i && j) {
    if (auto result = IntegerResult(op, *i, *j)) return result;
  }
  const std::optional<double> x = AsDouble(a);
  const std::optional<double> y = AsDouble(b);
  if (!x || !y) return {};
  std::optional<Scalar> result = RealResult(op, *x, *y);
  const bool are_finite = std::isfinite(*x) && std::isfinite(*y);
  if (result && are_finite && !std::isfinite(std::get<double>(*result))) return {};
  return result;
}

Folded FoldOperator(const Expr& expr, const FoldCall& fold_call, Diagnostics& diagnostics) {
  std::vector<Scalar> operands;
  if (expr.text == "Neg") operands.emplace_back(int64_t{0});
  for (const Expr& item : expr.items) {
    Folded folded = FoldExpr(item, fold_call, diagnostics);
    if (!folded.is_constant()) return folded;
    if (!folded.value.dims.empty()) return {};
    operands.push_back(std::move(folded.value.elements[0]));
  }
  std::optional<Scalar> result = Apply(expr.text == "Neg" ? "Sub" : expr.text, operands[0], operands[1]);
  if (result) return Known(*std::move(result));
  if (expr.text != "Neg" && !RealResult(expr.text, 1, 1)) return {};  // a comparison: an op of the graph
  diagnostics.Error(expr.location, "'", expr.source, "' has no value: both sides must be numbers with a finite result");
  return {Folded::Kind::kError, {}};
}

Folded FoldList(const Expr& list, const FoldCall& fold_call, Diagnostics& diagnostics) {
  Folded out{Folded::Kind::kConstant, {}};
  std::vector<int64_t> inner;
  for (size_t i = 0; i < list.items.size(); ++i) {
    Folded item = FoldExpr(list.items[i], fold_call, diagnostics);
    if (!item.is_constant()) return item;
    if (i == 0) inner = item.value.dims;
    if (item.value.dims != inner) {
      diagnostics.Error(list.items[i].location, "the lists in a list must have equal lengths");
      return {Folded::Kind::kError, {}};
    }
    std::move(item.value.elements.begin(), item.value.elements.end(), std::back_inserter(out.value.elements));
  }
  out.value.dims.push_back(static_cast<int64_t>(list.items.size()));
  out.value.dims.insert(out.value.dims.end(), inner.begin(), inner.end());
  return out;
}

std::string PrintNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  auto [end, error] = std::to_chars(text, text + sizeof text, value);
  std::string out(text, end);
  // The point makes it read back as a fraction, not as an integer.
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::string Print(const Scalar& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return std::to_string(*i);
  if (const auto* u = std::get_if<uint64_t>(&value)) return std::to_string(*u);
  if (const auto* d = std::get_if<double>(&value)) return PrintNumber(*d);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  return std::get<std::string>(value);
}

// "integers from -128 to 127".
std::string RangeOf(DType dtype) {
  std::string range;
  VisitDType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(dtype, [&](auto tag) {
    using Limits = std::numeric_limits<typename decltype(tag)::type>;
    range = StrCat("integers from ", std::to_string(Limits::min()), " to ", std::to_string(Limits::max()));
  });
  return range;
}

// Element number `element` as it is written; null where that is not known.
const Expr* Leaf(const Expr& expr, const Constant& constant, size_t element) {
  const Expr* at = &expr;
  size_t size = constant.elements.size();
  for (const int64_t items : constant.dims) {
    size /= static_cast<size_t>(items);
    if (!at->is(Expr::Kind::kList) || at->items.size() != static_cast<size_t>(items)) return nullptr;
    at = &at->items[element / size];
    element %= size;
  }
  return at;
}

Status WhyNot(const Constant& constant, size_t element, DType dtype, const Expr* written) {
  const Scalar& value = constant.elements[element];
  const Expr* const leaf = written == nullptr ? nullptr : Leaf(*written, constant, element);
  const bool is_shown = leaf != nullptr && !leaf->source.empty() && !leaf->is(Expr::Kind::kString);
  std::string why;
  if (std::holds_alternative<std::string>(value)) why = ": quotes make a text, nodes and numbers are written without";
  if (IsInteger(dtype) && AsDouble(value)) why = StrCat(": it holds ", RangeOf(dtype));
  if (const std::string out = WhyOutOfRange(AsDouble(value).value_or(0), dtype); !out.empty()) why = ": " + out;
  return InvalidArgument("'", is_shown ? std::string(leaf->source) : Print(value), "' is no ", dtype, why);
}

template <class T>
bool Store(const Scalar& value, T& to) {
  if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr) to = *text;
    return text != nullptr;
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto* b = std::get_if<bool>(&value);
    if (b != nullptr) to = *b;
    return b != nullptr;
  } else if constexpr (std::is_integral_v<T>) {
    const std::optional<Wide> i = AsWide(value);
    if (!i || *i < std::numeric_limits<T>::min() || *i > std::numeric_limits<T>::max()) return false;
    to = static_cast<T>(*i);
    return true;
  } else {
    const std::optional<double> d = AsDouble(value);
    if (!d || !WhyOutOfRange(*d, DTypeOf<T>).empty()) return false;
    to = T(static_cast<float>(*d));
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>) {
      to = T(*d);
    }
    return true;
  }
}

void PrintInto(const Constant& constant, size_t dim, size_t& at, std::string& out) {
  if (dim == constant.dims.size()) {
    out += Print(constant.elements[at++]);
    return;
  }
  out += '[';
  for (int64_t i = 0; i < constant.dims[dim]; ++i) {
    if (i > 0) out += ", ";
    PrintInto(constant, dim + 1, at, out);
  }
  out += ']';
}

}  // namespace

std::optional<double> AsDouble(const Constant::Scalar& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&value)) return static_cast<double>(*u);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  return {};
}

Folded FoldExpr(const Expr& expr, const FoldCall& fold_call, Diagnostics& diagnostics) {
  switch (expr.kind) {
    case Expr::Kind::kInt:
      return Known(expr.int_value);
    case Expr::Kind::kUint:
      return Known(expr.uint_value);
    case Expr::Kind::kFloat:
      return Known(expr.float_value);
    case Expr::Kind::kBool:
      return Known(expr.int_value != 0);
    case Expr::Kind::kString:
      return Known(std::string(expr.text));
    case Expr::Kind::kList:
      return FoldList(expr, fold_call, diagnostics);
    case Expr::Kind::kCall:
      return expr.is_operator ? FoldOperator(expr, fold_call, diagnostics) : fold_call(expr);
    case Expr::Kind::kName:
      return fold_call(expr);
    case Expr::Kind::kMap:
    case Expr::Kind::kControl:
      return {};
  }
  return {};
}

Folded FoldExpr(const Expr& expr, Diagnostics& diagnostics) {
  return FoldExpr(
      expr, [](const Expr&) { return Folded(); }, diagnostics);
}

DType NaturalDType(const Constant& constant) {
  DType dtype = DType::kInt32;
  for (const Scalar& e : constant.elements) {
    if (std::holds_alternative<std::string>(e)) return DType::kString;
    if (std::holds_alternative<bool>(e)) return DType::kBool;
    if (std::holds_alternative<double>(e)) dtype = DType::kFloat;
    if (std::holds_alternative<uint64_t>(e) && dtype != DType::kFloat) dtype = DType::kUint64;
    const auto* i = std::get_if<int64_t>(&e);
    if (i != nullptr && dtype == DType::kInt32 && !std::in_range<int32_t>(*i)) dtype = DType::kInt64;
  }
  return constant.elements.empty() ? DType::kFloat : dtype;
}

Result<Tensor> ToTensor(const Constant& constant, DType dtype, const Expr* written) {
  DF_ASSIGN(const Shape shape, Shape::Create(constant.dims));
  Tensor tensor(dtype, shape);
  Status status;
  const bool known =
      VisitDType<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
                 std::string, bfloat16, float16, std::complex<float>, std::complex<double>>(dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (size_t i = 0; i < constant.elements.size() && status.ok(); ++i) {
          if (!Store(constant.elements[i], tensor.data<T>()[i])) status = WhyNot(constant, i, dtype, written);
        }
      });
  if (!known) return InvalidArgument("a constant cannot be written as ", dtype);
  if (!status.ok()) return status;
  return tensor;
}

std::string ToText(const Constant& constant) {
  std::string out;
  size_t at = 0;
  PrintInto(constant, 0, at, out);
  return out;
}

}  // namespace dfrun
