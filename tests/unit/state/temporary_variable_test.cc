// A temporary variable in steps of a plan: made, added to, and destroyed for its value.
#include <gtest/gtest.h>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

class TemporaryVariable : public ::testing::Test {
 protected:
  TemporaryVariable() {
    one_ = maker_.Const("one", Tensor::Vector<float>({1, 2}));
    sum_ = maker_.Add("sum", "TemporaryVariable", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  }
  Output Destroy(const std::string& name, Output ref, const std::string& var_name) {
    return maker_.Add(name, "DestroyTemporaryVariable", {ref}, {{"var_name", var_name}});
  }
  Result<Tensor> Run(Output fetch, int steps) {
    maker_.Add("fetch", "_Retval", {fetch}, {{"index", 0}});
    DF_ASSIGN(auto plan, BuildPlan(maker_.graph, device_, KernelRegistry::Builtin(), {}));
    WorkerPool pool(1);
    ResourceContainers containers;
    std::vector<Tensor> fetches(1);
    for (int i = 0; i < steps; ++i) {
      DF_TRY(RunPlan(*plan, pool, {.feeds = {}, .fetches = fetches, .step = {.step_containers = &containers}}));
    }
    return fetches[0];
  }

  GraphMaker maker_;
  testing::PlainDevice device_;
  Output one_;
  Output sum_;
};

TEST_F(TemporaryVariable, IsNewInEveryStep) {
  const Output first = maker_.Add("first", "Assign", {sum_, one_});
  const Output second = maker_.Add("second", "AssignAdd", {first, one_});
  const Output value = Destroy("value", second, "sum");
  EXPECT_TRUE(maker_.graph.shape(value) == PartialShape({2}));
  const Result<Tensor> fetched = Run(value, 3);
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_TRUE(fetched->Identical(Tensor::Vector<float>({2, 4})));
}

TEST_F(TemporaryVariable, IsDestroyedByItsName) {
  EXPECT_EQ(Run(Destroy("value", sum_, "other"), 1).status().code(), Code::kNotFound);
}

TEST_F(TemporaryVariable, HasNoValueAfterThat) {
  const Output value = Destroy("value", sum_, "sum");
  NodeSpec again;
  again.name = "again";
  again.op = "DestroyTemporaryVariable";
  again.inputs = {sum_};
  again.control_inputs = {value.node};
  again.attrs = {{"var_name", "sum"}};
  EXPECT_EQ(Run(maker_.Add(std::move(again)), 1).status().code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace dfrun
