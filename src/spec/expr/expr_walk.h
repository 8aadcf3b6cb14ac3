// A walk over an expression to the names and calls in it.
#ifndef DFRUN_SRC_SPEC_EXPR_EXPR_WALK_H_
#define DFRUN_SRC_SPEC_EXPR_EXPR_WALK_H_

#include "src/spec/expr/expr.h"

namespace dfrun {

// Calls on_name for each name and each control input, and on_call for each call, from left to right, within lists and
// mappings too. It does not go into calls: on_call decides the meaning of their arguments.
template <class OnName, class OnCall>
void WalkExpr(const Expr& expr, const OnName& on_name, const OnCall& on_call) {
  switch (expr.kind) {
    case Expr::Kind::kName:
    case Expr::Kind::kControl:
      return on_name(expr);
    case Expr::Kind::kList:
      for (const Expr& item : expr.items) WalkExpr(item, on_name, on_call);
      return;
    case Expr::Kind::kMap:
      for (const KeywordArg& k : expr.keywords) WalkExpr(k.value, on_name, on_call);
      return;
    case Expr::Kind::kCall:
      return on_call(expr);
    default:
      return;
  }
}

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_EXPR_WALK_H_
