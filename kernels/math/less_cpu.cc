#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Less", Binary<fn::Less>, DF_REAL);
CPU_KERNEL("LessEqual", Binary<fn::LessEqual>, DF_REAL);

}  // namespace
}  // namespace dfrun
