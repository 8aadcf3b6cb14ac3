#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("LogicalAnd", cpu::Binary<fn::LogicalAnd>::Kernel<bool>);
CPU_KERNEL_ANY("LogicalOr", cpu::Binary<fn::LogicalOr>::Kernel<bool>);
CPU_KERNEL_ANY("LogicalNot", cpu::Unary<fn::LogicalNot>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
