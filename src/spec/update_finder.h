// Finds the nodes that may update a variable.
#ifndef DFRUN_SRC_SPEC_UPDATE_FINDER_H_
#define DFRUN_SRC_SPEC_UPDATE_FINDER_H_

#include <map>
#include <string_view>

#include "src/framework/op/op.h"
#include "src/spec/expr/expr.h"
#include "src/spec/schema/function_def.h"

namespace dfrun {

// Returns true for an op that takes variables themselves and not their values.
bool TakesVariables(const OpDef& op);
// Whether so for input number `input` of a node of this op.
bool TakesVariable(const OpDef& op, size_t input);

// The functions and ops outlive this.
// Thread safety: one thread.
class UpdateFinder {
 public:
  UpdateFinder(const FunctionMap& functions, const OpRegistry& ops) : functions_(functions), ops_(ops) {}

  // Whether an expression calls an op that TakesVariables(), also by way of functions. May be true where none is
  // called, never false where one is.
  bool MayUpdate(const Expr& expr);

 private:
  bool IsUpdate(std::string_view word);
  bool Holds(const FunctionDef& def);
  bool Holds(const Yaml& value);
  bool HoldsWord(std::string_view text);

  const FunctionMap& functions_;
  const OpRegistry& ops_;
  std::map<const FunctionDef*, bool> known_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_UPDATE_FINDER_H_
