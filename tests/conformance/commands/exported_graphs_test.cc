// Graphs that TensorFlow exports, with their gradients, against TensorFlow's results. They show what one node alone
// cannot: conditionals, loops, lists of tensors, references, functions. The make_graphs.py of each folder makes both.
// There is one test per graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

// The values are float64; sums may be taken in another order.
constexpr double kTolerance = 1e-12;

// A line of a folder's expected.txt.
struct Expected {
  std::string path;  // without .pb
  std::string name;
  std::vector<double> result;
  std::string error;  // expected error of running the graph, if any
};

std::ostream& operator<<(std::ostream& out, const Expected& e) {
  return out << e.name;
}

std::vector<Expected> ReadExpected(const std::string& folder) {
  std::vector<Expected> all;
  for (const std::string& line : ReadLines("tests/golden/" + folder + "/expected.txt")) {
    std::istringstream words(line);
    Expected e;
    words >> e.name;
    e.path = StrCat("tests/golden/", folder, "/", e.name);
    for (std::string word; words >> word;) {
      if (word == "error") {
        words >> e.error;
      } else {
        e.result.push_back(std::stod(word));
      }
    }
    all.push_back(std::move(e));
  }
  return all;
}

class ExportedGraphTest : public CommandTest, public ::testing::WithParamInterface<Expected> {
 protected:
  void ComputesTheResult(const std::string& options) {
    const std::string args = GetParam().path + ".pb " + options;
    if (!GetParam().error.empty()) {
      EXPECT_NE(Dfrun("eval " + args + " --fetch result"), 0);
      EXPECT_NE(output_.find("node '"), std::string::npos) << output_;
      return;
    }
    const Tensor value = Evaluate(args, "result");
    const std::vector<double>& expected = GetParam().result;
    ASSERT_EQ(value.dtype(), DType::kDouble);
    ASSERT_EQ(value.num_elements(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(value.data<double>()[i], expected[i], kTolerance * std::max(1.0, std::abs(expected[i]))) << i;
    }
  }
};

TEST_P(ExportedGraphTest, ComputesWhatTensorFlowDoes) {
  ComputesTheResult("--threads 1");
}

TEST_P(ExportedGraphTest, SeveralThreadsAndNoRewritingGiveTheSame) {
  ComputesTheResult("--threads 3 --no-optimize");
}

// Nodes are on the tasks 0 to 3. Values must have the same bits wherever the tasks are.
class PlacedGraphTest : public ExportedGraphTest {
 protected:
  Tensor OnRanks(int ranks, const std::string& options = "") {
    const std::string out = Path("ranks.h5");
    const std::string args = "eval " + GetParam().path + ".pb --fetch result --threads 1 --out " + out + " " + options;
    const int code = Dfrun(args, StrCat("mpirun --oversubscribe -np ", ranks));
    EXPECT_EQ(code, 0) << output_;
    return code == 0 ? ReadDataset(out, "/result") : Tensor();
  }
};

TEST_P(PlacedGraphTest, RanksGiveTheBitsOfOneProcess) {
  ComputesTheResult("--soft-placement");
  const Tensor alone = Evaluate(GetParam().path + ".pb --soft-placement", "result");
  EXPECT_TRUE(OnRanks(4).Identical(alone));
  EXPECT_TRUE(OnRanks(2, "--soft-placement").Identical(alone));
  if (GetParam().name == "sums_of_two") {
    EXPECT_TRUE(OnRanks(2).Identical(alone));
  }
  if (GetParam().name == "sums_of_three") {
    EXPECT_TRUE(OnRanks(3).Identical(alone));
  }
}

// Collectives by nodes of their participants.
class ParticipantsGraphTest : public PlacedGraphTest {};

TEST_P(ParticipantsGraphTest, RanksGiveTheBitsOfOneProcess) {
  const Tensor alone = Evaluate(GetParam().path + ".pb --soft-placement", "result");
  EXPECT_TRUE(OnRanks(4, "--collectives participants").Identical(alone));
}

// Graphs with nodes that are colocated with nodes on two tasks, which is an error without soft placement.
class SoftlyPlacedGraphTest : public PlacedGraphTest {};

TEST_P(SoftlyPlacedGraphTest, RanksGiveTheBitsOfOneProcess) {
  ComputesTheResult("--soft-placement");
  const Tensor alone = Evaluate(GetParam().path + ".pb --soft-placement", "result");
  EXPECT_TRUE(OnRanks(4, "--soft-placement").Identical(alone));
  EXPECT_TRUE(OnRanks(2, "--soft-placement").Identical(alone));
}

std::string NameOf(const ::testing::TestParamInfo<Expected>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(ControlFlow, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("control_flow")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Functions, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("functions")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Primitives, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("primitives")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Semantics, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("semantics")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Lists, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("lists")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Collectives, PlacedGraphTest, ::testing::ValuesIn(ReadExpected("collectives")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Collectives, ParticipantsGraphTest, ::testing::ValuesIn(ReadExpected("collectives")), &NameOf);
INSTANTIATE_TEST_SUITE_P(PlacedGradients, PlacedGraphTest, ::testing::ValuesIn(ReadExpected("placed_gradients")),
                         &NameOf);
INSTANTIATE_TEST_SUITE_P(SoftlyPlaced, SoftlyPlacedGraphTest, ::testing::ValuesIn(ReadExpected("softly_placed")),
                         &NameOf);
INSTANTIATE_TEST_SUITE_P(PlacedFunctions, PlacedGraphTest, ::testing::ValuesIn(ReadExpected("placed_functions")),
                         &NameOf);

INSTANTIATE_TEST_SUITE_P(Queues, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("queues")), &NameOf);
INSTANTIATE_TEST_SUITE_P(Readers, ExportedGraphTest, ::testing::ValuesIn(ReadExpected("readers")), &NameOf);

}  // namespace
}  // namespace dfrun
