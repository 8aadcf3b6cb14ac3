// Later runs of stateful random ops, against the third runs of TensorFlow 2.21's kernels in one session.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "src/framework/kernel/executor_access.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

// Returns output 0 of the third run of one kernel.
Result<Tensor> ThirdRun(const std::string& op, AttrMap attrs, const std::vector<Tensor>& inputs) {
  NodeRunner runner;
  NodeInfo info{"node", OpRegistry::Builtin().Find(op), {}, {}};
  for (const Tensor& input : inputs) info.inputs.push_back({input.dtype(), false});
  attrs.Set("seed", 1);
  attrs.Set("seed2", 2);
  DF_TRY(ResolveAttrs(*info.op, info.inputs, attrs));
  DF_ASSIGN(info.outputs, ExpandArgs(info.op->outputs, attrs));
  const size_t num_outputs = info.outputs.size();
  DF_ASSIGN(const KernelDef* def, KernelRegistry::Builtin().Find(op, "cpu", attrs));
  KernelSetup setup(info, attrs, runner.device(), std::vector<PartialShape>(inputs.size()),
                    std::vector<PartialShape>(num_outputs), std::vector<bool>(num_outputs, false));
  const std::unique_ptr<Kernel> kernel = def->make(setup);
  DF_TRY(setup.status());
  std::vector<Tensor> slots = inputs;
  std::vector<uint32_t> in(slots.size());
  std::iota(in.begin(), in.end(), 0);
  std::vector<Tensor> outputs;
  InlineThreadPool pool;
  const StepContext step;
  for (int run = 0; run < 3; ++run) {
    outputs.assign(num_outputs, Tensor());
    OpContext ctx;
    ExecutorAccess::BindStep(ctx, slots.data(), runner.device(), pool, step);
    ExecutorAccess::BindNode(ctx, info, in.data(), outputs.data(), 0);
    DF_TRY(kernel->fn()(kernel.get(), ctx));
  }
  return outputs[0].Copy(SystemAllocator());  // the runner's allocator ends here
}

struct Sequence {
  std::string op;
  AttrMap attrs;
  std::vector<Tensor> inputs;
  Tensor third;
};

Sequence Candidates(const char* op, bool unique, int64_t range, std::initializer_list<int64_t> third) {
  const AttrMap attrs = {{"num_true", 1}, {"num_sampled", 4}, {"unique", unique}, {"range_max", range}};
  return {op, attrs, {Make<int64_t>(Shape({2, 1}), {1, 3})}, Tensor::Vector<int64_t>(third)};
}

std::vector<Sequence> Sequences() {
  const Tensor two = Tensor::Vector<int32_t>({2});
  const Tensor three = Tensor::Vector<int32_t>({3});
  return {
      {"RandomUniform",
       {{"dtype", DType::kFloat}},
       {three},
       Tensor::Vector<float>({0.49945498F, 0.06284702F, 0.46006584F})},
      {"RandomUniformInt",
       {},
       {Tensor::Vector<int32_t>({5}), Tensor::Scalar<int32_t>(0), Tensor::Scalar<int32_t>(1000)},
       Tensor::Vector<int32_t>({530, 947, 128, 332, 812})},
      {"RandomStandardNormal",
       {{"dtype", DType::kDouble}},
       {Tensor::Vector<int32_t>({2, 2})},
       Make<double>(Shape({2, 2}), {-0.52415906, -0.62962965, -0.10308222, -1.46635857})},
      {"TruncatedNormal",
       {{"dtype", DType::kFloat}},
       {three},
       Tensor::Vector<float>({0.45330226F, 1.0876547F, 1.1917063F})},
      {"RandomGamma",
       {},
       {two, Tensor::Vector<double>({0.5, 3})},
       Make<double>(Shape({2, 2}), {0.07030983, 2.36814901, 0.03615255, 1.44308588})},
      {"RandomPoissonV2", {}, {two, Tensor::Vector<double>({0.5, 30})}, Make<int64_t>(Shape({2, 2}), {1, 26, 1, 31})},
      {"Multinomial",
       {},
       {Make<double>(Shape({2, 1000}), std::vector<double>(2000, 0.0)), Tensor::Scalar<int32_t>(3)},
       Make<int64_t>(Shape({2, 3}), {553, 163, 133, 213, 702, 742})},
      {"RandomShuffle",
       {},
       {Tensor::Vector<int64_t>({0, 1, 2, 3, 4, 5, 6})},
       Tensor::Vector<int64_t>({5, 6, 3, 2, 0, 4, 1})},
      Candidates("UniformCandidateSampler", false, 1000, {28, 605, 123, 322}),
      Candidates("LogUniformCandidateSampler", true, 1000, {5, 16, 3, 19}),
      Candidates("LearnedUnigramCandidateSampler", false, 10, {1, 1, 5, 5}),
      Candidates("ThreadUnsafeUnigramCandidateSampler", true, 10, {1, 5, 7, 0}),
  };
}

class ConsecutiveRuns : public ::testing::TestWithParam<Sequence> {};

TEST_P(ConsecutiveRuns, GoOnWhereTensorFlowsDo) {
  const Result<Tensor> third = ThirdRun(GetParam().op, GetParam().attrs, GetParam().inputs);
  ASSERT_TRUE(third.ok()) << third.status().ToString();
  const Tensor& expected = GetParam().third;
  ASSERT_EQ(third->shape(), expected.shape());
  const bool compared = VisitDType<float, double>(expected.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    // The expected numbers have eight decimals.
    for (int64_t i = 0; i < expected.num_elements(); ++i) EXPECT_NEAR(third->data<T>()[i], expected.data<T>()[i], 1e-8);
  });
  if (!compared) {
    EXPECT_TRUE(third->Identical(expected)) << third->ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, ConsecutiveRuns, ::testing::ValuesIn(Sequences()),
                         [](const auto& info) { return info.param.op; });

}  // namespace
}  // namespace dfrun::testing
