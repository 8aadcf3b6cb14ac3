// EinsumPlan: the steps of an einsum. Each operand is brought into the form of a batch of matrices by at most one copy
// and one sum, one batched product follows, and at most one copy puts the result in order.
#ifndef DFRUN_KERNELS_MATRIX_EINSUM_PLAN_H_
#define DFRUN_KERNELS_MATRIX_EINSUM_PLAN_H_

#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/gemm/gemm.h"
#include "kernels/matrix/einsum_equation.h"

namespace dfrun {

struct EinsumOperand {
  bool copied = false;
  std::vector<CopyDim> copy;  // from the operand; the identity where it is not copied
  Shape shape;                // after the copy
  std::vector<bool> reduced;  // dimensions of it that are summed
  bool is_reduced = false;
};

struct EinsumPlan {
  Shape output;
  bool is_empty = false;                // nothing to multiply: zeros
  bool swapped = false;                 // operand 1 is the product's left side
  std::vector<EinsumOperand> operands;  // in the order of the inputs
  // The sizes: `batch` products of two operands, or `result` elements of one operand.
  GemmShape product;
  int64_t batch = 1;
  int64_t result = 1;
  // The copy from the product to the output.
  bool in_order = true;
  bool has_gaps = false;  // the output has elements that nothing is copied to: off a diagonal
  std::vector<CopyDim> scatter;
};

// InvalidArgument where the shapes do not fit the equation.
Result<EinsumPlan> PlanEinsum(const EinsumEquation& equation, const std::vector<Shape>& inputs);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_EINSUM_PLAN_H_
