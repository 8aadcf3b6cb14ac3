#include "src/spec/attr_value.h"

#include <cmath>

#include "src/spec/expr/float_range.h"
#include "src/spec/schema/values.h"

namespace dfrun {
namespace {

// Converts one attr; every function that fails has reported why.
class Converter {
 public:
  Converter(std::string_view attr, DType tensor_dtype, const FoldCall& fold_call, Diagnostics& diagnostics)
      : attr_(attr), tensor_dtype_(tensor_dtype), fold_call_(fold_call), diagnostics_(diagnostics) {}

  std::optional<AttrValue> Convert(std::string_view type, const Expr& expr) {
    if (type == "int") return Lift(Int(expr));
    if (type == "float") return Lift(Float(expr));
    if (type == "bool") return Lift(Bool(expr));
    if (type == "string") return Lift(Text(expr));
    if (type == "type") return Lift(ToDType(expr, diagnostics_));
    if (type == "shape") return Lift(ToShape(expr, fold_call_, diagnostics_));
    if (type == "tensor") return Lift(ConstantTensor(expr));
    if (type == "func") return Lift(Function(expr));
    return List(type, expr);
  }

 private:
  template <class T>
  static std::optional<AttrValue> Lift(std::optional<T> value) {
    if (!value) return {};
    return AttrValue(*std::move(value));
  }

  std::nullopt_t Fail(const Expr& expr, std::string_view wanted) {
    diagnostics_.Error(expr.location, "'", attr_, "' must be ", wanted, ", not ", Shown(expr));
    return std::nullopt;
  }
  static std::string Shown(const Expr& expr) {
    if (!expr.source.empty()) return StrCat("'", expr.source, "'");
    return expr.is(Expr::Kind::kList) ? "a list" : StrCat("'", expr.text, "'");
  }

  // Returns the folded scalar if it holds a T.
  template <class T>
  std::optional<T> Scalar(const Expr& expr, std::string_view wanted) {
    Folded folded = FoldExpr(expr, fold_call_, diagnostics_);
    if (folded.is_error()) return {};
    if (!folded.is_constant() || !folded.value.dims.empty()) return Fail(expr, wanted);
    const Constant::Scalar& value = folded.value.elements[0];
    if (const T* typed = std::get_if<T>(&value)) return *typed;
    const auto* integer = std::get_if<int64_t>(&value);
    if constexpr (std::is_same_v<T, double>) {
      if (integer != nullptr) return static_cast<double>(*integer);
      if (const auto* large = std::get_if<uint64_t>(&value)) return static_cast<double>(*large);
    }
    return Fail(expr, wanted);
  }

  std::optional<int64_t> Int(const Expr& expr) { return Scalar<int64_t>(expr, "an integer"); }
  std::optional<bool> Bool(const Expr& expr) {
    return Scalar<bool>(expr, expr.is(Expr::Kind::kName) && IsBoolOfYaml11(expr.text) ? kWantedBool : "true or false");
  }
  std::optional<float> Float(const Expr& expr) {
    const std::optional<double> value = Scalar<double>(expr, "a number");
    if (!value) return {};
    const std::string out_of_range = WhyOutOfRange(*value, DType::kFloat);
    if (out_of_range.empty()) return static_cast<float>(*value);
    diagnostics_.Error(expr.location, "'", attr_, "': ", Shown(expr), " is no float32: ", out_of_range);
    return {};
  }
  std::optional<std::string> Text(const Expr& expr) {
    if (expr.is(Expr::Kind::kName) || expr.is(Expr::Kind::kString)) return std::string(expr.text);
    if (!expr.source.empty() && !expr.is(Expr::Kind::kList)) return std::string(expr.source);
    return Fail(expr, "a text");
  }
  std::optional<FunctionName> Function(const Expr& expr) {
    if (expr.is(Expr::Kind::kName) || expr.is(Expr::Kind::kString)) return FunctionName{std::string(expr.text), {}};
    return Fail(expr, "the name of a function");
  }
  std::optional<Tensor> ConstantTensor(const Expr& expr) {
    Folded folded = FoldExpr(expr, fold_call_, diagnostics_);
    if (folded.is_error()) return {};
    if (!folded.is_constant()) return FailAtName(expr);
    const DType dtype = tensor_dtype_ != DType::kInvalid ? tensor_dtype_ : NaturalDType(folded.value);
    Result<Tensor> tensor = ToTensor(folded.value, dtype, &expr);
    if (tensor.ok()) return *std::move(tensor);
    diagnostics_.Error(expr.location, "'", attr_, "': ", tensor.status().message());
    return {};
  }

