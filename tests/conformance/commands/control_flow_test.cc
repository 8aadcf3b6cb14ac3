// Conditionals and loops as TensorFlow 1 code exports them, its gradients included, against what TensorFlow got from
// them. tests/golden/control_flow/make_graphs.py makes both. One test a graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

constexpr char kGraphs[] = "tests/golden/control_flow/";
// All is float64; sums may be taken in another order.
constexpr double kTolerance = 1e-12;

// A line of expected.txt.
struct Expected {
  std::string name;
  std::vector<double> result;
};

std::ostream& operator<<(std::ostream& out, const Expected& e) {
  return out << e.name;
}

std::vector<Expected> ReadExpected() {
  std::vector<Expected> all;
  for (const std::string& line : ReadLines(std::string(kGraphs) + "expected.txt")) {
    std::istringstream words(line);
    Expected e;
    words >> e.name;
    for (std::string word; words >> word;) e.result.push_back(std::stod(word));
    all.push_back(std::move(e));
  }
  return all;
}

class ControlFlowGraphTest : public CommandTest, public ::testing::WithParamInterface<Expected> {
 protected:
  void ComputesTheResult(const std::string& options) {
    const Tensor value = Evaluate(kGraphs + GetParam().name + ".pb " + options, "result");
    const std::vector<double>& expected = GetParam().result;
    ASSERT_EQ(value.dtype(), DType::kDouble);
    ASSERT_EQ(value.num_elements(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(value.data<double>()[i], expected[i], kTolerance * std::max(1.0, std::abs(expected[i]))) << i;
    }
  }
};

TEST_P(ControlFlowGraphTest, ComputesWhatTensorFlowDoes) {
  ComputesTheResult("--threads 1");
}

TEST_P(ControlFlowGraphTest, SeveralThreadsAndNoRewritingGiveTheSame) {
  ComputesTheResult("--threads 3 --no-optimize");
}

INSTANTIATE_TEST_SUITE_P(Exported, ControlFlowGraphTest, ::testing::ValuesIn(ReadExpected()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dfrun
