// Optimisers' updates, and additions to variables, of complex numbers, on GPUs.
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/state/apply/adagrad.h"
#include "kernels/state/apply/adam.h"
#include "kernels/state/apply/assign_by.h"
#include "kernels/state/apply/momentum.h"
#include "kernels/state/apply/rmsprop.h"
#include "kernels/state/apply/update_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <template <class> class Rule>
struct ComplexUpdate {
  template <class T>
  using Kernel = typename cuda::Update<Rule>::template Kernel<cuda::GpuType<T>>;
};

template <template <class> class Rule>
struct ComplexSparseUpdate {
  template <class T>
  using Kernel = typename cuda::SparseUpdate<Rule>::template Kernel<cuda::GpuType<T>>;
};

#define DF_COMPLEX_APPLY(name, rule)                          \
  CUDA_KERNEL("Apply" name, ComplexUpdate<rule>, DF_COMPLEX); \
  CUDA_KERNEL("ResourceApply" name, ComplexUpdate<rule>, DF_COMPLEX)

CUDA_KERNEL("AssignAdd", ComplexUpdate<rule::AddTo>, DF_COMPLEX);
CUDA_KERNEL("AssignSub", ComplexUpdate<rule::SubtractFrom>, DF_COMPLEX);
CUDA_KERNEL_ATTR("AssignAddVariableOp", "dtype", ComplexUpdate<rule::AddTo>, DF_COMPLEX);
CUDA_KERNEL_ATTR("AssignSubVariableOp", "dtype", ComplexUpdate<rule::SubtractFrom>, DF_COMPLEX);

DF_COMPLEX_APPLY("GradientDescent", rule::GradientDescent);
DF_COMPLEX_APPLY("Momentum", rule::Momentum);
CUDA_KERNEL("ResourceApplyKerasMomentum", ComplexUpdate<rule::KerasMomentum>, DF_COMPLEX);
DF_COMPLEX_APPLY("Adam", rule::Adam);
DF_COMPLEX_APPLY("Adagrad", rule::Adagrad);
DF_COMPLEX_APPLY("AdagradV2", rule::AdagradV2);
DF_COMPLEX_APPLY("Adadelta", rule::Adadelta);
DF_COMPLEX_APPLY("RMSProp", rule::RMSProp);
DF_COMPLEX_APPLY("CenteredRMSProp", rule::CenteredRMSProp);

#undef DF_COMPLEX_APPLY

#define DF_COMPLEX_SPARSE_APPLY(name, rule)                               \
  CUDA_KERNEL("SparseApply" name, ComplexSparseUpdate<rule>, DF_COMPLEX); \
  CUDA_KERNEL("ResourceSparseApply" name, ComplexSparseUpdate<rule>, DF_COMPLEX)

DF_COMPLEX_SPARSE_APPLY("Momentum", rule::Momentum);
CUDA_KERNEL("ResourceSparseApplyKerasMomentum", ComplexSparseUpdate<rule::KerasMomentum>, DF_COMPLEX);
DF_COMPLEX_SPARSE_APPLY("Adagrad", rule::Adagrad);
DF_COMPLEX_SPARSE_APPLY("AdagradV2", rule::AdagradV2);
DF_COMPLEX_SPARSE_APPLY("Adadelta", rule::Adadelta);
DF_COMPLEX_SPARSE_APPLY("RMSProp", rule::RMSProp);
DF_COMPLEX_SPARSE_APPLY("CenteredRMSProp", rule::CenteredRMSProp);

#undef DF_COMPLEX_SPARSE_APPLY

}  // namespace
}  // namespace dfrun
