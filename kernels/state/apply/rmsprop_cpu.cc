#include "kernels/state/apply/rmsprop.h"

#include "kernels/state/apply/apply_kernels.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_APPLY("RMSProp", rule::RMSProp, DF_FLOATS, DF_COMPLEX);
DF_APPLY("CenteredRMSProp", rule::CenteredRMSProp, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("RMSProp", rule::RMSProp, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("CenteredRMSProp", rule::CenteredRMSProp, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
