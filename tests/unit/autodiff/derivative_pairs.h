// The pairs of an op's arguments between which a gradient may go: what has to be checked, by the op's definition.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_PAIRS_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_PAIRS_H_

#include <string>
#include <tuple>
#include <vector>

#include "src/framework/op.h"

namespace dfrun::testing {

// Arguments by their numbers; each is float or complex.
struct DerivativePair {
  int input = 0;
  int output = 0;
  bool is_complex_input = false;
  bool is_complex_output = false;

  bool operator<(const DerivativePair& o) const { return AsTuple() < o.AsTuple(); }
  std::tuple<int, int, bool, bool> AsTuple() const { return {input, output, is_complex_input, is_complex_output}; }
};

// "x -> y (complex)".
std::string NameOf(const OpDef& op, const DerivativePair& pair);

// Those of dtypes that the op has kernels for on a host.
std::vector<DerivativePair> PairsOf(const OpDef& op);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_DERIVATIVE_PAIRS_H_
