#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("FloorDiv", Binary<fn::FloorDiv>, DF_REAL);
CPU_KERNEL("FloorMod", Binary<fn::FloorMod>, DF_REAL);

}  // namespace
}  // namespace dfrun
