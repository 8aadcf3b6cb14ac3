#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sinh", cpu::Unary<fn::Sinh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Cosh", cpu::Unary<fn::Cosh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
