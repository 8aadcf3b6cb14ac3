// Brackets around texts that ${} puts into an expression, so that each counts as one operand.
#ifndef DFRUN_SRC_SPEC_EXPR_BRACKETS_H_
#define DFRUN_SRC_SPEC_EXPR_BRACKETS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/spec/expr/expr.h"

namespace dfrun {

// A text that was put in for a ${}: its bytes within the resulting text.
struct InsertedText {
  size_t begin = 0;
  size_t size = 0;
  SourceLocation location;  // location of the ${}
};

// Tells for each byte of `text`, and for its end, whether it is within quotes.
std::vector<bool> FindQuoted(std::string_view text);

// Whether each of `inserted` could be an operand of its own that brackets change: it parses whole as operands of a
// binary operator, it is in no quotes, and no name, number or call goes on at its ends.
std::vector<bool> FindOperands(std::string_view text, const std::vector<InsertedText>& inserted);

// Whether both are expressions, of other values.
bool MeansOther(const LocatedText& a, const LocatedText& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_BRACKETS_H_
