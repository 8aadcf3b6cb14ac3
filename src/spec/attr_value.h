// Attr values from expressions, by the attr's definition.
#ifndef DFRUN_SRC_SPEC_ATTR_VALUE_H_
#define DFRUN_SRC_SPEC_ATTR_VALUE_H_

#include "src/framework/op.h"
#include "src/spec/constant.h"

namespace dfrun {

// A bare word is a text, a dtype or a function as the attr wants it. Tensors get `tensor_dtype`, or their natural dtype
// where that is kInvalid. Nothing after an error, which is then in `diagnostics`.
std::optional<AttrValue> ToAttrValue(const AttrDef& def, const Expr& expr, DType tensor_dtype,
                                     const FoldCall& fold_call, Diagnostics& diagnostics);

// A list of sizes, each -1 where it is unknown.
std::optional<PartialShape> ToShape(const Expr& expr, const FoldCall& fold_call, Diagnostics& diagnostics);

// A dtype by name.
std::optional<DType> ToDType(const Expr& expr, Diagnostics& diagnostics);
std::optional<DType> ToDType(std::string_view text, SourcePlace place, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_ATTR_VALUE_H_
