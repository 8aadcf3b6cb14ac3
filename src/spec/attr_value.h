// Converts expressions to attr values, by the attr's definition.
#ifndef DFRUN_SRC_SPEC_ATTR_VALUE_H_
#define DFRUN_SRC_SPEC_ATTR_VALUE_H_

#include "src/framework/op/op.h"
#include "src/spec/expr/constant.h"

namespace dfrun {

// A bare word is a text, a dtype or a function, by the attr's type. A tensor gets `tensor_dtype`, or its natural dtype
// if that is kInvalid. Returns nothing after an error, which is then in `diagnostics`.
std::optional<AttrValue> ToAttrValue(const AttrDef& def, const Expr& expr, DType tensor_dtype,
                                     const FoldCall& fold_call, Diagnostics& diagnostics);

// Converts a list of sizes, of which -1 is unknown.
std::optional<PartialShape> ToShape(const Expr& expr, const FoldCall& fold_call, Diagnostics& diagnostics);

// Converts the name of a dtype.
std::optional<DType> ToDType(const Expr& expr, Diagnostics& diagnostics);
std::optional<DType> ToDType(std::string_view text, SourceLocation location, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_ATTR_VALUE_H_
