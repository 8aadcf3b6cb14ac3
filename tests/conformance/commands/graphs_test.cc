// Graphs of TensorFlow 1 code, forward and in training, against what TensorFlow got from them.
// tests/golden/graphs/make_graphs.py makes both. One test a graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

constexpr char kGraphs[] = "tests/golden/graphs/";
// The two add products in different orders, and 20 steps let the differences grow.
constexpr double kTolerance = 1e-5;

// A line of expected.txt.
struct Expected {
  std::string name;
  std::vector<float> losses;
  std::vector<float> output;  // its first elements
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
    std::vector<float>* list = nullptr;
    for (std::string word; words >> word;) {
      if (word == "loss") {
        list = &e.losses;
      } else if (word == "output") {
        list = &e.output;
      } else {
        list->push_back(std::stof(word));
      }
    }
    all.push_back(std::move(e));
  }
  return all;
}

class GraphsTest : public CommandTest, public ::testing::WithParamInterface<Expected> {
 protected:
  // Returns the value that `dfrun eval` of the graph writes for `fetch`.
  std::vector<float> Fetch(const std::string& fetch, const std::string& options) {
    const Tensor value = Evaluate(kGraphs + GetParam().name + ".pb --init init " + options, fetch);
    if (value.dtype() != DType::kFloat) return {};
    const auto values = value.values<float>();
    return {values.begin(), values.end()};
  }
};

TEST_P(GraphsTest, TrainsAsInTensorFlow) {
  const std::vector<float>& expected = GetParam().losses;
  const std::vector<float> losses = Fetch("loss", "--target step --repeat " + std::to_string(expected.size()));
  ASSERT_EQ(losses.size(), expected.size());
  for (size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], expected[i], kTolerance * std::abs(expected[i])) << "step " << i;
  }
}

TEST_P(GraphsTest, ComputesWhatTensorFlowDoes) {
  const std::vector<float>& expected = GetParam().output;
  const std::vector<float> output = Fetch("output", "");
  ASSERT_GE(output.size(), expected.size());
  float largest = 0;
  for (float v : expected) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(output[i], expected[i], kTolerance * largest) << i;
}

INSTANTIATE_TEST_SUITE_P(Exported, GraphsTest, ::testing::ValuesIn(ReadExpected()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace dfrun
