#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Greater", Binary<fn::Greater>, DF_REAL);
CPU_KERNEL("GreaterEqual", Binary<fn::GreaterEqual>, DF_REAL);

}  // namespace
}  // namespace dfrun
