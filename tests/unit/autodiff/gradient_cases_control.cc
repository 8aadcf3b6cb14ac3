#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

constexpr char kNeedsArray[] = "needs a TensorArray; exported_graphs_test.cc and flow_gradients_test.cc check it";
constexpr const char* kFlow = "control flow, see flow_gradients_test.cc and random_flow_test.cc";
const UncheckedGradient enter("Enter", kFlow), exit("Exit", kFlow), next("NextIteration", kFlow);
const UncheckedGradient push("StackPush", kFlow), push_v2("StackPushV2", kFlow);
const UncheckedGradient merge("Merge", kFlow), switches("Switch", kFlow);
const UncheckedGradient read("TensorArrayReadV3", kNeedsArray);
const UncheckedGradient write("TensorArrayWriteV3", kNeedsArray);
const UncheckedGradient gather("TensorArrayGatherV3", kNeedsArray);
const UncheckedGradient scatter("TensorArrayScatterV3", kNeedsArray);
const UncheckedGradient concat("TensorArrayConcatV3", kNeedsArray);
const UncheckedGradient split("TensorArraySplitV3", kNeedsArray);

}  // namespace
}  // namespace dfrun::testing
