#include "kernels/math/binary.h"
#include "kernels/math/special_functions.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Lgamma", Unary<fn::Lgamma>, float16, float, double);
CPU_KERNEL("Digamma", Unary<fn::Digamma>, float16, float, double);
CPU_KERNEL("Polygamma", Binary<fn::Polygamma>, float, double);
CPU_KERNEL("Zeta", Binary<fn::Zeta>, float, double);

}  // namespace
}  // namespace dfrun
