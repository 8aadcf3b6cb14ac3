#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Div", Binary<fn::Div>, DF_NUMBERS);
CPU_KERNEL("RealDiv", Binary<fn::Div>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
