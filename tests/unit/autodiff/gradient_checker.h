// Compares the gradients of an op with numeric derivatives, for each pair of an input and an output. The dtypes are
// float64 and complex128 if the op has them, otherwise float32 and complex64.
#ifndef DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CHECKER_H_
#define DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CHECKER_H_

#include <ostream>
#include <string>
#include <vector>

#include "src/framework/values/attr.h"
#include "src/framework/values/tensor.h"

namespace dfrun::testing {

// An op on given inputs. All float64 inputs are differentiated except those in `fixed`; all float64 outputs count
// except those in `ignored`. A gradient that does not exist counts as zero.
struct GradientCase {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs = {};
  std::vector<int> fixed = {};
  std::vector<int> ignored = {};
  bool needs_shapes = false;     // the gradient refuses inputs of unknown rank
  DType dtype = DType::kDouble;  // kFloat: the op has no kernel for float64, its float64 inputs are rounded
};

enum class Verdict {
  kRight,      // the gradient is the derivative, or between the one-sided derivatives
  kSilent,     // there is no gradient and no error: right if the derivative is zero
  kRefused,    // an error that names the op
  kEmpty,      // the input has no elements
  kUndecided,  // the differences have no limit at this point, or none that their errors let see
  kWrong,
};

// The result of one input and one output, by their numbers. -1: all outputs at once, whose gradient is the sum.
struct PairVerdict {
  int input = 0;
  int output = 0;
  Verdict verdict = Verdict::kUndecided;
  std::string why;
};

struct CheckOptions {
  bool static_shapes = true;  // the graph knows the shapes of the inputs
  size_t most_elements = 0;   // number of elements that are checked per input, spread over it; 0: all
  double tolerance = 1e-6;    // relative to the largest element of the gradient; for float32 200 times as large
  // Input 0 is self-adjoint and stays so when it changes: the op reads one of its triangles
  bool is_self_adjoint = false;
};

// Checks every float or complex input by every such output. Returns an error if the op itself cannot be built or run.
// The numeric derivative is a central difference with Richardson's extrapolation, whose own error is near 1e-10
// (float32: 1e-5). If the slopes on both sides differ, the gradient must lie between them, output by output.
Result<std::vector<PairVerdict>> CheckGradients(const GradientCase& test, const CheckOptions& options);

// Returns values in [low, high), the same ones for the same arguments. No two of them are equal or near each other, so
// that Max and its kin have a derivative.
Tensor Uniform(const Shape& shape, double low = -1, double high = 1, uint64_t seed = 1);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_AUTODIFF_GRADIENT_CHECKER_H_
