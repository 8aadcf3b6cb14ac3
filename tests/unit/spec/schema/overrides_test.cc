// Keys that the command line sets by their paths.
#include <gtest/gtest.h>

#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

constexpr char kTraining[] =
    "params: {rate: 0.1, batch: 4}\n"
    "functions:\n"
    "  scaled: {args: [x], attrs: {by: 2}, returns: \"x * ${by}\"}\n"
    "graph:\n"
    "  W: {op: Variable, shape: [4, 1], init: zeros}\n"
    "  h: scaled(W)\n"
    "  loss: Mean(Square(h - 1))\n"
    "  other: Sum(W)\n"
    "train: {loss: loss, learning_rate: \"${rate}\", steps: 10}\n"
    "eval: {every: 5, metrics: [loss, other]}\n";

Result<LoadedSpec> Load(std::vector<std::string> sets, const std::string& text = kTraining) {
  return LoadText(text, std::move(sets));
}

std::string Error(std::vector<std::string> sets, const std::string& text = kTraining) {
  return ErrorOf(text, std::move(sets));
}

TEST(Overrides, SetKeysByTheirPaths) {
  const Result<LoadedSpec> spec = Load({"train.steps=7", "eval.every=2", "train.log_every=3", "seed=9"});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.train->steps, 7);
  EXPECT_EQ(spec->job.evals[0].every, 2);
  EXPECT_EQ(spec->job.train->log_every, 3);  // a key that the spec has not
  EXPECT_EQ(spec->job.seed, 9);              // a section that it has not
}

TEST(Overrides, MakeSections) {
  const Result<LoadedSpec> spec = Load({"checkpoint.every=3", "checkpoint.keep=2", "cluster.jobs.ps=1"},
                                       std::string(kTraining) + "cluster: {jobs: {worker: rest}}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.checkpoint->every, 3);
  EXPECT_EQ(spec->job.checkpoint->keep, 2);
  EXPECT_EQ(spec->job.jobs.size(), 2U);
}

TEST(Overrides, ValuesAreYaml) {
  const Result<LoadedSpec> spec = Load({"train.learning_rate={schedule: cosine, initial: 0.5, steps: 10}",
                                        "eval.metrics=[other]", "graph.loss=Sum(Square(h))", "name='a b'"});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.train->learning_rate.kind, ScheduleSpec::Kind::kCosine);
  EXPECT_EQ(spec->job.train->learning_rate.initial, 0.5);
  ASSERT_EQ(spec->job.evals[0].metrics.size(), 1U);
  EXPECT_EQ(spec->job.evals[0].metrics[0].name, "other");
  EXPECT_EQ(spec->graph.node(spec->graph.Find("loss")).op->name, "Sum");
  EXPECT_EQ(spec->job.name, "a b");
}

TEST(Overrides, ListsByIndex) {
  EXPECT_EQ(Error({"eval.metrics.2=loss"}),
            "--set eval.metrics.2=loss: 'eval.metrics' is a list of 2 items, counted from 0, which has no item '2'");
  EXPECT_EQ(Error({"eval.metrics.x=loss"}),
            "--set eval.metrics.x=loss: 'eval.metrics' is a list of 2 items, counted from 0, which has no item 'x'");
  const Result<LoadedSpec> second = Load({"eval.metrics.0=other", "eval.metrics.1=loss", "graph.W.shape.0=6"});
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(second->job.evals[0].metrics[1].name, "loss");
  EXPECT_EQ(second->graph.shape({second->graph.Find("W"), 0}), PartialShape({6, 1}));
}

TEST(Overrides, EvaluationsWithNames) {
  constexpr char kNamed[] =
      "graph: {W: {op: Variable, shape: [2], init: ones}, loss: Sum(W)}\n"
      "train: {loss: loss, learning_rate: 0.1, steps: 3}\n"
      "eval: {near: {metrics: [loss]}, far: {metrics: [loss]}}\n";
  const Result<LoadedSpec> spec =
      Load({"eval.far.every=2", "train.stop={metric: far/loss, mode: min, patience: 2}"}, kNamed);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.evals[0].every, 0);
  EXPECT_EQ(spec->job.evals[1].every, 2);
  EXPECT_EQ(spec->job.train->stop->patience, 2);
}

