#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Maximum", Binary<fn::Maximum>, DF_REAL);
CPU_KERNEL("Minimum", Binary<fn::Minimum>, DF_REAL);

}  // namespace
}  // namespace dfrun
