#include "kernels/math/element_types.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"

namespace dfrun {
namespace {

CPU_KERNEL("Prod", Reduction<red::Prod>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
