#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

constexpr char kNeedsArray[] = "needs a TensorArray; exported_graphs_test.cc and flow_gradients_test.cc check it";
const UncheckedGradient read("TensorArrayReadV3", kNeedsArray);
const UncheckedGradient write("TensorArrayWriteV3", kNeedsArray);
const UncheckedGradient gather("TensorArrayGatherV3", kNeedsArray);
const UncheckedGradient scatter("TensorArrayScatterV3", kNeedsArray);
const UncheckedGradient concat("TensorArrayConcatV3", kNeedsArray);
const UncheckedGradient split("TensorArraySplitV3", kNeedsArray);

}  // namespace
}  // namespace dfrun::testing
