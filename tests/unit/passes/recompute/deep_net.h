// A net of equal layers with gradients, for tests of recomputation.
#ifndef DFRUN_TESTS_UNIT_PASSES_RECOMPUTE_DEEP_NET_H_
#define DFRUN_TESTS_UNIT_PASSES_RECOMPUTE_DEEP_NET_H_

#include <string>
#include <vector>

#include "src/autodiff/gradients.h"
#include "src/passes/recompute/gradient_step.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {

// h1 = Tanh(h0 W1), h2 = Tanh(h1 W2), ...: each value takes `kRows` x `kWidth` floats; the loss is the mean of squares
// of the last.
class DeepNet {
 public:
  static constexpr int64_t kRows = 1024;
  static constexpr int64_t kWidth = 64;
  static constexpr int64_t kValueBytes = kRows * kWidth * 4;

  // Adds the first layers; further ones read `last`.
  explicit DeepNet(int layers) {
    last = m.Placeholder("h0", {kRows, kWidth}, DType::kFloat);
    for (int i = 1; i <= layers; ++i) AddLayer();
  }

  Output Variable(const std::string& name) {
    return m.Add(name, "VariableV2", {}, {{"shape", Shape({kWidth, kWidth})}, {"dtype", DType::kFloat}});
  }

  void AddLayer() {
    const std::string number = std::to_string(weights.size() + 1);
    weights.push_back(Variable("W" + number));
    last = m.Add("h" + number, "Tanh", {m.Add("product" + number, "MatMul", {last, weights.back()})});
  }

  // Ends the net by its loss, and adds the gradients.
  GradientStep Differentiate() {
    const Output axes = m.Const("axes", Tensor::Vector<int32_t>({0, 1}));
    const Output loss = m.Add("loss", "Mean", {m.Add("square", "Square", {last}), axes});
    const NodeId first = m.graph.num_nodes();
    const Output ys[] = {loss};
    const Result<std::vector<GradientValue>> gradients = AddGradients(m.graph, ys, weights);
    EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
    wanted = {loss};
    for (const GradientValue& gradient : *gradients) wanted.push_back(gradient.dense);
    Result<GradientStep> step = GradientStep::Of(m.graph, first, wanted);
    EXPECT_TRUE(step.ok()) << step.status().ToString();
    return *std::move(step);
  }

  bool MayRecompute(const GradientStep& step, const std::string& name) const {
    return step.MayRecompute(m.graph.Find(name));
  }
  std::vector<bool> Choose(const std::vector<std::string>& names) const {
    std::vector<bool> chosen(static_cast<size_t>(m.graph.num_nodes()), false);
    for (const std::string& name : names) chosen[static_cast<size_t>(m.graph.Find(name))] = true;
    return chosen;
  }

  GraphMaker m;
  Output last;
  std::vector<Output> weights;
  std::vector<Output> wanted;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_PASSES_RECOMPUTE_DEEP_NET_H_
