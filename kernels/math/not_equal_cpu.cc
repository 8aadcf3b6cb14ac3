#include "kernels/math/equal.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("NotEqual", Equality<fn::NotEqual>, DF_NUMBERS, DF_QUANTIZED, bool, std::string);

}  // namespace
}  // namespace dfrun
