#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

const UncheckedGradient read_variable("ReadVariableOp", "needs a variable; its gradient is dy itself");
const UncheckedGradient ref_identity("RefIdentity", "needs a reference; its gradient is dy itself");
const UncheckedGradient resource_gather(
    "ResourceGather", "needs a variable; resource_gather_gradient_test.cc compares it with GatherV2's");
const UncheckedGradient resource_gather_nd("ResourceGatherNd", "needs a variable; its gradient is GatherNd's");

}  // namespace
}  // namespace dfrun::testing
