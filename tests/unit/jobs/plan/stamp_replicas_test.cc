// Plans of replicas of which some alone are compiled, beside plans of replicas that are all compiled.
#include "jobs/plan/stamp_replicas.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "jobs/compile_job.h"
#include "jobs/model.h"
#include "jobs/plan/compile_plan.h"
#include "jobs/plan/plan_of_spec.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun::jobs {
namespace {

constexpr const char* kDense = R"yaml(
  h1:     dense(batch/image, units=32, activation=Relu)
  logits: dense(h1, units=10)
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)))yaml";
constexpr const char* kMomentum = "optimizer: momentum, momentum: 0.9, learning_rate: 0.1";

// A spec on the digits.
struct Training {
  std::string graph = kDense;
  std::string loss = "loss";
  std::string keys = kMomentum;
  std::string sections = "";
};

std::string TextOf(const Training& training) {
  const std::string data = std::filesystem::absolute("configs/data/digits.h5").string();
  return "dfrun: 1\nname: digits\nparams: {batch: 960}\ninclude: [lib/nn.yaml]\n" + training.sections +
         "\ninputs:\n  batch:\n    hdf5: " + data +
         "\n    tensors: {image: /train/image, label: /train/label}\n    batch: \"${batch}\"\n    shuffle: "
         "true\ngraph:" +
         training.graph + "\ntrain: {loss: " + training.loss + ", steps: 10, log_every: 10, replicas: 16, " +
         training.keys + "}\n";
}

// How many devices have a copy of another's part; -1: the job cannot be compiled.
int CopiesOf(const SpecPlanOptions& options, int ranks) {
  Result<Model> model = LoadSpecModel({.path = options.spec,
                                       .sets = options.sets,
                                       .tags = {},
                                       .ranks = ranks,
                                       .device_counts = options.devices,
                                       .form = ModelOptions::Form::kJob});
  if (!model.ok()) return -1;
  Result<JobCompiler> compiler = JobCompiler::Create(*model, ranks);
  if (!compiler.ok()) return -1;
  const LoadedSpec spec = model->TakeSpec();
  const Result<CompiledPlan> plan = CompilePlan(spec, /*stamps_replicas=*/true, *compiler);
  return plan.ok() ? static_cast<int>(plan->Copies().size()) : -1;
}

// Holds the plan, for programs and for people, against that of all replicas.
void ExpectEqualPlans(SpecPlanOptions options, int ranks) {
  options.ranks = std::to_string(ranks);
  for (const bool json : {true, false}) {
    options.json = json;
    options.stamps_replicas = true;
    const Result<std::string> some = PlanOfSpec(options);
    options.stamps_replicas = false;
    const Result<std::string> all = PlanOfSpec(options);
    ASSERT_TRUE(all.ok()) << all.status().message();
    ASSERT_TRUE(some.ok()) << some.status().message();
    EXPECT_TRUE(*some == *all) << options.spec << " on " << ranks << " ranks";
  }
}

SpecPlanOptions Job(const std::string& spec, std::vector<std::string> sets) {
  SpecPlanOptions job;
  job.spec = spec;
  job.sets = std::move(sets);
  return job;
}

std::string Replicas(int count) {
  return "train.replicas=" + std::to_string(count);
}

class StampReplicas : public testing::Test {
 protected:
  std::string Write(const Training& training) const { return scratch_.Write("spec.yaml", TextOf(training)); }
  // The plans of N replicas on N ranks; `copies_of_16` of 16 replicas are copies.
  void ExpectEqual(const Training& training, int copies_of_16, const std::vector<std::string>& sets = {}) {
    for (const int replicas : {16, 40}) {
      std::vector<std::string> all = sets;
      all.push_back(Replicas(replicas));
      const SpecPlanOptions job = Job(Write(training), all);
      EXPECT_EQ(CopiesOf(job, replicas), copies_of_16 == 0 ? 0 : copies_of_16 + replicas - 16) << TextOf(training);
      ExpectEqualPlans(job, replicas);
    }
  }

  ScratchDirectory scratch_;
};

