// The sections of a spec besides the graph.
#include <gtest/gtest.h>

#include "src/hdf5/hdf5.h"
#include "src/hdf5/tensor_hdf5.h"
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

// A directory with data.h5: 10 training samples of [4] and labels, 6 test samples.
class WithData : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = directory_.Path("data.h5");
    Result<h5::Handle> file = h5::CreateFile(path);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    for (const auto& [name, shape, dtype] : {std::tuple{"/train/image", Shape({10, 4}), DType::kFloat},
                                             {"/train/label", Shape({10}), DType::kInt64},
                                             {"/test/image", Shape({6, 4}), DType::kFloat},
                                             {"/test/label", Shape({6}), DType::kInt64},
                                             {"/odd/image", Shape({6, 5}), DType::kFloat},
                                             {"/scalar", Shape(), DType::kFloat}}) {
      Tensor tensor(dtype, shape);
      std::fill_n(static_cast<char*>(tensor.raw()), tensor.num_bytes(), '\0');
      const Result<DatasetInfo> written = WriteTensor(*file, name, tensor);
      ASSERT_TRUE(written.ok()) << written.status().ToString();
    }
    ASSERT_TRUE(h5::CloseFile(*std::move(file), path).ok());
  }

  Result<LoadedSpec> Load(const std::string& text) {
    return LoadSpec(directory_.Write("job.yaml", "dfrun: 1\n" + text), {});
  }
  std::string Error(const std::string& text) {
    const Result<LoadedSpec> spec = Load(text);
    if (spec.ok()) return "no error";
    std::string error = spec.status().message();
    const std::string prefix = directory_.path() + "/";
    for (size_t at = error.find(prefix); at != std::string::npos; at = error.find(prefix))
      error.erase(at, prefix.size());
    return error;
  }

  ScratchDirectory directory_;
};

constexpr char kInputs[] =
    "inputs:\n"
    "  batch: {hdf5: data.h5, tensors: {image: /train/image, label: /train/label}, batch: 4, shuffle: true}\n"
    "  test: {hdf5: data.h5, tensors: {image: /test/image, label: /test/label}, batch: all}\n";
constexpr char kModel[] =
    "graph:\n"
    "  W: {op: Variable, shape: [4, 1], init: zeros}\n"
    "  y: MatMul(batch/image, W)\n"
    "  loss: Mean(Square(y))\n";

TEST_F(WithData, FreezeChoosesVariablesByPatterns) {
  const std::string model = std::string(kInputs) +
                            "graph:\n"
                            "  h1/W: {op: Variable, shape: [4, 2], init: zeros}\n"
                            "  h1/b: {op: Variable, shape: [2], init: zeros}\n"
                            "  top: {op: Variable, shape: [2], init: zeros}\n"
                            "  count: {op: Variable, shape: [], init: 0, dtype: int64}\n"
                            "  loss: Mean(Square(MatMul(batch/image, h1/W) + h1/b - top))\n"
                            "train: {loss: loss, learning_rate: 0.1, steps: 2, freeze: ";
  const auto frozen = [&](const std::string& freeze) {
    const Result<LoadedSpec> spec = Load(model + freeze + "}\n");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    std::string names;
    if (!spec.ok()) return names;
    for (const VariableSpec& v : spec->job.variables) {
      if (v.frozen) names += spec->graph.node(v.node).name + " ";
      EXPECT_EQ(v.is_trained(), v.trainable && !v.frozen);
    }
    return names;
  };
  EXPECT_EQ(frozen("[]"), "");
  EXPECT_EQ(frozen("h1/W"), "h1/W ");
  EXPECT_EQ(frozen("[\"*/W\", top]"), "h1/W top ");
  EXPECT_EQ(frozen("[h1/*, count]"), "h1/W h1/b count ");
  EXPECT_EQ(frozen("\"*[Wb]\""), "h1/W h1/b ");
  EXPECT_EQ(Error(model + "[h1/w, top]}\n"),
            "job.yaml:11:60: 'h1/w' is no variable of the graph; the nearest are 'h1/W', 'h1/b', 'top'");
  EXPECT_EQ(Error(model + "\"h2/*\"}\n"),
            "job.yaml:11:59: 'h2/*' matches no variable of the graph; the nearest are 'h1/W', 'h1/b', 'top'");
  EXPECT_NE(Error(model + "batch/*}\n").find("'batch/*' matches no variable of the graph"), std::string::npos);
  EXPECT_EQ(
      Error(model + "\"h1/W h1/b\"}\n"),
      "job.yaml:11:59: 'freeze' takes names and patterns of them, and no name is 'h1/W h1/b'; several are a list, "
      "[a, b]");
  EXPECT_EQ(Error(model + "{a: b}}\n").substr(0, 15), "job.yaml:11:59:");
}

