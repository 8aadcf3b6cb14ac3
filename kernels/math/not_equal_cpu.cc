#include "kernels/math/element_types.h"
#include "kernels/math/equal.h"

namespace dfrun {
namespace {

CPU_KERNEL("NotEqual", Equality<fn::NotEqual>, DF_NUMBERS, DF_QUANTIZED, bool, std::string);

}  // namespace
}  // namespace dfrun
