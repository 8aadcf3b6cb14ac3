// Summaries of a training step, against counts and values worked out by hand.
#include "src/training/summaries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "comm/in_process/in_process.h"
#include "src/passes/prune.h"
#include "src/session/session.h"
#include "src/storage/summary.pb.h"
#include "src/training/build_job_graph.h"
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

// Two replicas have x = 1, 2 and 3, 4. The loss is the mean of s x, so that the gradient of s is 2.5, and s is 0.25
// after the step.
constexpr char kSpec[] =
    "dfrun: 1\n"
    "inputs: {in: {csv: x.csv, header: true, tensors: {x: {}}, batch: 4}}\n"
    "graph:\n"
    "  s: {op: Variable, shape: [], init: 0.5}\n"
    "  kept: {op: Variable, shape: [2], init: ones, trainable: false}\n"
    "  p: in/x * s\n"
    "  narrow: Cast(p, DstT=float16)\n"
    "  loss: Mean(p)\n"
    "  chance: in/x * 0.25\n"
    "  truth: Greater(in/x, 2.5)\n"
    "  picture: {op: Reshape, inputs: [in/x, [-1, 1, 1, 1]]}\n"
    "  sound: {op: Reshape, inputs: [chance, [-1, 1]]}\n"
    "  words: AsString(in/x, precision=0)\n"
    "  ratio: Log(p - p)\n"
    "train: {loss: loss, learning_rate: 0.1, steps: 3, replicas: 2}\n"
    "summaries:\n"
    "  histograms: {weights: [\"*\"], gradients: [s], values: [p, narrow, ratio]}\n"
    "  images: [picture]\n"
    "  audio: [sound]\n"
    "  text: [words]\n"
    "  pr_curves: {big: {labels: truth, predictions: chance}}\n"
    "  gradient_norm: true\n"
    "  sample_rate: 8000\n";

struct Shown {
  std::string plugin;
  proto::Summary::Tensor tensor;

  template <class T>
  std::vector<T> elements() const {
    std::vector<T> out(tensor.tensor_content().size() / sizeof(T));
    std::memcpy(out.data(), tensor.tensor_content().data(), tensor.tensor_content().size());
    return out;
  }
};

class SummariesTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) {
    directory_.Write("x.csv", "x\n1\n2\n3\n4\n");
    Result<LoadedSpec> spec = LoadSpec(directory_.Write("job.yaml", text), {});
    ASSERT_TRUE(spec.ok()) << spec.status().ToString();
    Result<JobGraph> job = BuildJobGraph(*spec, *MakeCluster({}, 1));
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    job_ = *std::move(job);
  }

  // Runs a step with summaries: its named values, and what is shown by tag.
  void Step() {
    std::vector<std::unique_ptr<Communicator>> communicators = comm::ConnectInProcess(1);
    runtime_ = *Runtime::Create({}, std::move(communicators[0]));
    const std::unique_ptr<Session> session = *Session::Create(*runtime_, std::move(job_.graph));
    ASSERT_TRUE(session->RunStep(*session->Prepare(job_.init), {}, {}).ok());
    const Result<Session::Handle> step = session->Prepare(job_.summarized.signature);
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    std::vector<Tensor> fetched(job_.summarized.signature.fetches.size());
    const Status ran = session->RunStep(*step, {}, fetched);
    ASSERT_TRUE(ran.ok()) << ran.ToString();
    const size_t named = job_.summarized.names.size();
    for (size_t i = 0; i < named; ++i) scalars_[job_.summarized.names[i]] = fetched[i].scalar<float>();
    for (size_t i = job_.step.signature.fetches.size(); i < fetched.size(); ++i) Take(fetched[i].scalar<std::string>());
  }

  void Take(const std::string& message) {
    proto::Summary summary;
    ASSERT_TRUE(summary.ParseFromString(message));
    for (const proto::Summary::Value& value : summary.value()) {
      proto::Summary::Metadata metadata;
      ASSERT_TRUE(metadata.ParseFromString(value.metadata()));
      Shown shown{metadata.plugin_data().plugin_name(), {}};
      ASSERT_TRUE(shown.tensor.ParseFromString(value.tensor()));
      EXPECT_TRUE(shown_.emplace(value.tag(), std::move(shown)).second) << value.tag();
    }
  }

  ScratchDirectory directory_;
  JobGraph job_;
  std::unique_ptr<Runtime> runtime_;
  std::map<std::string, float> scalars_;
  std::map<std::string, Shown> shown_;
};

double CountOf(const std::vector<double>& rows) {
  double count = 0;
  for (size_t i = 2; i < rows.size(); i += 3) count += rows[i];
  return count;
}

TEST_F(SummariesTest, HistogramsAreOfWeightsAfterTheUpdateAndOfAllReplicas) {
  ASSERT_NO_FATAL_FAILURE(Load(kSpec));
  ASSERT_NO_FATAL_FAILURE(Step());
  using Rows = std::vector<double>;
  EXPECT_EQ(shown_.at("weights/s").plugin, "histograms");
  EXPECT_EQ(shown_.at("weights/s").elements<double>(), (Rows{-0.25, 0.75, 1}));
  EXPECT_EQ(shown_.at("weights/kept").elements<double>(), (Rows{0.5, 1.5, 2}));
  EXPECT_EQ(shown_.at("gradients/s").elements<double>(), (Rows{2, 3, 1}));
  for (const char* tag : {"values/p", "values/narrow"}) {
    const Rows rows = shown_.at(tag).elements<double>();
    EXPECT_EQ(CountOf(rows), 4) << tag;
    EXPECT_EQ(rows[0], 0.5) << tag;
    EXPECT_EQ(rows[rows.size() - 2], 2) << tag;
    for (size_t i = 3; i < rows.size(); i += 3) EXPECT_EQ(rows[i], rows[i - 2]) << tag;
  }
  const Shown& empty = shown_.at("values/ratio");  // the logarithm of 0
  ASSERT_EQ(empty.tensor.tensor_shape().dim_size(), 2);
  EXPECT_EQ(empty.tensor.tensor_shape().dim(0).size(), 0);
  EXPECT_EQ(empty.tensor.tensor_shape().dim(1).size(), 3);
}