TEST_F(StampReplicas, OfThePublicSpecs) {
  for (const char* const spec : {"configs/digits_mlp.yaml", "configs/digits_cnn.yaml", "configs/digits_rnn.yaml"}) {
    for (const int replicas : {12, 16, 48}) {
      const SpecPlanOptions job = Job(spec, {"batch=960", Replicas(replicas)});
      EXPECT_GT(CopiesOf(job, replicas), 0) << spec;
      ExpectEqualPlans(job, replicas);
    }
  }
}

TEST_F(StampReplicas, OnManyRanks) {
  ExpectEqualPlans(Job("configs/digits_mlp.yaml", {"batch=1024", Replicas(256)}), 256);
}

// Means over more than 32 replicas are made in groups, of which the last may have fewer.
TEST_F(StampReplicas, InGroupsOfAnySize) {
  for (const int replicas : {31, 32, 33, 37, 43, 50}) {
    const SpecPlanOptions job = Job(Write({}), {"batch=" + std::to_string(replicas * 8), Replicas(replicas)});
    EXPECT_EQ(CopiesOf(job, replicas), replicas - 6);
    ExpectEqualPlans(job, replicas);
  }
}

TEST_F(StampReplicas, OfEachOptimizer) {
  ExpectEqual({.keys = "optimizer: sgd, learning_rate: 0.1"}, 10);
  ExpectEqual({.keys = "optimizer: adam, learning_rate: 0.001"}, 10);
  ExpectEqual({.keys = "optimizer: momentum, momentum: 0.9, learning_rate: 0.1, clip_norm: 1.0"}, 10);
}

TEST_F(StampReplicas, WithEachKeyOfTraining) {
  const std::string momentum = kMomentum;
  for (const char* const key : {"compress_gradients: true", "recompute: [h1]", "on_nan: skip", "on_nan: warn"})
    ExpectEqual({.keys = momentum + ", " + key}, 10);
  ExpectEqual({.keys = momentum + ", freeze: [\"h1/*\"]"}, 10);
  ExpectEqual({}, 10, {"train.log_every=1"});
  ExpectEqual({.sections = "cluster: {compress: ranks}"}, 10);
}

TEST_F(StampReplicas, OfARowsGradient) {
  const std::string rows = R"yaml(
  table:  {op: Variable, shape: [5000, 16], init: "RandomUniform(minval=-1, maxval=1)"}
  h1:     dense(Gather(table, batch/label), units=32, activation=Relu)
  logits: dense(h1, units=10)
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)))yaml";
  ExpectEqual({.graph = rows}, 9);
  ExpectEqual({.graph = rows, .keys = "optimizer: adam, learning_rate: 0.001, clip_norm: 1.0"}, 9);
}

TEST_F(StampReplicas, OfAQuotient) {
  const std::string quotient = R"yaml(
  h1:     dense(batch/image, units=32, activation=Relu)
  logits: dense(h1, units=10)
  mask:   Cast(Greater(batch/label, Cast(3, DstT=int64)), DstT=float32)
  total:  Sum(Mul(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label), mask))
  count:  Sum(mask))yaml";
  ExpectEqual({.graph = quotient, .loss = "{sum: total, over: count}"}, 10);
}

// Replicas assign copies of the moving averages, whose means are the next.
TEST_F(StampReplicas, OfBatchNormalisation) {
  const std::string normalised = R"yaml(
  h1:     batch_norm(dense(batch/image, units=32, activation=Relu))
  logits: dense(h1, units=10)
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)))yaml";
  for (const int replicas : {16, 40}) {
    const SpecPlanOptions job = Job(Write({.graph = normalised}), {Replicas(replicas)});
    EXPECT_GT(CopiesOf(job, replicas), 0);
    ExpectEqualPlans(job, replicas);
  }
}

TEST_F(StampReplicas, OfVariablesOfSixteenBits) {
  ExpectEqual({.graph = R"yaml(
  W:      {op: Variable, shape: [64, 10], dtype: bfloat16, init: zeros}
  logits: Cast(MatMul(Cast(batch/image, DstT=bfloat16), W), DstT=float32)
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)))yaml"},
              13);
}