TEST(Overrides, AParamOfTheNameWins) {
  constexpr char kNamed[] = "params: {train.steps: 3}\ngraph: {x: 1}\nrun: {steps: \"${train.steps}\", fetch: [x]}\n";
  const Result<LoadedSpec> spec = Load({"train.steps=5"}, kNamed);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.run->steps, 5);
  EXPECT_EQ(Load({"params.rate=0.5"})->job.train->learning_rate.initial, 0.5);
}

TEST(Overrides, FunctionsAndNodes) {
  const Result<LoadedSpec> spec = Load({"functions.scaled.attrs.by=3", "graph.W.trainable=true", "graph.W.init=ones"});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_NE(DumpText(spec->graph).find("value=<float32[] 3>"), std::string::npos);
}

TEST(Overrides, NamesMayHoldDots) {
  const Result<LoadedSpec> spec =
      Load({"graph.a.b.dims=[2]"}, "graph: {a.b: {op: Fill, value: 1.0, dims: [3]}}\nrun: {fetch: [a.b]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("a.b"), 0}), PartialShape({2}));
}

TEST(Overrides, NullTakesAKeyAway) {
  const Result<LoadedSpec> spec = Load({"eval=null", "graph.W.init=zeros"});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_TRUE(spec->job.evals.empty());
  EXPECT_EQ(Error({"train.steps=~"}), "job.yaml:10:1: 'train' needs one of 'epochs' and 'steps'");
  EXPECT_EQ(Error({"train.momentumm=~"}),
            "--set train.momentumm=~: there is no 'momentumm' in 'train', only loss, learning_rate, "
            "steps");
}

TEST(Overrides, StepsTakeThePlaceOfEpochs) {
  const std::string epochs = std::string(kTraining).replace(std::string(kTraining).find("steps: 10"), 9, "epochs: 2");
  const Result<LoadedSpec> spec = Load({"train.steps=5"}, epochs);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.train->steps, 5);
  EXPECT_NE(Error({"train.steps=5", "train.epochs=2"}, epochs).find("not both"), std::string::npos);
}

TEST(Overrides, AnAliasKeepsItsValueElsewhere) {
  constexpr char kShared[] = "graph: {x: &v {op: Fill, value: 1.0, dims: [2]}, y: *v}\nrun: {fetch: [x, y]}\n";
  const Result<LoadedSpec> spec = Load({"graph.y.dims=[3]"}, kShared);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("x"), 0}), PartialShape({2}));
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("y"), 0}), PartialShape({3}));
}

TEST(Overrides, ErrorsNameTheNearestKey) {
  EXPECT_EQ(Error({"train.step=5"}),
            "--set train.step=5: unknown key 'step' of the section 'train', did you mean 'steps'?");
  EXPECT_EQ(Error({"trian.steps=5"}),
            "command line: there is no key and no param 'trian.steps', did you mean "
            "'train.steps'?");
  EXPECT_EQ(Error({"rat=5"}), "command line: unknown param 'rat', did you mean 'rate'?");
  EXPECT_EQ(Error({"graph.los=1"}), "--set graph.los=1: there is no 'los' in 'graph', did you mean 'graph.loss'?");
  EXPECT_EQ(Error({"functions.scald.attrs.by=3"}),
            "--set functions.scald.attrs.by=3: there is no 'scald.attrs.by' in 'functions', did you mean "
            "'functions.scaled'?");
  EXPECT_EQ(Error({"functions.scaled.attrs.bye=3"}),
            "--set functions.scaled.attrs.bye=3: there is no 'bye' in 'functions.scaled.attrs', did you mean "
            "'functions.scaled.attrs.by'?");
  EXPECT_EQ(Error({"graph.h.units=3"}),
            "--set graph.h.units=3: 'graph.h' is 'scaled(W)', and no mapping that could have 'units': set all of it, "
            "--set graph.h=...");
}

