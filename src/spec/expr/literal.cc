#include "src/spec/expr/literal.h"

#include <utility>

#include "src/spec/expr/constant.h"

namespace dfrun {

Result<std::optional<Tensor>> ParseLiteral(const std::string& text, DType dtype) {
  LocatedText located;
  located.Append(text, {});
  Diagnostics unheeded;  // text that is no literal may be a name
  const std::optional<Expr> expr = ParseExpr(located, unheeded);
  if (!expr) return std::optional<Tensor>();
  const Folded folded = FoldExpr(*expr, unheeded);
  if (!folded.is_constant()) return std::optional<Tensor>();
  DF_ASSIGN(Tensor tensor, ToTensor(folded.value, dtype));
  return std::optional<Tensor>(std::move(tensor));
}

}  // namespace dfrun
