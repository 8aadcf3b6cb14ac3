// Gradients of conditionals, loops, TensorArrays and TensorLists against those that TensorFlow added to the same
// graphs. The make_graphs.py of tests/golden/control_flow and functions make them, and write which values they
// differentiate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "src/autodiff/gradients.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/passes/functions/lower_functions.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun::testing {
namespace {

const std::string kFolder = "tests/golden/";
// The values are float64; sums may be taken in another order.
constexpr double kTolerance = 1e-12;

// Graphs by name, in each the words of its lines.
std::map<std::string, std::vector<std::vector<std::string>>> ReadLines(const std::string& file) {
  std::map<std::string, std::vector<std::vector<std::string>>> lines;
  std::ifstream in(kFolder + file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string graph;
    words >> graph;
    std::vector<std::string>& rest = lines[graph].emplace_back();
    for (std::string word; words >> word;) rest.push_back(word);
  }
  return lines;
}

// "control_flow/scan": folder and name.
std::vector<std::string> Graphs() {
  std::vector<std::string> graphs;
  for (const char* folder : {"control_flow/", "functions/"}) {
    for (const auto& [name, lines] : ReadLines(StrCat(folder, "gradients.txt"))) graphs.push_back(folder + name);
  }
  return graphs;
}

class ExportedGraph : public ::testing::TestWithParam<std::string> {
 protected:
  // Returns the lines about the graph in a file of its folder.
  static std::vector<std::vector<std::string>> LinesOf(const std::string& file) {
    const size_t name = GetParam().find('/') + 1;
    return ReadLines(GetParam().substr(0, name) + file)[GetParam().substr(name)];
  }

  // Returns the ys and their gradients, concatenated as in the graph's own result.
  Result<std::vector<double>> Differentiated(StepRunner::Options options) {
    DF_ASSIGN(Graph graph, ReadGraphDefFile(kFolder + GetParam() + ".pb"));
    DF_TRY(LowerFunctions(graph));
    std::vector<Output> fetches;
    for (const std::vector<std::string>& names : LinesOf("gradients.txt")) {
      std::vector<Output> values;
      for (const std::string& name : names) {
        DF_ASSIGN(const Output value, graph.ParseOutput(name));
        values.push_back(value);
      }
      const std::vector<Output> xs(values.begin() + 1, values.end());
      DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(graph, {values.data(), 1}, xs));
      fetches.push_back(values[0]);
      for (size_t k = 0; k < xs.size(); ++k) {
        if (!gradients[k].exists) return Internal("no gradient for ", names[k + 1]);
        DF_ASSIGN(const Output dense, DenseGradient(graph, gradients[k], xs[k], graph.UniqueName("dense")));
        fetches.push_back(dense);
      }
    }
    StepRunner runner(options);
    DF_TRY(runner.Prepare(graph, fetches));
    DF_ASSIGN(const std::vector<Tensor> results, runner.Run());
    std::vector<double> all;
    for (const Tensor& result : results) {
      const auto values = result.values<double>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  void AgreesWithTensorFlow(StepRunner::Options options) {
    const Result<std::vector<double>> actual = Differentiated(options);
    ASSERT_TRUE(actual.ok()) << actual.status().ToString();
    const std::vector<std::string> expected = LinesOf("expected.txt").at(0);
    ASSERT_EQ(actual->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const double value = std::stod(expected[i]);
      EXPECT_NEAR((*actual)[i], value, kTolerance * std::max(1.0, std::abs(value))) << i;
    }
  }
};

TEST_P(ExportedGraph, AgreesWithTensorFlow) {
  AgreesWithTensorFlow({.threads = 1, .optimize = false});
}

TEST_P(ExportedGraph, AgreesWithTensorFlowOnThreeThreadsAfterRewriting) {
  AgreesWithTensorFlow({.threads = 3, .optimize = true});
}

INSTANTIATE_TEST_SUITE_P(Exported, ExportedGraph, ::testing::ValuesIn(Graphs()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace dfrun::testing
