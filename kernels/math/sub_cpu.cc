#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sub", Binary<fn::Sub>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
