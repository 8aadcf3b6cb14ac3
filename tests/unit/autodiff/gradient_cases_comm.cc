#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

constexpr const char* kLowered = "it has no kernel; tests/unit/passes/collectives_test.cc checks it once it is lowered";
const UncheckedGradient all_reduce("AllReduce", kLowered);
const UncheckedGradient all_gather("AllGather", kLowered);
const UncheckedGradient reduce_scatter("ReduceScatter", kLowered);
const UncheckedGradient broadcast("Broadcast", kLowered);

}  // namespace
}  // namespace dfrun::testing
