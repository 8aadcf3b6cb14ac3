#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Maximum", cpu::Binary<fn::Maximum>, DF_REAL);
CPU_KERNEL("Minimum", cpu::Binary<fn::Minimum>, DF_REAL);

}  // namespace
}  // namespace dfrun
