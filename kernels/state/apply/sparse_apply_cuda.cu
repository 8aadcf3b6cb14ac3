// Optimisers' updates of rows.
#include "kernels/state/apply/adagrad.h"
#include "kernels/state/apply/ftrl.h"
#include "kernels/state/apply/momentum.h"
#include "kernels/state/apply/proximal.h"
#include "kernels/state/apply/rmsprop.h"
#include "kernels/state/apply/update_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_GPU_SPARSE_APPLY("Adagrad", rule::Adagrad, DF_FLOATS);
DF_GPU_SPARSE_APPLY("AdagradV2", rule::AdagradV2, DF_FLOATS);
DF_GPU_SPARSE_APPLY("Adadelta", rule::Adadelta, DF_FLOATS);
DF_GPU_SPARSE_APPLY("Momentum", rule::Momentum, DF_FLOATS);
DF_GPU_RESOURCE_SPARSE_APPLY("KerasMomentum", rule::KerasMomentum, DF_FLOATS);
DF_GPU_SPARSE_APPLY("RMSProp", rule::RMSProp, DF_FLOATS);
DF_GPU_SPARSE_APPLY("CenteredRMSProp", rule::CenteredRMSProp, DF_FLOATS);
DF_GPU_SPARSE_APPLY("Ftrl", rule::Ftrl, DF_FLOATS);
DF_GPU_SPARSE_APPLY("FtrlV2", rule::FtrlV2, DF_FLOATS);
DF_GPU_SPARSE_APPLY("ProximalGradientDescent", rule::ProximalGradientDescent, float, double);
DF_GPU_SPARSE_APPLY("ProximalAdagrad", rule::ProximalAdagrad, float, double);
DF_GPU_SPARSE_APPLY("AdagradDA", rule::AdagradDA, float, double);

}  // namespace
}  // namespace dfrun
