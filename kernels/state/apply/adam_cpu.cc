#include "kernels/state/apply/adam.h"

#include "kernels/state/apply/apply_kernels.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_APPLY("Adam", rule::Adam, DF_FLOATS, DF_COMPLEX);
DF_RESOURCE_APPLY("AdamWithAmsgrad", rule::AdamWithAmsgrad, DF_FLOATS);
DF_APPLY("AdaMax", rule::AdaMax, DF_FLOATS);

}  // namespace
}  // namespace dfrun
