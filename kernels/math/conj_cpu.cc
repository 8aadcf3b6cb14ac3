#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Conj", cpu::Unary<fn::Conj>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