TEST_F(SummariesTest, ImagesAudioAndTextAreOfTheFirstReplica) {
  ASSERT_NO_FATAL_FAILURE(Load(kSpec));
  ASSERT_NO_FATAL_FAILURE(Step());
  const auto& images = shown_.at("images/picture");
  EXPECT_EQ(images.plugin, "images");
  ASSERT_EQ(images.tensor.string_val_size(), 4);
  EXPECT_EQ(images.tensor.string_val(0), "1");
  EXPECT_EQ(images.tensor.string_val(2).substr(1, 3), "PNG");
  const auto& clips = shown_.at("audio/sound");
  EXPECT_EQ(clips.plugin, "audio");
  ASSERT_EQ(clips.tensor.string_val_size(), 4);
  EXPECT_EQ(clips.tensor.string_val(2).substr(0, 4), "RIFF");
  EXPECT_EQ(clips.tensor.string_val(2).substr(44), std::string("\x00\x40", 2));  // a half of 32768
  const auto& words = shown_.at("text/words");
  EXPECT_EQ(words.plugin, "text");
  ASSERT_EQ(words.tensor.string_val_size(), 2);
  EXPECT_EQ(words.tensor.string_val(1), "2");
}

// Predictions 0.25, 0.5, 0.75 and 1, of which the last two are right.
TEST_F(SummariesTest, CurvesCountTheRowsOfAllReplicas) {
  ASSERT_NO_FATAL_FAILURE(Load(kSpec));
  ASSERT_NO_FATAL_FAILURE(Step());
  EXPECT_EQ(shown_.at("pr_curves/big").plugin, "pr_curves");
  const std::vector<float> curve = shown_.at("pr_curves/big").elements<float>();
  ASSERT_EQ(curve.size(), 6u * 201);
  const auto column = [&](size_t threshold) {
    std::vector<float> values;
    for (size_t row = 0; row < 6; ++row) values.push_back(curve[row * 201 + threshold]);
    return values;
  };
  EXPECT_EQ(column(0), (std::vector<float>{2, 2, 0, 0, 0.5F, 1}));
  EXPECT_EQ(column(100), (std::vector<float>{2, 1, 1, 0, 2.0F / 3, 1}));
  EXPECT_EQ(column(101), (std::vector<float>{2, 0, 2, 0, 1, 1}));
  EXPECT_EQ(column(200), (std::vector<float>{1, 0, 2, 1, 1, 0.5F}));
}

TEST_F(SummariesTest, TheNormOfTheGradientsIsAScalar) {
  ASSERT_NO_FATAL_FAILURE(Load(kSpec));
  EXPECT_EQ(job_.step.names, (std::vector<std::string>{"loss", "grad_norm"}));
  ASSERT_NO_FATAL_FAILURE(Step());
  EXPECT_FLOAT_EQ(scalars_.at("grad_norm"), 2.5F);
  EXPECT_FLOAT_EQ(scalars_.at("loss"), 1.25F);
}

TEST_F(SummariesTest, ClippingReportsItsNorm) {
  std::string text(kSpec, std::strstr(kSpec, "summaries:"));
  ASSERT_NO_FATAL_FAILURE(Load(text.replace(text.find("replicas: 2"), 11, "replicas: 2, clip_norm: 0.5")));
  EXPECT_EQ(job_.step.names, (std::vector<std::string>{"loss", "grad_norm"}));
  EXPECT_TRUE(job_.summarized.signature.fetches.empty());
}

// A row that the batch has twice counts with the sum of its gradients: 1/2 + 1/2 for row 0 and 1/2 for each of others.
TEST_F(SummariesTest, TheNormSumsEqualRows) {
  ASSERT_NO_FATAL_FAILURE(
      Load("dfrun: 1\n"
           "graph:\n"
           "  table: {op: Variable, shape: [3, 1], init: zeros}\n"
           "  loss: Sum(GatherV2(table, [0, 0, 2], 0)) * 0.5\n"
           "train: {loss: loss, learning_rate: 0.1, steps: 3}\n"
           "summaries: {gradient_norm: true, histograms: {gradients: [table]}}\n"));
  ASSERT_NO_FATAL_FAILURE(Step());
  EXPECT_FLOAT_EQ(scalars_.at("grad_norm"), std::sqrt(1.25F));
  EXPECT_EQ(CountOf(shown_.at("gradients/table").elements<double>()), 3);
}

// The nodes that a step runs are the same: none waits for a summary, and none is added.
TEST_F(SummariesTest, OtherStepsAreAsWithoutSummaries) {
  const auto nodes_of_step = [&] {
    RunSignature quiet = job_.step.signature;
    quiet.fetches.clear();
    const Graph pruned = *PruneForRun(job_.graph, quiet);
    std::set<std::string> names;
    for (const Node& node : pruned.nodes()) names.insert(node.name);
    return names;
  };
  const std::string text = kSpec;
  ASSERT_NO_FATAL_FAILURE(Load(text));
  const std::set<std::string> with = nodes_of_step();
  ASSERT_NO_FATAL_FAILURE(Load(text.substr(0, text.find("summaries:"))));
  EXPECT_EQ(with, nodes_of_step());
}

}  // namespace
}  // namespace dfrun