// A value of 256 KiB and more is received as late as may be.
TEST_F(StampReplicas, OfLargeVariables) {
  for (const char* const hidden : {"hidden=1024", "hidden=4096"}) {
    for (const int replicas : {16, 48}) {
      const SpecPlanOptions job = Job("configs/digits_mlp.yaml", {"batch=960", hidden, Replicas(replicas)});
      EXPECT_GT(CopiesOf(job, replicas), 0);
      ExpectEqualPlans(job, replicas);
    }
  }
}

TEST_F(StampReplicas, OnParameterServers) {
  Training training;
  training.sections = "cluster: {jobs: {ps: 2, worker: rest}}";
  EXPECT_EQ(CopiesOf(Job(Write(training), {}), 18), 13);
  ExpectEqualPlans(Job(Write(training), {}), 18);
  training.sections = "cluster: {jobs: {worker: rest, ps: 2}}";
  EXPECT_EQ(CopiesOf(Job(Write(training), {}), 18), 0);  // they come behind the copies
  ExpectEqualPlans(Job(Write(training), {}), 18);
}

TEST_F(StampReplicas, OfSeveralOrNoneOnARank) {
  const std::string spec = Write({});
  EXPECT_EQ(CopiesOf(Job(spec, {Replicas(32)}), 16), 10);
  ExpectEqualPlans(Job(spec, {Replicas(32)}), 16);
  ExpectEqualPlans(Job(spec, {Replicas(96)}), 16);
  EXPECT_EQ(CopiesOf(Job(spec, {Replicas(16)}), 40), 10);
  ExpectEqualPlans(Job(spec, {Replicas(16)}), 40);
  EXPECT_EQ(CopiesOf(Job(spec, {Replicas(24)}), 16), 0);  // one or two on each
  ExpectEqualPlans(Job(spec, {Replicas(24)}), 16);
}

TEST_F(StampReplicas, OnAClusterThatIsElsewhere) {
  SpecPlanOptions job = Job("configs/digits_mlp.yaml", {"batch=960", Replicas(48)});
  job.cluster_file = "configs/clusters/cpu_hdr.yaml";
  ExpectEqualPlans(job, 48);
  job.cluster_file = "";
  job.ranks_per_node = 4;
  ExpectEqualPlans(job, 48);
}

// Replicas that compute on one device, or that another step knows, are all compiled.
TEST_F(StampReplicas, IsLeftWhereReplicasAreNotAlike) {
  const std::string dropped = R"yaml(
  h1:     dropout(dense(batch/image, units=32, activation=Relu), rate=0.3)
  logits: dense(h1, units=10)
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)))yaml";
  const std::string on_one = R"yaml(
  W:      {op: Variable, shape: [64, 10], init: zeros}
  logits: {op: MatMul, inputs: [batch/image, W], device: "/job:worker/task:0"}
  loss:   Mean(SparseSoftmaxCrossEntropyWithLogits(logits, batch/label)))yaml";
  ExpectEqual({.graph = on_one}, 0);
  ExpectEqual({.graph = dropped}, 0);
  const std::string momentum = kMomentum;
  ExpectEqual({.keys = momentum + ", data_parallel: allreduce"}, 0);
  ExpectEqual({.keys = momentum + ", allreduce: true"}, 0);
  ExpectEqual({.sections = "cluster: {memory: 8GiB}"}, 0);
  const SpecPlanOptions local = Job("configs/digits_local.yaml", {"batch=960", Replicas(16)});
  EXPECT_EQ(CopiesOf(local, 16), 0);
  ExpectEqualPlans(local, 16);
}

TEST_F(StampReplicas, IsLeftForFewReplicas) {
  EXPECT_EQ(CopiesOf(Job(Write({}), {Replicas(4)}), 4), 0);
  ExpectEqualPlans(Job(Write({}), {Replicas(4)}), 4);
}

}  // namespace
}  // namespace dfrun::jobs
