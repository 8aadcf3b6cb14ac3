#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sigmoid", cpu::Unary<fn::Sigmoid>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Tanh", cpu::Unary<fn::Tanh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