TEST_F(WithData, InputsBecomeNodes) {
  const Result<LoadedSpec> spec = Load(std::string(kInputs) + "graph: {y: Neg(batch/image)}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const InputSpec& batch = spec->job.inputs[0];
  EXPECT_EQ(batch.name, "batch");
  EXPECT_EQ(batch.num_samples, 10);
  EXPECT_EQ(batch.batch, 4);
  EXPECT_TRUE(batch.shuffle);
  EXPECT_FALSE(batch.all);
  ASSERT_EQ(batch.tensors.size(), 2u);
  EXPECT_EQ(batch.tensors[0].field.shape, PartialShape({4}));
  EXPECT_EQ(batch.tensors[1].field.dtype, DType::kInt64);
  EXPECT_EQ(OutputName(spec->graph, batch.tensors[1].value), "batch/label");
  const Node& read = spec->graph.node(batch.read);
  EXPECT_EQ(read.name, "batch/read");
  EXPECT_EQ(read.op->name, "HDF5Reader");
  EXPECT_EQ(*read.attrs.Get<int64_t>("batch"), 4);
  EXPECT_TRUE(*read.attrs.Get<bool>("shuffle"));
  EXPECT_GT(*read.attrs.Get<int64_t>("seed"), 0);
  EXPECT_EQ(*read.attrs.Get<std::string>("path"), directory_.Path("data.h5"));
  EXPECT_EQ(*read.attrs.Get<std::vector<std::string>>("datasets"),
            (std::vector<std::string>{"/train/image", "/train/label"}));
  EXPECT_EQ(spec->graph.node(batch.position).name, "batch/position");
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("y"), 0}), PartialShape({4, 4}));
  const InputSpec& test = spec->job.inputs[1];
  EXPECT_TRUE(test.all);
  EXPECT_EQ(test.batch, 6);
  EXPECT_EQ(*spec->graph.node(test.read).attrs.Get<int64_t>("batch"), -1);
  EXPECT_EQ(spec->graph.shape(test.tensors[0].value), PartialShape({6, 4}));
  ASSERT_EQ(spec->job.variables.size(), 2u);
  EXPECT_EQ(spec->job.variables[0].node, batch.position);
  EXPECT_FALSE(spec->job.variables[0].trainable);
}

TEST_F(WithData, NothingOfTheGraphMayHangOnTheBatch) {
  EXPECT_EQ(Error(std::string(kInputs) + "graph: {y: \"Fill([dim(batch/image, 0)], 1)\"}\n"),
            "job.yaml:5:19: dimension 0 of 'batch/image' is not known before the step runs: its shape is [?,4]");
}

TEST_F(WithData, InputErrors) {
  const auto error = [&](const std::string& input) { return Error("inputs:\n  batch: " + input + "\n"); };
  EXPECT_EQ(error("{hdf5: none.h5, tensors: {x: /train/image}, batch: 2}").substr(0, 16), "job.yaml:3:17: i");
  const std::string no_dataset = error("{hdf5: data.h5, tensors: {x: /trian/image}, batch: 2}");
  EXPECT_EQ(no_dataset.substr(0, 15), "job.yaml:3:39: ");
  EXPECT_NE(no_dataset.find("/train/image"), std::string::npos) << no_dataset;
  EXPECT_EQ(error("{hdf5: data.h5, tensors: {x: /train/image}}"),
            "job.yaml:3:3: input 'batch' lacks 'batch', a number of samples or 'all'");
  EXPECT_EQ(error("{hdf5: data.h5, tensors: {x: /train/image}, batch: 11}"),
            "job.yaml:3:61: input 'batch' has 10 samples, fewer than a batch of 11");
  EXPECT_EQ(error("{hdf5: data.h5, tensors: {x: /train/image}, batch: 0}"),
            "job.yaml:3:61: 'batch' (a number of samples, or 'all') must be an integer of at least 1, not '0'");
  EXPECT_EQ(error("{hdf5: data.h5, tensors: {x: /train/image, y: /test/label}, batch: 2}"),
            "job.yaml:3:56: input 'batch': '/test/label' has 6 samples, but '/train/image' has 10");
  EXPECT_EQ(error("{hdf5: data.h5, tensors: {x: /scalar}, batch: 2}"),
            "job.yaml:3:39: input 'batch': '/scalar' is a scalar: samples are rows of a first dimension");
  EXPECT_EQ(error("{hdf5: data.h5, tensors: {x: /train/image}, batch: 2, shufle: true}"),
            "job.yaml:3:64: unknown key 'shufle' of input 'batch', did you mean 'shuffle'?");
}

