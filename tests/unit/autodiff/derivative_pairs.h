// The pairs of an op's arguments between which a gradient may exist. The op's definition tells them, and each must be
// checked.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_PAIRS_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_PAIRS_H_

#include <string>
#include <tuple>
#include <vector>

#include "src/framework/op/op.h"

namespace dfrun::testing {

// A pair of arguments, by their numbers. Each is float or complex.
struct DerivativePair {
  int input = 0;
  int output = 0;
  bool is_complex_input = false;
  bool is_complex_output = false;

  bool operator<(const DerivativePair& o) const { return AsTuple() < o.AsTuple(); }
  std::tuple<int, int, bool, bool> AsTuple() const { return {input, output, is_complex_input, is_complex_output}; }
};

// Returns a name such as "x -> y (complex)".
std::string NameOf(const OpDef& op, const DerivativePair& pair);

// Returns the pairs whose dtypes the op has host kernels for.
std::vector<DerivativePair> PairsOf(const OpDef& op);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_PAIRS_H_
