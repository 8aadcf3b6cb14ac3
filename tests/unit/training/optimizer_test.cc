// An optimizer is one file: this one stands in no list, and a spec can name it, give its keys and train with it.
#include "src/training/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "comm/in_process/in_process.h"
#include "src/session/session.h"
#include "src/spec/load.h"
#include "src/training/build_job_graph.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

// Moves by the sign of a running mean of the gradients.
class Signum final : public Optimizer {
 public:
  Signum(const Alternative& chosen, const OptimizerContext& context)
      : decay_(chosen.number("decay")), context_(context) {}

  std::vector<NodeId> Update(GraphOps& ops, const UpdatedVariable& updated, Output gradient) override {
    const Output mean = ops.Add("mean", "Assign", {updated.slots[0], MeanOf(ops, updated, updated.slots[0], gradient)});
    return {mean.node, ops.Add("update", "AssignSub", {updated.variable, StepOf(ops, updated, mean)}).node};
  }

  std::vector<NodeId> UpdateRows(GraphOps& ops, const UpdatedVariable& updated, Output indices,
                                 Output values) override {
    const Output rows = ops.Add("rows", "Gather", {updated.slots[0], indices});
    const Output mean = MeanOf(ops, updated, rows, values);
    const Output kept = ops.Add("mean", "ScatterUpdate", {updated.slots[0], indices, mean});
    return {kept.node, ops.Add("update", "ScatterSub", {updated.variable, indices, StepOf(ops, updated, mean)}).node};
  }

 private:
  Output MeanOf(GraphOps& ops, const UpdatedVariable& updated, Output mean, Output gradient) const {
    const Output old = ops.Add("old", "Mul", {mean, context_.scalar("decay", updated.variable, decay_)});
    const Output rest = context_.scalar("rest", updated.variable, 1 - decay_);
    return ops.Add("next", "AddV2", {old, ops.Add("part", "Mul", {gradient, rest})});
  }

  static Output StepOf(GraphOps& ops, const UpdatedVariable& updated, Output mean) {
    return ops.Add("step", "Mul", {ops.Add("sign", "Sign", {mean}), updated.learning_rate});
  }

  const double decay_;
  const OptimizerContext& context_;
};

OPTIMIZER("signum", {.keys = {{.name = "decay", .kind = KeyKind::kFraction, .fallback = 0.5}},
                     .slots = {{"Signum", 0.25}},
                     .rows = "move by the sign of their mean",
                     .other_rows = "stay",
                     .make = &MakeOptimizer<Signum>});

constexpr const char* kSpec = R"(dfrun: 1
graph:
  w:    {op: Variable, shape: [2], init: [0.5, 4.0]}
  loss: Sum(Square(w - 3.0))
train: {loss: loss, optimizer: signum, learning_rate: 0.125, steps: 6)";

class OptimizerTest : public testing::Test {
 protected:
  Result<LoadedSpec> Load(const std::string& keys) const {
    return LoadSpec(scratch_.Write("job.yaml", StrCat(kSpec, keys, "}\n")), {});
  }

  // The values of `fetches` after six steps.
  static Result<std::vector<Tensor>> Train(const LoadedSpec& spec, const std::vector<std::string>& fetches) {
    DF_ASSIGN(JobGraph job, BuildJobGraph(spec, *MakeCluster({}, 1)));
    DF_ASSIGN(const std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
    DF_ASSIGN(const std::unique_ptr<Session> session, Session::Create(*runtime, std::move(job.graph)));
    DF_ASSIGN(const Session::Handle init, session->Prepare(job.init));
    DF_TRY(session->RunStep(init, {}, {}));
    DF_ASSIGN(const Session::Handle step, session->Prepare(job.step.signature));
    std::vector<Tensor> scalars(job.step.signature.fetches.size());
    for (int i = 0; i < 6; ++i) DF_TRY(session->RunStep(step, {}, scalars));
    DF_ASSIGN(std::vector<Tensor> values, session->Run({}, fetches));
    for (Tensor& value : values) {  // outlives the runtime
      Tensor copy(value.dtype(), value.shape());
      std::copy_n(value.data<float>(), value.num_elements(), copy.data<float>());
      value = copy;
    }
    return values;
  }

  ScratchDirectory scratch_;
};

TEST_F(OptimizerTest, OneFileGivesKeysSlotsAndNodes) {
  const auto spec = Load(", decay: 0.75");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const auto values = Train(*spec, {"w", "w/Signum"});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  float w[] = {0.5F, 4.0F};
  float mean[] = {0.25F, 0.25F};
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 2; ++i) {
      mean[i] = mean[i] * 0.75F + 2 * (w[i] - 3.0F) * 0.25F;
      w[i] -= 0.125F * (mean[i] > 0 ? 1.0F : -1.0F);
    }
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ((*values)[0].data<float>()[i], w[i]);
    EXPECT_EQ((*values)[1].data<float>()[i], mean[i]);
  }
}

TEST_F(OptimizerTest, TheParserKnowsItsKeysAndDefaults) {
  const auto spec = Load("");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.train->optimizer.number("decay"), 0.5);
  EXPECT_NE(Load(", decay: 1").status().message().find("'decay' must be in [0, 1)"), std::string::npos);
  EXPECT_NE(Load(", beta1: 0.5").status().message().find("'beta1' is a key of optimizer 'adam', but this is 'signum'"),
            std::string::npos);
  EXPECT_NE(Load(", decoy: 1").status().message().find("did you mean 'decay'?"), std::string::npos);
}

TEST_F(OptimizerTest, ItsTableLineIsMade) {
  EXPECT_NE(Optimizers().Table().find("| `signum` | `decay` (0.5) | move by the sign of their mean | stay |\n"),
            std::string::npos)
      << Optimizers().Table();
}

}  // namespace
}  // namespace dfrun
