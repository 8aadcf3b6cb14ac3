// Matches the arguments of a call to an op's signature.
#ifndef DFRUN_SRC_SPEC_OP_ARGUMENTS_H_
#define DFRUN_SRC_SPEC_OP_ARGUMENTS_H_

#include <optional>
#include <utility>
#include <vector>

#include "src/spec/call_target.h"
#include "src/spec/expr/expr.h"

namespace dfrun {

struct OpArguments {
  // The expressions that were written for each input of the signature: one, any number if the input is repeated or a
  // list, or none if it was left out.
  std::vector<std::vector<const Expr*>> inputs;
  std::vector<std::pair<const AttrDef*, const Expr*>> attrs;
  std::vector<const Expr*> controls;
};

// Positional arguments are inputs in the signature's order, without those that are given by keyword. A repeated input
// takes a list or, of arguments in a row, all that the later inputs leave. Only "reduction_indices" may be left out.
// Returns nothing after an error, which is then in `diagnostics`. The result points into `call`.
std::optional<OpArguments> MatchArguments(const OpDef& op, const Expr& call, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_OP_ARGUMENTS_H_
