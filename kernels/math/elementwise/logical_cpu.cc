#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/elementwise/unary.h"
#include "kernels/math/functions/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("LogicalAnd", cpu::Binary<fn::LogicalAnd>::Kernel<bool>);
CPU_KERNEL_ANY("LogicalOr", cpu::Binary<fn::LogicalOr>::Kernel<bool>);
CPU_KERNEL_ANY("LogicalNot", cpu::Unary<fn::LogicalNot>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
