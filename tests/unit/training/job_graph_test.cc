// Training graphs against the optimisers' formulas, written out as plain loops over one parameter.
#include "src/training/build_job_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "comm/in_process/in_process.h"
#include "src/checkpoint/fingerprint.h"
#include "src/graph/graph_ops.h"
#include "src/graph/update_gate.h"
#include "src/placement/placer.h"
#include "src/session/session.h"
#include "src/spec/schema/alternatives.h"
#include "src/training/training_graph.h"

namespace dfrun {
namespace {

constexpr float kTarget = 3.0F;
constexpr float kStart = 0.5F;
constexpr float kRate = 0.1F;

// loss = (w - kTarget)^2, whose gradient is 2 (w - kTarget).
class JobGraphTest : public testing::Test {
 protected:
  void SetUp() override {
    GraphOps ops(spec_.graph, "");
    const Output w = ops.Add("w", "VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::kFloat}});
    const Output init = ops.Const("init", Tensor::Scalar(kStart));
    const Output target = ops.Const("target", Tensor::Scalar(kTarget));
    TrainSpec train;
    train.loss = ops.Add("loss", "Square", {ops.Add("error", "Sub", {w, target})});
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    train.learning_rate.initial = kRate;
    train.optimizer = Optimizers().Make("sgd");
    train.strategy = Strategies().Make("sync");
    train.steps = 10;
    spec_.job.name = "test";
    spec_.job.variables.push_back({w.node, init, true});
    spec_.job.train = train;
  }

  // Returns w after `steps` steps of the spec.
  Result<float> Train(int steps) {
    DF_ASSIGN(const Cluster cluster, MakeCluster({}, 1));
    DF_ASSIGN(JobGraph job, BuildJobGraph(spec_, cluster));
    std::vector<std::unique_ptr<Communicator>> communicators = comm::ConnectInProcess(1);
    DF_ASSIGN(const std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(communicators[0])));
    DF_ASSIGN(const std::unique_ptr<Session> session, Session::Create(*runtime, std::move(job.graph)));
    DF_ASSIGN(const Session::Handle init, session->Prepare(job.init));
    DF_TRY(session->RunStep(init, {}, {}));
    DF_ASSIGN(const Session::Handle step, session->Prepare(job.step.signature));
    std::vector<Tensor> scalars(job.step.signature.fetches.size());
    for (int i = 0; i < steps; ++i) DF_TRY(session->RunStep(step, {}, scalars, i));
    DF_ASSIGN(const std::vector<Tensor> w, session->Run({}, {"w"}));
    return w[0].scalar<float>();
  }

