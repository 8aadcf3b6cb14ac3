// A value that is written where no spec is read: on a command line.
#ifndef DFRUN_SRC_SPEC_LITERAL_H_
#define DFRUN_SRC_SPEC_LITERAL_H_

#include <optional>
#include <string>

#include "src/framework/tensor.h"

namespace dfrun {

// The tensor that `text` is as an expression of numbers, texts in quotes and lists ("0", "[[1, 2], [3, 4]]", "1 / 3",
// "true"); nothing where it is none. InvalidArgument where an element is no `dtype`.
Result<std::optional<Tensor>> ParseLiteral(const std::string& text, DType dtype);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_LITERAL_H_
