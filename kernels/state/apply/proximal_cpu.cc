#include "kernels/state/apply/proximal.h"

#include "kernels/state/apply/apply_kernels.h"

namespace dfrun {
namespace {

DF_APPLY("ProximalGradientDescent", rule::ProximalGradientDescent, float, double);
DF_APPLY("ProximalAdagrad", rule::ProximalAdagrad, float, double);
DF_APPLY("AdagradDA", rule::AdagradDA, float, double);
DF_SPARSE_APPLY("ProximalGradientDescent", rule::ProximalGradientDescent, float, double);
DF_SPARSE_APPLY("ProximalAdagrad", rule::ProximalAdagrad, float, double);
DF_SPARSE_APPLY("AdagradDA", rule::AdagradDA, float, double);

}  // namespace
}  // namespace dfrun
