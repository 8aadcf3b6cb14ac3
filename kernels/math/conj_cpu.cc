#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Conj", Unary<fn::Conj>, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
