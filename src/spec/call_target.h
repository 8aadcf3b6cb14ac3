// Resolves the name before a call's parenthesis, and the call's keywords.
#ifndef DFRUN_SRC_SPEC_CALL_TARGET_H_
#define DFRUN_SRC_SPEC_CALL_TARGET_H_

#include <string_view>
#include <vector>

#include "src/framework/op/op.h"
#include "src/spec/expr/expr.h"
#include "src/spec/schema/function_def.h"

namespace dfrun {

// The callee: a function of the spec, a form that the spec language itself defines, or an op. All null: unknown.
struct CallTarget {
  enum class Form { kNone, kVariable, kConst, kDim, kTasks, kRandom, kCond, kWhile };
  const FunctionDef* function = nullptr;
  Form form = Form::kNone;
  const OpDef* op = nullptr;  // set, too, for a form that makes one op
};

// A keyword of a call: an attr, an input by its name, or neither.
struct Keyword {
  const AttrDef* attr = nullptr;
  int input = -1;
  bool known() const { return attr != nullptr || input >= 0; }
};

CallTarget FindCallTarget(std::string_view callee, const FunctionMap& functions, const OpRegistry& ops);

// Finds a keyword by its name or by a spelling of Python's API: axis, keepdims, perm, dtype of Cast, ...
Keyword FindKeyword(const OpDef& op, std::string_view name);

// Returns all of those spellings.
std::vector<std::string_view> FurtherSpellings();

// Returns true where the keyword's value is text rather than an expression: a string attr, or any attr of a function.
bool TakesText(const CallTarget& target, std::string_view keyword);

// Reports keywords of a call that are neither arguments nor attrs of the function; false if there are any.
bool CheckFunctionKeywords(const FunctionDef& def, const Expr& call, Diagnostics& diagnostics);

// Reports a call whose name is neither that of a function nor of an op.
void ReportUnknownCallee(const Expr& call, const FunctionMap& functions, const OpRegistry& ops,
                         Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_CALL_TARGET_H_
