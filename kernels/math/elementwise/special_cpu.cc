#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/special_functions.h"

namespace dfrun {
namespace {

CPU_KERNEL("Lgamma", cpu::Unary<fn::Lgamma>, float16, float, double);
CPU_KERNEL("Digamma", cpu::Unary<fn::Digamma>, float16, float, double);
CPU_KERNEL("Polygamma", cpu::Binary<fn::Polygamma>, float, double);
CPU_KERNEL("Zeta", cpu::Binary<fn::Zeta>, float, double);

}  // namespace
}  // namespace dfrun
