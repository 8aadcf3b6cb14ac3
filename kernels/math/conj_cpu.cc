#include "kernels/math/element_types.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Conj", Unary<fn::Conj>, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
