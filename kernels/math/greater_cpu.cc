#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Greater", cpu::Binary<fn::Greater>, DF_REAL);
CPU_KERNEL("GreaterEqual", cpu::Binary<fn::GreaterEqual>, DF_REAL);

}  // namespace
}  // namespace dfrun
