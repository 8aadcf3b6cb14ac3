// Values of expressions that are known before anything runs: numbers, texts and nested lists of them.
#ifndef DFRUN_SRC_SPEC_EXPR_CONSTANT_H_
#define DFRUN_SRC_SPEC_EXPR_CONSTANT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/spec/expr/expr.h"

namespace dfrun {

struct Constant {
  using Scalar =
      std::variant<int64_t, uint64_t, double, bool, std::string>;  // a uint64_t is one that int64 cannot hold
  std::vector<int64_t> dims;                                       // none: a scalar
  std::vector<Scalar> elements;
};

// The result of folding an expression: a constant, no constant (it contains a name or op), or an error that has been
// reported.
struct Folded {
  enum class Kind { kConstant, kNotConstant, kError };
  Kind kind = Kind::kNotConstant;
  Constant value;

  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_error() const { return kind == Kind::kError; }
};

// Folds a call within a constant expression, such as dim(x, 1), or a name that stands for a value, such as `training`.
// kNotConstant for all others.
using FoldCall = std::function<Folded(const Expr& call)>;

// Folds operators on numbers. Integers give an integer if the result is one (7 / 2 is 3.5, 8 / 2 is 4) that 64 bits
// hold.
Folded FoldExpr(const Expr& expr, const FoldCall& fold_call, Diagnostics& diagnostics);
// Folds operators on numbers without calls.
Folded FoldExpr(const Expr& expr, Diagnostics& diagnostics);

// The number that a scalar is; nothing for a bool or a text.
std::optional<double> AsDouble(const Constant::Scalar& value);

// The dtype of a literal if nothing asks for another one: float32, int32 (int64 or uint64 if an element needs it), bool
// or string.
DType NaturalDType(const Constant& constant);
// Returns InvalidArgument if `dtype` cannot hold an element: a fraction for an integer, 300 for int8, 1e39 or 1e-46 for
// float32, a text for a number. `written`: the expression, for the message; null: unknown.
Result<Tensor> ToTensor(const Constant& constant, DType dtype, const Expr* written = nullptr);
// Prints "3", "0.1", "[1, 2]"; numbers read back to the same value.
std::string ToText(const Constant& constant);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_CONSTANT_H_
