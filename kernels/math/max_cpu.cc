#include "kernels/math/element_types.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"

namespace dfrun {
namespace {

CPU_KERNEL("Max", Reduction<red::Max>, DF_REAL);

}  // namespace
}  // namespace dfrun