TEST(Overrides, ErrorsOfValuesNameTheOption) {
  EXPECT_EQ(Error({"train.steps=many"}),
            "--set train.steps=many: 'steps' must be an integer of at least 1, not 'many'");
  EXPECT_EQ(Error({"graph.loss=Men(h)"}), "--set graph.loss=Men(h): unknown op 'Men', did you mean 'Mean'?");
  EXPECT_EQ(Error({"train.steps="}).substr(0, 50), "--set train.steps=: there is no value behind '='; ");
  for (const char* path : {"train.", "train..steps", "cluster..jobs", "eval.", "train.stop..x"}) {
    EXPECT_EQ(Error({std::string(path) + "=1"}),
              StrCat("--set ", path, "=1: the path '", path,
                     "' has an empty key: keys have one dot between them, as train.steps"));
  }
  EXPECT_NE(Error({"eval.metrics=[loss"}).find("--set eval.metrics=[loss: YAML:"), std::string::npos);
  EXPECT_NE(Error({"eval.metrics=*/W"}).find("--set eval.metrics=*/W: "), std::string::npos);
}

TEST(Overrides, OfIncludedFiles) {
  const ScratchDirectory directory;
  directory.Write("lib.yaml",
                  "params: {k: 2}\nfunctions: {twice: {args: [x], attrs: {by: 2}, returns: \"x * ${by}\"}}\n"
                  "graph: {z: {op: Fill, value: 1.0, dims: [2]}}\n");
  directory.Write("other.yaml", "graph: {z: {op: Fill, value: 1.0, dims: [7]}}\n");
  const std::string path = directory.Write(
      "job.yaml", "dfrun: 1\ninclude: [lib.yaml]\ngraph: {y: twice(z), p: \"z * ${k}\"}\nrun: {fetch: [y, p]}\n");
  const Result<LoadedSpec> spec = LoadSpec(path, {.sets = {"functions.twice.attrs.by=5", "graph.z.dims=[3]", "k=4"}});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("y"), 0}), PartialShape({3}));
  const Result<LoadedSpec> other =
      LoadSpec(path, {.sets = {"include.0=other.yaml", "graph.y=Neg(z)", "graph.p=Neg(z)"}});
  ASSERT_TRUE(other.ok()) << other.status().ToString();
  EXPECT_EQ(other->graph.shape({other->graph.Find("y"), 0}), PartialShape({7}));
}

TEST(Overrides, OneOfSeveralIncludedFiles) {
  const ScratchDirectory directory;
  for (const int size : {2, 3, 4}) {
    directory.Write(StrCat("size", size, ".yaml"),
                    StrCat("graph: {z", size == 2 ? "a" : "b", ": {op: Fill, value: 1.0, dims: [", size, "]}}\n"));
  }
  const std::string path = directory.Write(
      "job.yaml", "dfrun: 1\ninclude: [size2.yaml, size3.yaml]\ngraph: {y: Neg(zb)}\nrun: {fetch: [y, za]}\n");
  const Result<LoadedSpec> spec = LoadSpec(path, {.sets = {"include.1=size4.yaml"}});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("y"), 0}), PartialShape({4}));
  EXPECT_EQ(spec->graph.shape({spec->graph.Find("za"), 0}), PartialShape({2}));
}

TEST(Overrides, TheLengthOfAJob) {
  const ScratchDirectory directory;
  const std::string train = directory.Write("train.yaml", std::string("dfrun: 1\n") + kTraining);
  const std::string run = directory.Write("run.yaml", "dfrun: 1\ngraph: {x: 1}\nrun: {fetch: [x]}\n");
  EXPECT_EQ(LoadSpec(train, {.steps = 3})->job.train->steps, 3);
  EXPECT_EQ(LoadSpec(run, {.steps = 3})->job.run->steps, 3);
}

}  // namespace
}  // namespace dfrun
