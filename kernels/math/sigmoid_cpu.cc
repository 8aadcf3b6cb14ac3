#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sigmoid", cpu::Unary<fn::Sigmoid>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Tanh", cpu::Unary<fn::Tanh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
