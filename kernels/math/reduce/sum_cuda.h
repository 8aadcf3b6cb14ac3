// SumElements(): sums on GPUs, for kernels of other ops.
#ifndef DFRUN_KERNELS_MATH_REDUCE_SUM_CUDA_H_
#define DFRUN_KERNELS_MATH_REDUCE_SUM_CUDA_H_

#include "kernels/math/reduce/reduction_plan.h"
#include "src/framework/kernel/op_context.h"

namespace dfrun::cuda {

// Sums numbers of any dtype.
Status SumElements(OpContext& ctx, const ReductionPlan& plan, const Tensor& from, Tensor& to);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_REDUCE_SUM_CUDA_H_
