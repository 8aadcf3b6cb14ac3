#include "kernels/math/binary.h"
#include "kernels/math/element_types.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sub", Binary<fn::Sub>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
