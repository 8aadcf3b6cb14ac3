#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/bitwise_functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("BitwiseAnd", cpu::Binary<fn::BitwiseAnd>, DF_INTEGERS);
CPU_KERNEL("BitwiseOr", cpu::Binary<fn::BitwiseOr>, DF_INTEGERS);
CPU_KERNEL("BitwiseXor", cpu::Binary<fn::BitwiseXor>, DF_INTEGERS);
CPU_KERNEL("Invert", cpu::Unary<fn::Invert>, DF_INTEGERS);
CPU_KERNEL("LeftShift", cpu::Binary<fn::LeftShift>, DF_INTEGERS);
CPU_KERNEL("RightShift", cpu::Binary<fn::RightShift>, DF_INTEGERS);
CPU_KERNEL("PopulationCount", cpu::Unary<fn::PopulationCount>, DF_INTEGERS);

}  // namespace
}  // namespace dfrun
