#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Erf", Unary<fn::Erf>, bfloat16, float16, float, double);
CPU_KERNEL("Erfc", Unary<fn::Erfc>, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
