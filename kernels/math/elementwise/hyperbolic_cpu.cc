#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sinh", cpu::Unary<fn::Sinh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Cosh", cpu::Unary<fn::Cosh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
