// Compares the gradient of an op with numeric derivatives, in float64 where the op has it.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CHECKER_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CHECKER_H_

#include <ostream>
#include <string>
#include <vector>

#include "src/framework/attr.h"
#include "src/framework/tensor.h"

namespace dfrun::testing {

// One op on given inputs. All float64 inputs are differentiated but those in `fixed`; all float64 outputs count but
// those in `ignored`. A gradient that does not exist counts as zero.
struct GradientCase {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs = {};
  std::vector<int> fixed = {};
  std::vector<int> ignored = {};
  bool needs_shapes = false;     // the gradient refuses inputs of unknown rank
  DType dtype = DType::kDouble;  // kFloat: the op has no kernel for float64, its float64 inputs are rounded
};

// The largest error of any element of any input's gradient, relative to the largest element of that gradient; an error
// where something cannot be built or run. `static_shapes`: the graph knows the shapes of the inputs.
// Numeric: central differences with Richardson's extrapolation, whose own error is near 1e-10 (float32: 1e-5).
Result<double> GradientError(const GradientCase& test, bool static_shapes);

// Values in [low, high), the same ones for the same arguments; no two of them equal or near each other, so that Max and
// its kin have a derivative.
Tensor Uniform(const Shape& shape, double low = -1, double high = 1, uint64_t seed = 1);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CHECKER_H_
