// Parses values outside of a spec, on a command line.
#ifndef DFRUN_SRC_SPEC_EXPR_LITERAL_H_
#define DFRUN_SRC_SPEC_EXPR_LITERAL_H_

#include <optional>
#include <string>

#include "src/framework/values/tensor.h"

namespace dfrun {

// Parses an expression of numbers, texts in quotes and lists as a tensor ("0", "[[1, 2], [3, 4]]", "1 / 3", "true");
// nothing if `text` is none. InvalidArgument if `dtype` cannot hold an element.
Result<std::optional<Tensor>> ParseLiteral(const std::string& text, DType dtype);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_LITERAL_H_
