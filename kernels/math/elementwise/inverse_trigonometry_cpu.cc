#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Asin", cpu::Unary<fn::Asin>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Acos", cpu::Unary<fn::Acos>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Atan", cpu::Unary<fn::Atan>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Atan2", cpu::Binary<fn::Atan2>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
