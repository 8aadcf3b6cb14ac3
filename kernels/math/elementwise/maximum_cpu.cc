#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Maximum", cpu::Binary<fn::Maximum>, DF_REAL);
CPU_KERNEL("Minimum", cpu::Binary<fn::Minimum>, DF_REAL);

}  // namespace
}  // namespace dfrun
