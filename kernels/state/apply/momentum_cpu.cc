#include "kernels/state/apply/momentum.h"

#include "kernels/state/apply/apply_kernels.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_APPLY("GradientDescent", rule::GradientDescent, DF_FLOATS, DF_COMPLEX);
DF_APPLY("Momentum", rule::Momentum, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("Momentum", rule::Momentum, DF_FLOATS, DF_COMPLEX);
DF_RESOURCE_APPLY("KerasMomentum", rule::KerasMomentum, DF_FLOATS, DF_COMPLEX);
DF_RESOURCE_SPARSE_APPLY("KerasMomentum", rule::KerasMomentum, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