  LoadedSpec spec_;
};

// Every node that computes floats, gradients among them, states which freedoms the job gives kernels.
TEST_F(JobGraphTest, NodesSayWhatTheirKernelsMayDo) {
  spec_.job.arithmetic = {.tf32 = true, .deterministic = false};
  const Result<JobGraph> job = BuildJobGraph(spec_, *MakeCluster({}, 1));
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  int floats = 0;
  for (const Node& node : job->graph.nodes()) {
    const bool is_floating = !node.output_types.empty() && IsFloating(node.output_types[0].dtype);
    EXPECT_EQ(Arithmetic::Of(node.attrs), is_floating ? spec_.job.arithmetic : Arithmetic()) << node.name;
    floats += is_floating ? 1 : 0;
  }
  EXPECT_GT(floats, 5);
  EXPECT_TRUE(Train(1).ok());
}

TEST_F(JobGraphTest, AScheduledRateIsANodeOfTheStepsNumber) {
  ScheduleSpec& schedule = spec_.job.train->learning_rate;
  schedule.kind = ScheduleSpec::Kind::kCosine;
  schedule.steps = 4;
  schedule.warmup = 2;
  float w = kStart;
  for (int i = 0; i < 5; ++i) w -= static_cast<float>(LearningRateAt(schedule, i)) * 2 * (w - kTarget);
  const Result<JobGraph> job = BuildJobGraph(spec_, *MakeCluster({}, 1));
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_TRUE(job->step.signature.feeds.empty());
  const Result<float> trained = Train(5);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_NEAR(*trained, w, 4 * std::numeric_limits<float>::epsilon() * std::abs(w));
}

// Other systems are fed the rate.
TEST_F(JobGraphTest, AScheduledRateIsAPlaceholderOfTheGraphForOthers) {
  spec_.job.train->learning_rate.kind = ScheduleSpec::Kind::kCosine;
  spec_.job.train->learning_rate.steps = 4;
  const Result<TrainingGraph> made = MakeTrainingGraph(spec_, *MakeCluster({}, 1));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  const NodeId rate = made->graph.Find("train/learning_rate");
  ASSERT_GE(rate, 0);
  EXPECT_EQ(made->graph.node(rate).op->name, "Placeholder");
  for (const Node& node : made->graph.nodes()) EXPECT_NE(node.op->name.front(), '_') << node.name;
}

TEST_F(JobGraphTest, Sgd) {
  float w = kStart;
  for (int i = 0; i < 5; ++i) w -= kRate * 2 * (w - kTarget);
  const auto trained = Train(5);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_FLOAT_EQ(*trained, w);
}

TEST_F(JobGraphTest, ReplicasOfOneBatchTakeTheSameStep) {
  spec_.job.train->strategy.Set("replicas", int64_t{3});
  float w = kStart;
  for (int i = 0; i < 5; ++i) w -= kRate * 2 * (w - kTarget);
  const auto trained = Train(5);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_FLOAT_EQ(*trained, w);
}

// Adds a counter that a step of the model adds 1 to.
class CountingTest : public JobGraphTest {
 protected:
  void AddCounter(VariableSpec::Reduce reduce) {
    GraphOps ops(spec_.graph, "");
    const Output count = ops.Add("count", "VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::kInt64}});
    const Output add = ops.Add("add", "AssignAdd", {count, ops.Const("one", Tensor::Scalar<int64_t>(1))});
    const Output loss = ops.Add("counted", "Identity", {spec_.job.train->loss});
    const Output zero = ops.Const("zero", Tensor::Scalar<int64_t>(0));
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    spec_.graph.AddControlEdge(add.node, loss.node);
    spec_.job.variables.push_back({count.node, zero, false, true, reduce});
    spec_.job.train->loss = loss;
    spec_.job.train->strategy.Set("replicas", int64_t{3});
  }
};

TEST_F(CountingTest, ReplicasAssignCopiesWhereTheyAreAndTheVariableIsAssignedOnce) {
  AddCounter(VariableSpec::Reduce::kSum);
  const Result<Cluster> cluster = MakeCluster({}, 3);
  Result<JobGraph> job = BuildJobGraph(spec_, *cluster);
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  Graph& graph = job->graph;
  const Status placed = PlaceGraph(graph, *cluster, KernelRegistry::Builtin());
  ASSERT_TRUE(placed.ok()) << placed.ToString();
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(graph.node(graph.Find(StrCat("replica_", r, "/add"))).device,
              graph.node(graph.Find(StrCat("replica_", r, "/error"))).device);
  }
  EXPECT_NE(graph.node(graph.Find("replica_0/error")).device, graph.node(graph.Find("replica_1/error")).device);
  int writers = 0;
  for (const Node& node : graph.nodes()) {
    const bool writes = node.op->name == "Assign" || node.op->name == "AssignAdd";
    const bool in_step = node.name.starts_with("train/");
    if (writes && in_step && node.inputs[0].node == graph.Find("count")) ++writers;
  }
  EXPECT_EQ(writers, 1);
}

TEST_F(CountingTest, AssignmentsThatWouldRaceAreRefused) {
  AddCounter(VariableSpec::Reduce::kUnsaid);
  const Status status = BuildJobGraph(spec_, *MakeCluster({}, 1)).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'count' (op VariableV2) is assigned by 'add' in each of the 3 replicas"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("write 'reduce: sum or first'"), std::string::npos) << status.message();
  spec_.job.train->strategy.Set("replicas", int64_t{1});
  EXPECT_TRUE(BuildJobGraph(spec_, *MakeCluster({}, 1)).ok());
}

TEST_F(JobGraphTest, EveryUpdateWaitsForTheGateOfItsRank) {
  const Result<Cluster> cluster = MakeCluster({}, 3);
  spec_.job.train->strategy.Set("replicas", int64_t{3});
  spec_.job.train->optimizer = Optimizers().Make("adam");
  const Result<JobGraph> job = BuildJobGraph(spec_, *cluster);
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  std::set<std::string> gates;
  int gated = 0;
  for (const Node& node : job->graph.nodes()) {
    if (node.op->name == kUpdateGateOp) gates.insert(node.device);
    if (!IsGated(node)) continue;
    ++gated;
    EXPECT_TRUE(std::any_of(node.control_inputs.begin(), node.control_inputs.end(), [&](NodeId id) {
      return job->graph.node(id).op->name == kUpdateGateOp;
    })) << node.name;
  }
  EXPECT_EQ(gates.size(), 3u);  // a rank that did not know would go on alone
  EXPECT_EQ(gated, 3);          // ApplyAdam, and the powers of beta1 and beta2
}

// Scales the loss so that it is infinite, and its gradient as well.
TEST_F(JobGraphTest, AStepWhoseLossIsNotFiniteLeavesItsUpdatesOut) {
  GraphOps ops(spec_.graph, "");
  const Output huge = ops.Const("huge", Tensor::Scalar(std::numeric_limits<float>::max()));
  spec_.job.train->loss = ops.Add("scaled", "Mul", {ops.Add("twice", "Mul", {spec_.job.train->loss, huge}), huge});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  for (const auto on_nan : {TrainSpec::OnNan::kStop, TrainSpec::OnNan::kSkip}) {
    spec_.job.train->on_nan = on_nan;
    const auto trained = Train(2);
    ASSERT_TRUE(trained.ok()) << trained.status().ToString();
    EXPECT_EQ(*trained, kStart);
  }
  spec_.job.train->on_nan = TrainSpec::OnNan::kWarn;
  const auto trained = Train(2);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_FALSE(std::isfinite(*trained));
}

TEST_F(JobGraphTest, WhatTheLossDoesIsDoneInAStepThatIsNotLogged) {
  const Result<Cluster> cluster = MakeCluster({}, 1);
  const auto runs = [&](std::string_view name) {
    const Result<JobGraph> job = BuildJobGraph(spec_, *cluster);
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    RunSignature quiet = job->step.signature;
    quiet.fetches.clear();
    const Result<Graph> pruned = PruneForRun(job->graph, quiet);
    return pruned.ok() && pruned->Find(name) >= 0;
  };
  EXPECT_TRUE(runs("loss"));  // the updates wait for its check
  spec_.job.train->on_nan = TrainSpec::OnNan::kUnchecked;
  EXPECT_FALSE(runs("loss"));  // the gradient does without
  GraphOps ops(spec_.graph, "");
  const Output count = ops.Add("count", "VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::kInt64}});
  const Output add = ops.Add("add", "AssignAdd", {count, ops.Const("one", Tensor::Scalar<int64_t>(1))});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  spec_.graph.AddControlEdge(add.node, spec_.job.train->loss.node);
  spec_.job.variables.push_back({count.node, ops.Const("zero", Tensor::Scalar<int64_t>(0)), false});
  EXPECT_TRUE(runs("add"));
}

TEST_F(JobGraphTest, Momentum) {
  spec_.job.train->optimizer = Optimizers().Make("momentum");
  spec_.job.train->optimizer.Set("momentum", 0.9);
  float w = kStart;
  float accumulator = 0;
  for (int i = 0; i < 5; ++i) {
    accumulator = 0.9F * accumulator + 2 * (w - kTarget);
    w -= kRate * accumulator;
  }
  const auto trained = Train(5);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_FLOAT_EQ(*trained, w);
}

TEST_F(JobGraphTest, Adam) {
  spec_.job.train->optimizer = Optimizers().Make("adam");
  double w = kStart;
  double m = 0;
  double v = 0;
  for (int t = 1; t <= 5; ++t) {  // Kingma and Ba 2014, in the form with the corrected rate
    const double g = 2 * (w - kTarget);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= kRate * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t)) * m / (std::sqrt(v) + 1e-8);
  }
  const auto trained = Train(5);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_NEAR(*trained, w, 1e-5);
}

TEST_F(JobGraphTest, ClippedGradientHasTheNormOfTheLimit) {
  spec_.job.train->clip_norm = 0.5;  // the gradient here is -5
  const auto trained = Train(1);
  ASSERT_TRUE(trained.ok()) << trained.status().ToString();
  EXPECT_FLOAT_EQ(*trained, kStart + kRate * 0.5F);
}

TEST_F(JobGraphTest, ALossWithoutVariablesIsRefused) {
  spec_.job.variables[0].trainable = false;
  const auto trained = Train(1);
  EXPECT_EQ(trained.status().code(), Code::kInvalidArgument);
  EXPECT_NE(trained.status().message().find("no trainable variable"), std::string::npos);
}

TEST_F(JobGraphTest, APlaceholderThatNothingFeedsIsRefusedBeforeTheFirstStep) {
  GraphOps ops(spec_.graph, "");
  const Output fed = ops.Add("fed", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", Shape()}});
  spec_.job.train->loss = ops.Add("sum", "Add", {spec_.job.train->loss, fed});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  const Cluster cluster = *MakeCluster({}, 1);
  const Status status = BuildJobGraph(spec_, cluster).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'fed' (op Placeholder) has no value in the step"), std::string::npos)
      << status.message();
}

TEST_F(JobGraphTest, TheLossIsReportedOnceAndUnderItsNameAlone) {
  const Cluster cluster = *MakeCluster({}, 1);
  spec_.job.summaries.scalars = {{"loss", spec_.job.train->loss, {}}};
  const auto job = BuildJobGraph(spec_, cluster);
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_EQ(job->step.names, std::vector<std::string>{"loss"});
  spec_.job.summaries.scalars = {{"loss", {spec_.graph.Find("error"), 0}, {}}};
  EXPECT_EQ(BuildJobGraph(spec_, cluster).status().code(), Code::kInvalidArgument);
}

TEST(AsSpecError, IsOfTheSpecWhereTheCompileFoundIt) {
  EXPECT_EQ(AsSpecError("a.yaml", InvalidArgument("no")), Error(Code::kBadSpec, "a.yaml:1:1: no"));
  EXPECT_EQ(AsSpecError("a.yaml", InvalidArgument("b.yaml:3:4: no")), Error(Code::kBadSpec, "b.yaml:3:4: no"));
  EXPECT_EQ(AsSpecError("a.yaml", Error(Code::kUnavailable, "gone")), Error(Code::kUnavailable, "gone"));
  EXPECT_TRUE(AsSpecError("a.yaml", Status()).ok());
}

TEST_F(JobGraphTest, FingerprintsAreOfTheValuesAfterTheUpdates) {
  spec_.job.train->optimizer = Optimizers().Make("momentum");
  spec_.job.train->optimizer.Set("momentum", 0.9);
  Result<JobGraph> job = BuildJobGraph(spec_, *MakeCluster({}, 1));
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  ASSERT_EQ(job->fingerprints.size(), 1u);
  ASSERT_EQ(job->step.signature.fetches.size(), job->step.names.size() + 1);
  std::vector<std::unique_ptr<Communicator>> communicators = comm::ConnectInProcess(1);
  const auto runtime = Runtime::Create({}, std::move(communicators[0]));
  ASSERT_TRUE(runtime.ok());
  const auto session = Session::Create(**runtime, std::move(job->graph));
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->RunStep(*(*session)->Prepare(job->init), {}, {}).ok());
  for (int step = 0; step < 3; ++step) {
    std::vector<Tensor> fetched(job->step.signature.fetches.size());
    ASSERT_TRUE((*session)->RunStep(*(*session)->Prepare(job->step.signature), {}, fetched).ok());
    const auto values = (*session)->Run({}, job->fingerprints[0].variables);
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    ASSERT_EQ(values->size(), 2u) << "the weight and its slot";
    for (size_t i = 0; i < values->size(); ++i) {
      EXPECT_EQ(fetched.back().values<uint64_t>()[i], FingerprintOf((*values)[i])) << "step " << step;
    }
  }
}

// The nodes of a step that are there for fingerprints.
int CountFingerprints(const JobGraph& job, const RunSignature& step) {
  const Result<Graph> pruned = PruneForRun(job.graph, step);
  EXPECT_TRUE(pruned.ok()) << pruned.status().ToString();
  return static_cast<int>(std::count_if(pruned->nodes().begin(), pruned->nodes().end(),
                                        [](const Node& node) { return node.name.starts_with("fingerprint/"); }));
}

TEST_F(JobGraphTest, AStepThatFetchesNothingComputesNoFingerprints) {
  const Result<JobGraph> job = BuildJobGraph(spec_, *MakeCluster({}, 1));
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_EQ(CountFingerprints(*job, job->step.signature), 2) << "the sum, and what waits for the updates";
  RunSignature quiet = job->step.signature;
  quiet.fetches.clear();
  EXPECT_EQ(CountFingerprints(*job, quiet), 0);
  spec_.job.fingerprint = false;
  const Result<JobGraph> without = BuildJobGraph(spec_, *MakeCluster({}, 1));
  ASSERT_TRUE(without.ok()) << without.status().ToString();
  EXPECT_TRUE(without->fingerprints.empty());
  EXPECT_EQ(CountFingerprints(*without, without->step.signature), 0);
}

TEST_F(JobGraphTest, StepsInFlightTogetherHaveNoFingerprints) {
  spec_.job.train.reset();
  spec_.job.run = RunSpec();
  spec_.job.run->targets = {spec_.graph.Find("loss")};
  for (const int in_flight : {1, 2}) {
    spec_.job.run->steps_in_flight = in_flight;
    const Result<JobGraph> job = BuildJobGraph(spec_, *MakeCluster({}, 1));
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    EXPECT_EQ(job->fingerprints.size(), in_flight == 1 ? 1u : 0u);
  }
}

// A step of `run` runs its targets, though it fetches nothing.
TEST_F(JobGraphTest, RunDoesItsTargets) {
  GraphOps ops(spec_.graph, "");
  const Output w{spec_.graph.Find("w"), 0};
  const Output add = ops.Add("add", "AssignAdd", {w, ops.Const("one", Tensor::Scalar(1.0F))});
  const Output done = ops.Add("done", "NoOp", {});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  spec_.graph.mutable_node(done.node).control_inputs = {add.node};
  spec_.job.train.reset();
  spec_.job.run = RunSpec();
  spec_.job.run->targets = {done.node};
  const Result<float> w_after = Train(3);
  ASSERT_TRUE(w_after.ok()) << w_after.status().ToString();
  EXPECT_EQ(*w_after, kStart + 3);
}

}  // namespace
}  // namespace dfrun
