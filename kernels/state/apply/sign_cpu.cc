#include "kernels/state/apply/sign.h"

#include "kernels/state/apply/apply_kernels.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_APPLY("AddSign", rule::AddSign, DF_FLOATS);
DF_APPLY("PowerSign", rule::PowerSign, DF_FLOATS);

}  // namespace
}  // namespace dfrun
