// Optimisers' updates, and additions to variables, on GPUs.
#include "kernels/state/apply/adagrad.h"
#include "kernels/state/apply/adam.h"
#include "kernels/state/apply/assign_by.h"
#include "kernels/state/apply/ftrl.h"
#include "kernels/state/apply/momentum.h"
#include "kernels/state/apply/proximal.h"
#include "kernels/state/apply/rmsprop.h"
#include "kernels/state/apply/sign.h"
#include "kernels/state/apply/update_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_GPU_UPDATE("AssignAdd", "T", rule::AddTo, DF_REAL);
DF_GPU_UPDATE("AssignSub", "T", rule::SubtractFrom, DF_REAL);
DF_GPU_UPDATE("AssignAddVariableOp", "dtype", rule::AddTo, DF_REAL);
DF_GPU_UPDATE("AssignSubVariableOp", "dtype", rule::SubtractFrom, DF_REAL);

DF_GPU_APPLY("GradientDescent", rule::GradientDescent, DF_FLOATS);
DF_GPU_APPLY("Momentum", rule::Momentum, DF_FLOATS);
DF_GPU_RESOURCE_APPLY("KerasMomentum", rule::KerasMomentum, DF_FLOATS);
DF_GPU_APPLY("Adam", rule::Adam, DF_FLOATS);
DF_GPU_RESOURCE_APPLY("AdamWithAmsgrad", rule::AdamWithAmsgrad, DF_FLOATS);
DF_GPU_APPLY("AdaMax", rule::AdaMax, DF_FLOATS);
DF_GPU_APPLY("Adagrad", rule::Adagrad, DF_FLOATS);
DF_GPU_APPLY("AdagradV2", rule::AdagradV2, DF_FLOATS);
DF_GPU_APPLY("Adadelta", rule::Adadelta, DF_FLOATS);
DF_GPU_APPLY("RMSProp", rule::RMSProp, DF_FLOATS);
DF_GPU_APPLY("CenteredRMSProp", rule::CenteredRMSProp, DF_FLOATS);
DF_GPU_APPLY("AddSign", rule::AddSign, DF_FLOATS);
DF_GPU_APPLY("PowerSign", rule::PowerSign, DF_FLOATS);
DF_GPU_APPLY("Ftrl", rule::Ftrl, DF_FLOATS);
DF_GPU_APPLY("FtrlV2", rule::FtrlV2, DF_FLOATS);
DF_GPU_APPLY("ProximalGradientDescent", rule::ProximalGradientDescent, float, double);
DF_GPU_APPLY("AdagradDA", rule::AdagradDA, float, double);
DF_GPU_APPLY("ProximalAdagrad", rule::ProximalAdagrad, float, double);

}  // namespace
}  // namespace dfrun