TEST_F(WithData, Train) {
  const Result<LoadedSpec> spec =
      Load(std::string(kInputs) + kModel +
           "train:\n"
           "  loss: loss\n"
           "  optimizer: momentum\n"
           "  momentum: 0.8\n"
           "  nesterov: true\n"
           "  learning_rate: {schedule: cosine, initial: 0.1, final: 0.01, steps: 100, warmup: 5}\n"
           "  epochs: 3\n"
           "  replicas: 2\n"
           "  log_every: 7\n"
           "  clip_norm: 1.5\n"
           "  on_nan: skip\n"
           "eval: {every: 50, feed: {batch: test}, metrics: [loss]}\n"
           "checkpoint: {every: 20, keep: 2}\n"
           "summaries: {scalars: [loss]}\n"
           "trace: {steps: 4}\n"
           "seed: 12\n"
           "name: a job\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const JobSpec& job = spec->job;
  ASSERT_TRUE(job.train);
  EXPECT_EQ(OutputName(spec->graph, job.train->loss), "loss");
  EXPECT_EQ(job.train->optimizer.name(), "momentum");
  EXPECT_EQ(job.train->optimizer.number("momentum"), 0.8);
  EXPECT_TRUE(job.train->optimizer.flag("nesterov"));
  EXPECT_EQ(job.train->learning_rate.kind, ScheduleSpec::Kind::kCosine);
  EXPECT_EQ(job.train->learning_rate.initial, 0.1);
  EXPECT_EQ(job.train->learning_rate.final, 0.01);
  EXPECT_EQ(job.train->learning_rate.steps, 100);
  EXPECT_EQ(job.train->learning_rate.warmup, 5);
  EXPECT_EQ(job.train->steps, 8);  // 3 epochs of 10 samples, 4 a batch
  EXPECT_EQ(job.train->strategy.integer("replicas"), 2);
  EXPECT_EQ(job.train->log_every, 7);
  EXPECT_EQ(job.train->clip_norm, 1.5);
  EXPECT_EQ(job.train->on_nan, TrainSpec::OnNan::kSkip);
  EXPECT_EQ(job.train->input, 0);
  EXPECT_EQ(job.train->parameters, TrainSpec::Parameters::kByCost);
  ASSERT_EQ(job.evals.size(), 1u);
  const EvalSpec& eval = job.evals[0];
  EXPECT_EQ(eval.name, "eval");
  EXPECT_EQ(eval.every, 50);
  ASSERT_EQ(eval.feeds.size(), 2u);
  EXPECT_EQ(OutputName(spec->graph, eval.feeds[0].target), "batch/image");
  EXPECT_EQ(OutputName(spec->graph, eval.feeds[0].value), "test/image");
  ASSERT_EQ(eval.metrics.size(), 1u);
  EXPECT_EQ(eval.metrics[0].name, "loss");
  EXPECT_EQ(job.checkpoint->every, 20);
  EXPECT_EQ(job.checkpoint->keep, 2);
  EXPECT_EQ(job.summaries.scalars.size(), 1u);
  EXPECT_EQ(job.trace_steps, 4);
  EXPECT_EQ(job.seed, 12);
  EXPECT_EQ(job.name, "a job");
}

TEST_F(WithData, TrainErrors) {
  const auto error = [&](const std::string& train) { return Error(std::string(kInputs) + kModel + train + "\n"); };
  EXPECT_EQ(error("train: {loss: loss, learning_rate: 0.1}"),
            "job.yaml:9:1: 'train' needs one of 'epochs' and 'steps'");
  EXPECT_EQ(error("train: {loss: loss, learning_rate: 0.1, steps: 1, epochs: 1}"),
            "job.yaml:9:1: 'train' needs one of 'epochs' and 'steps', not both");
  EXPECT_EQ(error("train: {loss: y, learning_rate: 0.1, steps: 1}"),
            "job.yaml:9:15: the loss must be a floating-point scalar, but 'y' is float32[?,1]");
  EXPECT_EQ(error("train: {loss: lost, learning_rate: 0.1, steps: 1}"),
            "job.yaml:9:15: unknown node 'lost', did you mean 'loss'?");
  EXPECT_EQ(
      error("train: {loss: loss, learning_rate: 0.1, steps: 1, replicas: 3}"),
      "job.yaml:3:86: a batch of 4 cannot be cut into equal slices for 3 replicas: write 3 or 6, or another number of "
      "'replicas'");
  EXPECT_EQ(error("train: {loss: loss, learning_rate: 0.1, steps: 1, momentum: 0.5}"),
            "job.yaml:9:61: 'momentum' is a key of optimizer 'momentum', but this is 'sgd'");
  EXPECT_EQ(error("train: {loss: loss, learning_rate: {schedule: step, initial: 1, steps: 3}, steps: 1}"),
            "job.yaml:9:36: schedule 'step' lacks 'factor'");
  EXPECT_EQ(error("train: {loss: loss, learning_rate: 0.1, steps: 1, parameters: ps}"),
            "job.yaml:9:63: the cluster has no job 'ps': write cluster: {jobs: {ps: 1, worker: rest}}");
  EXPECT_EQ(error("train: {loss: loss, learning_rate: 0.1, stpes: 1}"),
            "job.yaml:9:41: unknown key 'stpes' of the section 'train', did you mean 'steps'?");
}

TEST_F(WithData, EvalErrors) {
  const auto error = [&](const std::string& eval) {
    return Error(
        "inputs:\n"
        "  batch: {hdf5: data.h5, tensors: {image: /train/image}, batch: 4}\n"
        "  odd: {hdf5: data.h5, tensors: {image: /odd/image}, batch: all}\n"
        "  bare: {hdf5: data.h5, tensors: {label: /test/label}, batch: all}\n" +
        std::string(kModel) + "train: {loss: loss, learning_rate: 0.1, steps: 1}\n" + eval + "\n");
  };
  EXPECT_EQ(error("eval: {feed: {batch: odd}, metrics: [loss]}"),
            "job.yaml:11:22: 'odd/image' has samples float32[5], but those of 'batch/image' are float32[4]");
  EXPECT_EQ(error("eval: {feed: {batch: bare}, metrics: [loss]}"),
            "job.yaml:11:22: input 'bare' lacks the tensor 'image' of input 'batch'");
  EXPECT_EQ(error("eval: {feed: {batch: od}, metrics: [loss]}"),
            "job.yaml:11:22: an input is fed from another input, and 'od' is none, did you mean 'odd'?");
  EXPECT_EQ(error("eval: {metrics: [y]}"), "job.yaml:11:18: 'metrics' lists scalars, but 'y' has shape [?,1]");
}

TEST_F(WithData, EvaluationsWithNames) {
  const std::string spec = std::string(kInputs) + kModel + "train: {loss: loss, learning_rate: 0.1, steps: 8}\n";
  const auto error = [&](const std::string& eval) { return Error(spec + "eval: " + eval + "\n"); };
  const Result<LoadedSpec> loaded = Load(spec +
                                         "eval:\n"
                                         "  train: {every: 5, metrics: [loss]}\n"
                                         "  test-2: {feed: {batch: test}, metrics: {error: loss, ratio: {sum: loss, "
                                         "over: loss}}, steps_in_flight: 3}\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const std::vector<EvalSpec>& evals = loaded->job.evals;
  ASSERT_EQ(evals.size(), 2u);
  EXPECT_EQ(evals[0].name, "train");
  EXPECT_EQ(evals[0].every, 5);
  EXPECT_EQ(evals[0].feeds.size(), 0u);
  EXPECT_EQ(evals[1].name, "test-2");
  EXPECT_EQ(evals[1].feeds.size(), 2u);
  EXPECT_EQ(evals[1].steps_in_flight, 3);
  ASSERT_EQ(evals[1].metrics.size(), 2u);
  EXPECT_EQ(evals[1].metrics[0].name, "error");
  EXPECT_FALSE(evals[1].metrics[0].over.valid());
  EXPECT_EQ(evals[1].metrics[1].name, "ratio");
  EXPECT_EQ(OutputName(loaded->graph, evals[1].metrics[1].over), "loss");
  EXPECT_EQ(error("{evry: 5, tset: {metrics: [loss]}}"),
            "job.yaml:10:8: 'evry' is no key of 'eval', which has every, feed, metrics, steps_in_flight, did you mean "
            "'every'?; and the evaluation of that name would be a mapping");
  EXPECT_EQ(error("{test: {metric: [loss]}}"),
            "job.yaml:10:15: unknown key 'metric' of the evaluation 'test', did you mean 'metrics'?");
  EXPECT_EQ(error("{test: {every: 5}}"),
            "job.yaml:10:8: the evaluation 'test' lacks 'metrics', a list of scalars of the graph");
  EXPECT_EQ(error("{every: 5, test: {metrics: [loss]}}"),
            "job.yaml:10:18: unknown key 'test' of the section 'eval'; it takes every, feed, metrics, steps_in_flight");
  EXPECT_EQ(
      error("{a/b: {metrics: [loss]}}"),
      "job.yaml:10:8: an evaluation's name begins with a letter and has letters, digits, '_', '-' and '.', unlike "
      "'a/b'");
  EXPECT_EQ(error("{wire: {metrics: [loss]}}"),
            "job.yaml:10:8: metrics.jsonl has other values whose names begin with 'wire/': give the evaluation another "
            "name");
  EXPECT_EQ(error("{test: {metrics: [loss, {loss: {sum: loss, over: loss}}]}}"),
            "job.yaml:10:38: 'metrics' has the name 'loss' twice");
  EXPECT_EQ(error("{test: {metrics: {a: {sum: loss}}}}"),
            "job.yaml:10:28: a quotient of 'metrics' lacks 'over': write {sum: NAME, over: NAME}");
  EXPECT_EQ(error("{test: {metrics: {a: {sum: loss, over: y}}}}"),
            "job.yaml:10:46: 'over' is a scalar, but 'y' has shape [?,1]");
}

TEST_F(WithData, GoalsOfTrainingAndCheckpoints) {
  const std::string spec = std::string(kInputs) + kModel;
  const auto train = [](const std::string& stop) {
    return "train: {loss: loss, learning_rate: 0.1, epochs: 9, stop: " + stop + "}\n";
  };
  const Result<LoadedSpec> loaded =
      Load(spec + train("{metric: eval/loss, mode: min, patience: 5, min_delta: 0.5, after_epochs: 2}") +
           "eval: {metrics: [loss]}\ncheckpoint: {best: {metric: eval/loss, mode: max, keep: 2}}\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const StopSpec& stop = *loaded->job.train->stop;
  EXPECT_EQ(stop.goal.metric, "eval/loss");
  EXPECT_FALSE(stop.goal.is_max);
  EXPECT_EQ(stop.patience, 5);
  EXPECT_EQ(stop.min_delta, 0.5);
  EXPECT_EQ(stop.after_steps, 5);  // 2 epochs of 10 samples, 4 a batch
  const BestSpec& best = *loaded->job.checkpoint->best;
  EXPECT_TRUE(best.goal.is_max);
  EXPECT_EQ(best.keep, 2);
  EXPECT_EQ(
      Error(spec + train("{metric: eval/loss, patience: 5}")),
      "job.yaml:9:58: it takes a 'metric' of an evaluation, like eval/loss, and whether that is better where it is "
      "greater, 'mode: max', or less, 'mode: min'");
  EXPECT_EQ(Error(spec + train("{metric: eval/loss, mode: low, patience: 5}")),
            "job.yaml:9:84: 'mode' must be one of max, min, not 'low'");
  EXPECT_EQ(Error(spec + train("{metric: eval/loss, mode: min}")),
            "job.yaml:9:58: 'stop' lacks 'patience', how many evaluations may pass without a better one");
  EXPECT_EQ(Error(spec + train("{metric: eval/loss, mode: min, patience: 2, after_steps: 1, after_epochs: 1}")),
            "job.yaml:9:58: 'stop' takes one of 'after_steps' and 'after_epochs', not both");
}

TEST_F(WithData, LossThatIsAQuotient) {
  const std::string spec = std::string(kInputs) + kModel + "  total: Sum(y)\n  count: Size(y)\n";
  const auto train = [](const std::string& loss) {
    return "train: {loss: " + loss + ", learning_rate: 0.1, steps: 1}\n";
  };
  const Result<LoadedSpec> loaded = Load(spec + train("{sum: total, over: count}"));
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(OutputName(loaded->graph, loaded->job.train->loss), "total");
  EXPECT_EQ(OutputName(loaded->graph, loaded->job.train->loss_over), "count");
  EXPECT_EQ(Error(spec + train("{sum: count, over: total}")),
            "job.yaml:11:21: the loss must be a floating-point scalar, but 'count' is int32[]");
}

TEST(Sections, RunFeedsAndFetches) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  x: {op: Placeholder, dtype: float64, shape: [2, 3]}\n"
      "  z: {op: Placeholder, dtype: float32, shape: [-1]}\n"
      "  y: Neg(x)\n"
      "  a: [1.0, 2.0]\n"
      "run: {steps: 5, feed: {x: 0.5, z: a}, fetch: [y, \"z:0\"]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const RunSpec& run = *spec->job.run;
  EXPECT_EQ(run.steps, 5);
  ASSERT_EQ(run.feeds.size(), 2u);
  EXPECT_EQ(OutputName(spec->graph, run.feeds[0].target), "x");
  EXPECT_EQ(OutputName(spec->graph, run.feeds[0].value), "feed/x");
  EXPECT_EQ(spec->graph.dtype(run.feeds[0].value), DType::kDouble);
  EXPECT_EQ(spec->graph.shape(run.feeds[0].value), PartialShape({2, 3}));
  EXPECT_EQ(OutputName(spec->graph, run.feeds[1].value), "a");
  ASSERT_EQ(run.fetches.size(), 2u);
  EXPECT_EQ(run.fetches[1].name, "z:0");
}

TEST(Sections, RunHasTargets) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  v: {op: Variable, shape: [], init: zeros}\n"
      "  add: AssignAdd(v, 1.0)\n"
      "  done: {op: NoOp, control: [add]}\n"
      "run: {targets: [done, ^add]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.run->targets, (std::vector<NodeId>{spec->graph.Find("done"), spec->graph.Find("add")}));
  EXPECT_TRUE(spec->job.run->fetches.empty());
  EXPECT_EQ(ErrorOf("graph: {x: 1}\nrun: {targets: [\"x:0\"]}\n"),
            "job.yaml:3:18: expected the name of a node, not 'x:0'");
  EXPECT_EQ(ErrorOf("graph: {x: 1}\nrun: {targets: x}\n"), "job.yaml:3:16: 'targets' must be a list of names, not 'x'");
  EXPECT_EQ(ErrorOf("graph: {x: 1}\nrun: {fetch: [], steps: 5}\n").substr(0, 36),
            "job.yaml:3:1: 'run' computes nothing");
}

TEST(Sections, RunErrors) {
  const std::string graph = "graph: {x: {op: Placeholder, dtype: float32, shape: [2]}}\n";
  EXPECT_EQ(ErrorOf(graph + "run: {feed: {x: [1, 2]}, fetch: [x]}\n"),
            "job.yaml:3:17: a feed is an expression, not a list");
  EXPECT_EQ(ErrorOf(graph + "run: {feed: {x: \"[1.0, 2.0, 3.0]\"}, fetch: [x]}\n"),
            "job.yaml:3:17: 'x' is float32[2], but is fed float32[3]");
  EXPECT_EQ(ErrorOf(graph + "run: {fetch: [xx]}\n"), "job.yaml:3:15: unknown node 'xx', did you mean 'x'?");
  EXPECT_EQ(ErrorOf(graph + "run: {fetch: [\"x:1\"]}\n"), "job.yaml:3:16: 'x' has 1 output, there is none numbered 1");
  EXPECT_EQ(ErrorOf(graph + "run: {steps: 0}\n"), "job.yaml:3:14: 'steps' must be an integer of at least 1, not '0'");
}

TEST(Sections, Cluster) {
  const Result<LoadedSpec> spec = LoadText("cluster: {jobs: {ps: 2, worker: rest}}\ngraph: {x: 1}\n", {}, 5);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ASSERT_EQ(spec->job.jobs.size(), 2u);
  EXPECT_EQ(spec->job.jobs[0].job, "ps");
  EXPECT_EQ(spec->job.jobs[0].tasks, 2);
  EXPECT_EQ(spec->job.jobs[1].tasks, JobSize::kRest);
  const auto device = [](const std::string& name, int ranks) {
    return ErrorOf("cluster: {jobs: {ps: 2, worker: rest}}\ngraph: {x: {op: Const, value: 1, device: " + name + "}}\n",
                   {}, ranks);
  };
  EXPECT_EQ(device("/job:ps/task:1", 0), "no error");
  EXPECT_EQ(device("/job:worker/task:2", 5), "no error");
  EXPECT_EQ(device("/job:worker/task:9", 0), "no error");
  EXPECT_EQ(device("/job:worker/task:3", 5),
            "job.yaml:3:42: device '/job:worker/task:3': job 'worker' has 3 tasks, counted from 0");
  EXPECT_EQ(device("/job:ps/task:2", 0),
            "job.yaml:3:42: device '/job:ps/task:2': job 'ps' has 2 tasks, counted from 0");
  EXPECT_EQ(device("/job:master", 0),
            "job.yaml:3:42: device '/job:master': the cluster has no job 'master', only ps, worker");
  EXPECT_EQ(ErrorOf("cluster: {jobs: {ps: 2, worker: 2}}\n", {}, 5),
            "job.yaml:2:17: the jobs have 4 tasks, but there are 5 ranks");
  EXPECT_EQ(ErrorOf("cluster: {jobs: {a: rest, b: rest}}\n"),
            "job.yaml:2:30: only one job can have the rest of the ranks");
}

TEST(Sections, ClusterCountsDevices) {
  const Result<LoadedSpec> spec = LoadText("cluster: {gpus: 4}\ngraph: {x: 1}\n", {}, 5);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.device_counts, (DeviceCounts{{"gpu", 4}}));
  ASSERT_EQ(spec->job.jobs.size(), 1u);
  EXPECT_EQ(spec->job.jobs[0].job, "worker");
  EXPECT_EQ(spec->job.jobs[0].tasks, JobSize::kRest);
  const auto device = [](const std::string& cluster, const std::string& name) {
    return ErrorOf("cluster: {" + cluster + "}\ngraph: {x: {op: Const, value: 1, device: " + name + "}}\n");
  };
  EXPECT_EQ(device("gpus: 4", "/device:gpu:3"), "no error");
  EXPECT_EQ(device("gpus: 4", "/device:gpu:4"),
            "job.yaml:3:42: device '/device:gpu:4': by 'gpus' of the cluster a rank has 4, counted from 0");
  EXPECT_EQ(device("gpus: 0, jobs: {worker: rest}", "/job:worker/device:gpu"),
            "job.yaml:3:42: device '/job:worker/device:gpu': by 'gpus' of the cluster a rank has 0, counted from 0");
  EXPECT_EQ(device("jobs: {worker: rest}", "/device:gpu:9"), "no error");
  EXPECT_EQ(device("gpus: -1", "/device:cpu:0"), "job.yaml:2:17: 'gpus' must be an integer of at least 0, not '-1'");
  EXPECT_EQ(device("gpus: 2000", "/device:cpu:0"), "job.yaml:2:17: more than 1024 gpus");
  EXPECT_EQ(device("cpus: 2", "/device:cpu:0"),
            "job.yaml:2:11: unknown key 'cpus' of the section 'cluster', did you mean 'gpus'?");
}

