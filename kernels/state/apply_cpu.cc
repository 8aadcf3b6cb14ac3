#include "kernels/state/apply_rules.h"

namespace dfrun {
namespace {

#define DF_APPLY(name, rule)                                                \
  CPU_KERNEL("Apply" name, Update<rule>, bfloat16, float16, float, double); \
  CPU_KERNEL("ResourceApply" name, Update<rule>, bfloat16, float16, float, double)
#define DF_SPARSE_APPLY(name, rule)                                                     \
  CPU_KERNEL("SparseApply" name, SparseUpdate<rule>, bfloat16, float16, float, double); \
  CPU_KERNEL("ResourceSparseApply" name, SparseUpdate<rule>, bfloat16, float16, float, double)

DF_APPLY("GradientDescent", rule::GradientDescent);
DF_APPLY("Momentum", rule::Momentum);
DF_APPLY("Adam", rule::Adam);
DF_APPLY("AdaMax", rule::AdaMax);
DF_APPLY("Adagrad", rule::Adagrad);
DF_APPLY("AdagradV2", rule::AdagradV2);
DF_APPLY("RMSProp", rule::RMSProp);
DF_APPLY("CenteredRMSProp", rule::CenteredRMSProp);
DF_APPLY("Adadelta", rule::Adadelta);
DF_APPLY("Ftrl", rule::Ftrl);
DF_SPARSE_APPLY("Momentum", rule::Momentum);
DF_SPARSE_APPLY("Adagrad", rule::Adagrad);
DF_SPARSE_APPLY("RMSProp", rule::RMSProp);
DF_SPARSE_APPLY("Adadelta", rule::Adadelta);
DF_SPARSE_APPLY("Ftrl", rule::Ftrl);

#undef DF_APPLY
#undef DF_SPARSE_APPLY

}  // namespace
}  // namespace dfrun
