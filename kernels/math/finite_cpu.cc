#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("IsNan", Unary<fn::IsNan>, bfloat16, float16, float, double);
CPU_KERNEL("IsInf", Unary<fn::IsInf>, bfloat16, float16, float, double);
CPU_KERNEL("IsFinite", Unary<fn::IsFinite>, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
