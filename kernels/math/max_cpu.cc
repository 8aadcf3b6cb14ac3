#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Max", Reduction<red::Max>, DF_REAL);

}  // namespace
}  // namespace dfrun
