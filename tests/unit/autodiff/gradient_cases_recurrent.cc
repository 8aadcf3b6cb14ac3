#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

constexpr const char* kFloatOnly = "there is no float64; recurrent_gradient_test.cc checks it";
const UncheckedGradient cell("LSTMBlockCell", kFloatOnly);
const UncheckedGradient block("BlockLSTM", kFloatOnly);
const UncheckedGradient block_v2("BlockLSTMV2", kFloatOnly);
const UncheckedGradient gru("GRUBlockCell", kFloatOnly);

}  // namespace
}  // namespace dfrun::testing