TEST(Sections, ClusterLimitsMemory) {
  const auto limits = [](const std::string& limit) {
    const Result<LoadedSpec> spec = LoadText("cluster: {gpu_memory: " + limit + "}\ngraph: {x: 1}\n");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    return spec.ok() ? spec->job.memory_limits : MemoryLimits();
  };
  EXPECT_EQ(limits("0.5").at("gpu").BytesOf(1000), 500);
  EXPECT_EQ(limits("1").at("gpu").BytesOf(1000), 1000);
  EXPECT_EQ(limits("\"3 * 1024\"").at("gpu").BytesOf(1000), 3072);
  EXPECT_EQ(limits("2GiB").at("gpu").BytesOf(1000), int64_t{2} << 30);
  EXPECT_EQ(limits("1KiB").at("gpu").BytesOf(1000), 1024);
  EXPECT_EQ(limits("\"2 * 1.5GiB\"").at("gpu").BytesOf(1000), int64_t{3} << 30);
  EXPECT_EQ(
      ErrorOf("cluster: {gpu_memory: 2G}\ngraph: {x: 1}\n"),
      "job.yaml:2:23: 'gpu_memory' must be a number of bytes, or one with KiB, MiB or GiB, not '2G': G may stand for "
      "a power of 1,000 or of 1,024; write 2GiB, or 2000000000");
  EXPECT_EQ(ErrorOf("cluster: {gpu_memory: 0}\ngraph: {x: 1}\n"), "job.yaml:2:23: 'gpu_memory' must be above 0");
  EXPECT_EQ(ErrorOf("cluster: {gpu_memory: 1e30}\ngraph: {x: 1}\n"),
            "job.yaml:2:23: 'gpu_memory' is more than any memory: give bytes, or a share");
}

