#include "kernels/math/binary.h"
#include "kernels/math/element_types.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("Div", Binary<fn::Div>, DF_NUMBERS);
CPU_KERNEL("RealDiv", Binary<fn::Div>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
