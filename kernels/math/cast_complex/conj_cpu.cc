#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Conj", cpu::Unary<fn::Conj>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