TEST(Sections, ClusterLimitsMemoryOfTheHost) {
  const Result<LoadedSpec> spec = LoadText("cluster: {memory: 8GiB, gpu_memory: 0.5}\ngraph: {x: 1}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.memory_limits.at("cpu"), (MemoryLimit{.bytes = int64_t{8} << 30, .share = 0}));
  EXPECT_EQ(spec->job.memory_limits.at("gpu"), (MemoryLimit{.bytes = 0, .share = 0.5}));
  EXPECT_EQ(ErrorOf("cluster: {memory: 0}\ngraph: {x: 1}\n"), "job.yaml:2:19: 'memory' must be above 0");
  EXPECT_EQ(ErrorOf("cluster: {cpu_memory: 1GiB}\ngraph: {x: 1}\n"),
            "job.yaml:2:11: unknown key 'cpu_memory' of the section 'cluster', did you mean 'gpu_memory'?");
}

TEST(Sections, ClusterMakesDevicesWishes) {
  const Result<LoadedSpec> hard = LoadText("graph: {x: 1}\n");
  const Result<LoadedSpec> soft = LoadText("cluster: {soft_placement: true}\ngraph: {x: 1}\n");
  ASSERT_TRUE(hard.ok() && soft.ok());
  EXPECT_FALSE(hard->job.soft_placement);
  EXPECT_TRUE(soft->job.soft_placement);
}

TEST(Sections, PrecisionAndDeterminism) {
  const std::string train =
      "graph:\n  W: {op: Variable, shape: [], init: zeros}\n  loss: Square(W)\n"
      "train: {loss: loss, learning_rate: 1, steps: 1";
  const auto of = [&](const std::string& head, const std::string& more) {
    const Result<LoadedSpec> spec = LoadText(head + train + more + "}\n");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    return spec.ok() ? spec->job.arithmetic : Arithmetic();
  };
  EXPECT_EQ(of("", ""), (Arithmetic{.tf32 = false, .deterministic = true}));
  EXPECT_EQ(of("precision: float32\n", ", deterministic: true"), Arithmetic());
  EXPECT_EQ(of("params: {p: tf32}\nprecision: \"${p}\"\n", ""), (Arithmetic{.tf32 = true, .deterministic = true}));
  EXPECT_EQ(of("", ", deterministic: false"), (Arithmetic{.tf32 = false, .deterministic = false}));
  EXPECT_EQ(ErrorOf("precision: tf33\ngraph: {x: 1}\n").substr(0, 15), "job.yaml:2:12: ");
}

TEST(Sections, TheJobHasItsFilesName) {
  const Result<LoadedSpec> spec = LoadText("graph: {x: 1}\n");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->job.name, "job");
  EXPECT_EQ(spec->job.seed, 0);
  EXPECT_EQ(spec->job.jobs[0].job, "worker");
  EXPECT_EQ(LoadSpec("/no/such/spec.yaml", {}).status().code(), Code::kIo);
}

}  // namespace
}  // namespace dfrun
