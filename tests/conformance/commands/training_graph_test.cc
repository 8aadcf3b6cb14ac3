// The graph that `dfrun graph --pb` writes of a spec that trains: trained by `dfrun eval`, it has the losses of the job
// itself.
#include <gmock/gmock.h>

#include "tests/conformance/commands/command_runner.h"

namespace dfrun {
namespace {

constexpr char kModel[] =
    "dfrun: 1\n"
    "graph:\n"
    "  x: {op: Const, value: [[1, 2], [-1, 0.5], [0.3, -2]], dtype: float32}\n"
    "  y: {op: Const, value: [[1], [0], [2]], dtype: float32}\n"
    "  W: {op: Variable, shape: [2, 3], init: \"TruncatedNormal(stddev=0.5)\"}\n"
    "  V: {op: Variable, shape: [3, 1], init: \"TruncatedNormal(stddev=0.5)\", device: /job:worker}\n"
    "  noise: RandomUniform(shape=[3, 3], dtype=float32)\n"
    "  h: Tanh(MatMul(x, W)) + 0.01 * noise\n"
    "  p: MatMul(h, V)\n"
    "  seen: {op: Variable, shape: [], dtype: int64, init: 0}\n"
    "  count: AssignAdd(seen, 1)\n"
    "  loss: {op: Mean, inputs: [Square(p - y)], control: [^count]}\n"
    "  unused: Sum(p)\n";

class TrainingGraphTest : public CommandTest, public testing::WithParamInterface<const char*> {};

TEST_P(TrainingGraphTest, TrainsLikeTheJob) {
  const std::string train = StrCat("train: {loss: loss, steps: 20, log_every: 1, ", GetParam(), "}\n");
  const std::string spec = Write("job.yaml", kModel + train);
  ASSERT_EQ(Dfrun("run " + spec + " --output " + Path("run")), 0) << output_;
  const std::string pb = Path("job.pb");
  ASSERT_EQ(Dfrun("graph " + spec + " --pb --out " + pb), 0) << output_;
  const std::string step = "--init init --target train --repeat 20";
  const Tensor losses = Evaluate(pb + " " + step, "loss");
  ASSERT_EQ(losses.num_elements(), 20);
  EXPECT_LT(losses.values<float>()[19], losses.values<float>()[0]);
  const std::vector<std::string> lines = ReadLines(Path("run/metrics.jsonl"));
  ASSERT_EQ(lines.size(), 20u);
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t at = lines[i].find("\"loss\": ") + 8;
    EXPECT_EQ(std::stof(lines[i].substr(at)), losses.values<float>()[i]) << "step " << i;
  }
  // A step that fetches nothing counts too, and what the training does without is there.
  EXPECT_EQ(Evaluate(pb + " --init init --init train", "seen").scalar<int64_t>(), 1);
  EXPECT_EQ(Evaluate(pb + " --init init", "unused").num_elements(), 1);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TrainingGraphTest,
                         testing::Values("learning_rate: 0.1", "learning_rate: 0.1, clip_norm: 0.5",
                                         "optimizer: momentum, learning_rate: 0.05, momentum: 0.8",
                                         "optimizer: momentum, nesterov: true, learning_rate: 0.05",
                                         "optimizer: adam, learning_rate: 0.02, beta1: 0.8, epsilon: 1e-6"));

}  // namespace
}  // namespace dfrun
