#include "src/spec/initializer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/base/text.h"
#include "src/spec/expr/constant.h"
#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

using Kind = Expr::Kind;

Expr Number(double value, SourceLocation location) {
  Expr expr;
  expr.kind = Kind::kFloat;
  expr.location = location;
  expr.float_value = value;
  return expr;
}

Expr Word(std::string_view text, SourceLocation location) {
  Expr expr;
  expr.kind = Kind::kName;
  expr.location = location;
  expr.text = text;
  return expr;
}

Expr Operator(std::string_view op, Expr a, Expr b) {
  Expr expr;
  expr.kind = Kind::kCall;
  expr.is_operator = true;
  expr.location = a.location;
  expr.text = op;
  expr.items.push_back(std::move(a));
  expr.items.push_back(std::move(b));
  return expr;
}

Expr ShapeList(const Shape& shape, SourceLocation location) {
  Expr list;
  list.kind = Kind::kList;
  list.location = location;
  for (int64_t size : shape.dims()) {
    Expr item;
    item.location = location;
    item.int_value = size;
    list.items.push_back(std::move(item));
  }
  return list;
}

std::optional<Expr> TakeKeyword(Expr& call, std::string_view name) {
  auto it =
      std::find_if(call.keywords.begin(), call.keywords.end(), [&](const KeywordArg& k) { return k.name == name; });
  if (it == call.keywords.end()) return {};
  Expr value = std::move(it->value);
  call.keywords.erase(it);
  return value;
}

// Completes a call of the op: it gets the op's canonical name, `shape` and `dtype`.
void Complete(Expr& call, const WantedValue* wanted) {
  if (call.text == "RandomNormal") call.text = "RandomStandardNormal";
  if (wanted != nullptr && wanted->shape && call.items.empty() && FindKeywordArg(call, "shape") == nullptr)
    call.keywords.push_back({"shape", call.location, ShapeList(*wanted->shape, call.location)});
  if (FindKeywordArg(call, "dtype") == nullptr) {
    const std::string_view dtype = DTypeName(wanted != nullptr ? wanted->dtype : DType::kFloat);
    call.keywords.push_back({"dtype", call.location, Word(dtype, call.location)});
  }
}

Expr ScaleAndShift(Expr call, std::optional<Expr> scale, std::optional<Expr> shift) {
  if (scale) call = Operator("Mul", std::move(call), *std::move(scale));
  if (shift) call = Operator("Add", std::move(call), *std::move(shift));
  return call;
}

Expr ExpandUniform(Expr call) {
  std::optional<Expr> low = TakeKeyword(call, "minval");
  std::optional<Expr> high = TakeKeyword(call, "maxval");
  if (!low && !high) return call;
  Expr range = high ? *std::move(high) : Number(1, call.location);
  if (low) range = Operator("Sub", std::move(range), *low);
  return ScaleAndShift(std::move(call), std::move(range), std::move(low));
}

Expr ExpandNormal(Expr call) {
  std::optional<Expr> mean = TakeKeyword(call, "mean");
  std::optional<Expr> stddev = TakeKeyword(call, "stddev");
  return ScaleAndShift(std::move(call), std::move(stddev), std::move(mean));
}

std::pair<double, double> Fans(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double window = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) window *= static_cast<double>(shape[i]);
  return {window * static_cast<double>(shape[shape.rank() - 2]), window * static_cast<double>(shape[shape.rank() - 1])};
}

// Reads VarianceScaling's keywords; a function that fails has reported why.
class VarianceScaling {
 public:
  VarianceScaling(const Expr& call, const WantedValue* wanted, Diagnostics& diagnostics)
      : call_(call), wanted_(wanted), diagnostics_(diagnostics) {}

  std::optional<Expr> Expand() {
    if (wanted_ == nullptr || !wanted_->shape || !call_.items.empty()) {
      diagnostics_.Error(call_.location,
                         "VarianceScaling(scale=, mode=, distribution=) is for the 'init' of a variable");
      return {};
    }
    for (const KeywordArg& k : call_.keywords) {
      if (!Read(k)) return {};
    }
    const auto [in, out] = Fans(*wanted_->shape);
    const double fan = mode_ == "fan_in" ? in : mode_ == "fan_out" ? out : (in + out) / 2;
    const double variance = scale_ / std::max(fan, 1.0);
    if (distribution_ == "uniform") {
      const double limit = std::sqrt(3 * variance);
      return ExpandUniform(Draw("RandomUniform", {{"minval", -limit}, {"maxval", limit}}));
    }
    if (distribution_ == "normal") return ExpandNormal(Draw("RandomStandardNormal", {{"stddev", std::sqrt(variance)}}));
    // The standard deviation of a normal distribution cut at two of them.
    constexpr double kTruncated = 0.87962566103423978;
    return ExpandNormal(Draw("TruncatedNormal", {{"stddev", std::sqrt(variance) / kTruncated}}));
  }

 private:
  Expr Draw(std::string_view op, std::initializer_list<std::pair<std::string_view, double>> keywords) const {
    Expr call;
    call.kind = Kind::kCall;
    call.location = call_.location;
    call.source = call_.source;
    call.text = op;
    for (const auto& [name, value] : keywords)
      call.keywords.push_back({name, call_.location, Number(value, call_.location)});
    Complete(call, wanted_);
    return call;
  }

  bool Read(const KeywordArg& k) {
    if (k.name == "scale") return ReadScale(k.value);
    if (k.name == "mode") return OneOf(k, {"fan_in", "fan_out", "fan_avg"}, mode_);
    if (k.name == "distribution") return OneOf(k, {"uniform", "normal", "truncated_normal"}, distribution_);
    diagnostics_.Error(k.location, "unknown key '", k.name, "' of VarianceScaling",
                       DidYouMean(k.name, {"scale", "mode", "distribution"}));
    return false;
  }

  bool ReadScale(const Expr& value) {
    const Folded folded = FoldExpr(value, diagnostics_);
    if (folded.is_constant() && folded.value.dims.empty()) {
      scale_ = 0;
      const Constant::Scalar& number = folded.value.elements[0];
      if (const auto* i = std::get_if<int64_t>(&number)) scale_ = static_cast<double>(*i);
      if (const auto* d = std::get_if<double>(&number)) scale_ = *d;
      if (scale_ > 0) return true;
    }
    if (!folded.is_error()) diagnostics_.Error(value.location, "'scale' must be a number above 0");
    return false;
  }

  bool OneOf(const KeywordArg& k, std::initializer_list<std::string_view> choices, std::string_view& out) {
    out = k.value.text;
    if (std::find(choices.begin(), choices.end(), out) != choices.end()) return true;
    diagnostics_.Error(k.value.location, "'", k.name, "' must be one of ", Join(choices));
    return false;
  }

  const Expr& call_;
  const WantedValue* wanted_;
  Diagnostics& diagnostics_;
  double scale_ = 1;
  std::string_view mode_ = "fan_in";
  std::string_view distribution_ = "uniform";
};

}  // namespace

std::optional<Expr> ExpandRandom(const Expr& call, const WantedValue* wanted, Diagnostics& diagnostics) {
  if (call.text == "VarianceScaling") return VarianceScaling(call, wanted, diagnostics).Expand();
  Expr completed = call;
  Complete(completed, wanted);
  return call.text == "RandomUniform" ? ExpandUniform(std::move(completed)) : ExpandNormal(std::move(completed));
}

}  // namespace dfrun
