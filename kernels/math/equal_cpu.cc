#include "kernels/math/element_types.h"
#include "kernels/math/equal.h"

namespace dfrun {
namespace {

CPU_KERNEL("Equal", Equality<fn::Equal>, DF_NUMBERS, DF_QUANTIZED, bool, std::string);

}  // namespace
}  // namespace dfrun
