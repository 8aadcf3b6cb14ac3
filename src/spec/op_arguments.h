// The arguments of a call, matched to an op's signature.
#ifndef DFRUN_SRC_SPEC_OP_ARGUMENTS_H_
#define DFRUN_SRC_SPEC_OP_ARGUMENTS_H_

#include <optional>
#include <utility>
#include <vector>

#include "src/spec/call_target.h"
#include "src/spec/expr.h"

namespace dfrun {

struct OpArguments {
  // By input of the signature: what was written for it. One, or any number where the input is repeated or a list; none
  // where it was left out.
  std::vector<std::vector<const Expr*>> inputs;
  std::vector<std::pair<const AttrDef*, const Expr*>> attrs;
  std::vector<const Expr*> controls;
};

// Plain arguments are inputs in the signature's order, those given by keyword aside; a repeated input takes a list or,
// from arguments in a row, all that later inputs leave. "reduction_indices" alone may be left out. Nothing after an
// error, which is then in `diagnostics`. Views `call`.
std::optional<OpArguments> MatchArguments(const OpDef& op, const Expr& call, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_OP_ARGUMENTS_H_
