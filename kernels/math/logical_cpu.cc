#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("LogicalAnd", Binary<fn::LogicalAnd>::Kernel<bool>);
CPU_KERNEL_ANY("LogicalOr", Binary<fn::LogicalOr>::Kernel<bool>);
CPU_KERNEL_ANY("LogicalNot", Unary<fn::LogicalNot>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