  // A list is a constant if all of its items are.
  std::nullopt_t FailAtName(const Expr& expr) {
    for (const Expr& item : expr.items) {
      if (expr.is(Expr::Kind::kList) && !FoldExpr(item, fold_call_, diagnostics_).is_constant())
        return FailAtName(item);
    }
    const bool is_name = expr.is(Expr::Kind::kName);
    diagnostics_.Error(
        expr.location, "'", attr_, "' must be a constant, not ", Shown(expr),
        is_name ? StrCat("; a text is in quotes, '", expr.text, "'; nodes are joined by Pack([", expr.text, "])") : "");
    return std::nullopt;
  }

  template <class T, class F>
  std::optional<AttrValue> Items(const Expr& list, F&& convert) {
    std::vector<T> out;
    for (const Expr& item : list.items) {
      auto value = convert(item);
      if (!value) return {};
      out.push_back(*std::move(value));
    }
    return AttrValue(std::move(out));
  }

  std::optional<AttrValue> List(std::string_view type, const Expr& expr) {
    if (!expr.is(Expr::Kind::kList)) return Fail(expr, StrCat("a list: ", type));
    if (type == "list(int)") return Items<int64_t>(expr, [&](const Expr& e) { return Int(e); });
    if (type == "list(float)") return Items<float>(expr, [&](const Expr& e) { return Float(e); });
    if (type == "list(bool)") return Items<bool>(expr, [&](const Expr& e) { return Bool(e); });
    if (type == "list(string)") return Items<std::string>(expr, [&](const Expr& e) { return Text(e); });
    if (type == "list(type)") return Items<DType>(expr, [&](const Expr& e) { return ToDType(e, diagnostics_); });
    if (type == "list(shape)")
      return Items<PartialShape>(expr, [&](const Expr& e) { return ToShape(e, fold_call_, diagnostics_); });
    if (type == "list(tensor)") return Items<Tensor>(expr, [&](const Expr& e) { return ConstantTensor(e); });
    return Items<FunctionName>(expr, [&](const Expr& e) { return Function(e); });
  }

  const std::string_view attr_;
  const DType tensor_dtype_;
  const FoldCall& fold_call_;
  Diagnostics& diagnostics_;
};

// More elements than any memory holds, and few enough that sums of some sizes fit.
constexpr int64_t kMaxSize = int64_t{1} << 48;

std::vector<std::string> DTypeNames() {
  std::vector<std::string> names;
#define DF_NAME(name, number, type, text, dt) names.emplace_back(text);
  DF_FOR_EACH_DTYPE(DF_NAME)
#undef DF_NAME
  return names;
}

}  // namespace

std::optional<AttrValue> ToAttrValue(const AttrDef& def, const Expr& expr, DType tensor_dtype,
                                     const FoldCall& fold_call, Diagnostics& diagnostics) {
  return Converter(def.name, tensor_dtype, fold_call, diagnostics).Convert(def.type, expr);
}

std::optional<PartialShape> ToShape(const Expr& expr, const FoldCall& fold_call, Diagnostics& diagnostics) {
  Folded folded = FoldExpr(expr, fold_call, diagnostics);
  if (folded.is_error()) return {};
  std::vector<int64_t> sizes;
  if (folded.is_constant() && folded.value.dims.size() == 1) {
    for (const Constant::Scalar& e : folded.value.elements) {
      const auto* size = std::get_if<int64_t>(&e);
      if (size != nullptr && *size >= PartialShape::kUnknown && *size <= kMaxSize) sizes.push_back(*size);
    }
    if (sizes.size() == folded.value.elements.size()) return PartialShape(std::move(sizes));
  }
  diagnostics.Error(expr.location, "a shape is a list of sizes up to ", kMaxSize,
                    ", -1 where one is unknown: [32, -1]");
  return {};
}

std::optional<DType> ToDType(const Expr& expr, Diagnostics& diagnostics) {
  const bool is_word = expr.is(Expr::Kind::kName) || expr.is(Expr::Kind::kString);
  if (is_word) return ToDType(expr.text, expr.location, diagnostics);
  diagnostics.Error(expr.location, "'", expr.source, "' is no dtype");
  return {};
}

std::optional<DType> ToDType(std::string_view text, SourceLocation location, Diagnostics& diagnostics) {
  if (std::optional<DType> dtype = ParseDType(text)) return dtype;
  const std::string near = Nearest(text, DTypeNames());
  diagnostics.Error(location, "unknown dtype '", text, "'",
                    near.empty() ? std::string() : StrCat(", did you mean '", near, "'?"));
  return {};
}

}  // namespace dfrun
