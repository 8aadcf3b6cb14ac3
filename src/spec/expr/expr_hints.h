// Suggests the spec's notation for expressions written as in other languages.
#ifndef DFRUN_SRC_SPEC_EXPR_EXPR_HINTS_H_
#define DFRUN_SRC_SPEC_EXPR_EXPR_HINTS_H_

#include <string>
#include <string_view>

namespace dfrun {

// About an expression that cannot go on at byte `at`: "; a product of matrices is MatMul(a, b)". Empty where nothing is
// known.
std::string HintAt(std::string_view text, size_t at);

// The character at a byte of well-formed text, for a message: with its code where it cannot be seen or is taken for
// another one.
std::string ShowCharacter(std::string_view text, size_t at);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_EXPR_EXPR_HINTS_H_
