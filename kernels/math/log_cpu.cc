#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Log", Unary<fn::Log>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Log1p", Unary<fn::Log1p>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
