// A printed spec prints to the same text, and makes the same graph.
#include "src/spec/spec_printer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "src/base/file.h"
#include "src/job/saved_settings.h"
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

// The lines without the comments at their ends.
std::string WithoutComments(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    EXPECT_NE(line.rfind("  # "), std::string::npos) << "no origin: " << line;
    out += line.substr(0, line.rfind("  # ")) + "\n";
    at = end + 1;
  }
  return out;
}

Result<LoadedSpec> Load(const std::string& path, std::vector<std::string> sets = {}) {
  return LoadSpec(path, {.sets = std::move(sets), .prints = true});
}

// The settings of a job that its text, and not its place, decides.
std::vector<std::pair<std::string, std::string>> SettingsIn(const LoadedSpec& spec) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const SavedSetting& setting : SettingsOf(spec)) {
    if (!setting.name.ends_with(".files")) settings.emplace_back(setting.name, setting.value);
  }
  const JobSpec& job = spec.job;
  const auto add = [&](const std::string& name, int64_t value) { settings.emplace_back(name, std::to_string(value)); };
  for (const InputSpec& input : job.inputs) {
    add(input.name + ".readers", input.readers);
    add(input.name + ".prefetch", input.prefetch);
    add(input.name + ".tensors", static_cast<int64_t>(input.tensors.size()));
  }
  if (job.train) {
    add("steps", job.train->steps);
    add("log_every", job.train->log_every);
    add("bucket_bytes", job.train->bucket_bytes);
    add("on_nan", static_cast<int64_t>(job.train->on_nan));
    add("data_parallel", static_cast<int64_t>(job.train->data_parallel));
    add("parameters", static_cast<int64_t>(job.train->parameters));
  }
  if (job.run) {
    add("run.steps", job.run->steps);
    add("run.steps_in_flight", job.run->steps_in_flight);
    settings.emplace_back("run.save", job.run->save);
  }
  for (const EvalSpec& eval : job.evals) {
    add(eval.name + ".every", eval.every);
    add(eval.name + ".metrics", static_cast<int64_t>(eval.metrics.size()));
  }
  if (job.checkpoint) add("checkpoint.every", job.checkpoint->every);
  if (job.checkpoint) add("checkpoint.keep", job.checkpoint->keep);
  add("jobs", static_cast<int64_t>(job.jobs.size()));
  settings.emplace_back("name", job.name);
  return settings;
}

// Loads what was printed from another folder.
void ExpectSame(const std::string& path, const LoadedSpec& spec) {
  const ScratchDirectory directory;
  const Result<LoadedSpec> again = Load(directory.Write("spec.yaml", spec.printed));
  ASSERT_TRUE(again.ok()) << path << ": " << again.status().ToString() << "\n" << spec.printed;
  EXPECT_EQ(WithoutComments(again->printed), WithoutComments(spec.printed)) << path;
  EXPECT_EQ(GraphDigest(*again), GraphDigest(spec)) << path;
  EXPECT_EQ(again->graph.num_nodes(), spec.graph.num_nodes()) << path;
  EXPECT_EQ(SettingsIn(*again), SettingsIn(spec)) << path;
  EXPECT_EQ(again->job.warnings.size(), spec.job.warnings.size()) << path;
}

TEST(SpecPrinter, EverySpecOfTheTreePrintsToItself) {
  std::set<std::string> paths;
  for (const char* root : {"configs", "tests", "examples", "scripts"}) {
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(root)) {
      if (file.path().extension() == ".yaml") paths.insert(file.path().string());
    }
  }
  int printed = 0;
  for (const std::string& path : paths) {
    const Result<LoadedSpec> spec = Load(path);
    if (!spec.ok()) continue;  // broken ones, and those whose data a script makes
    SCOPED_TRACE(path);
    ExpectSame(path, *spec);
    ++printed;
  }
  EXPECT_GE(printed, 20);
}

TEST(SpecPrinter, OverridesAndDefaultsHaveTheirOrigins) {
  const Result<LoadedSpec> spec = Load("configs/digits_mlp.yaml", {"hidden=32", "train.steps=5", "eval.every=50"});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  for (const char* line : {"dfrun: 1  # digits_mlp.yaml:3\n", "seed: 0  # default\n", "precision: float32  # default\n",
                           "  hidden: 32  # --set\n", "  batch: 64  # digits_mlp.yaml:5\n",
                           "    batch: ${batch}  # digits_mlp.yaml:11, 64\n", "    readers: 1  # default\n",
                           "  steps: 5  # --set\n", "  every: 50  # --set\n", "  nesterov: false  # default\n",
                           "  metrics: [accuracy]  # digits_mlp.yaml:23\n", "  dense:  # nn.yaml:"}) {
    EXPECT_NE(spec->printed.find(line), std::string::npos) << line << spec->printed;
  }
  EXPECT_NE(spec->printed.find("hdf5: " + fs::canonical("configs").string() + "/data/digits.h5"), std::string::npos);
  for (const char* absent : {"include", "epochs", "conv2d"})
    EXPECT_EQ(spec->printed.find(absent), std::string::npos) << absent;
  ExpectSame("digits_mlp.yaml", *spec);
}

TEST(SpecPrinter, OddTextsAndPlaces) {
  const ScratchDirectory directory;
  directory.Write("a [b]*/x.csv", "1,2\n3,4\n5,6\n");
  const std::string path = directory.Write(
      "a [b]*/job.yaml",
      "dfrun: 1\n"
      "params: {\"odd one\": \"a: b # c\", list: [1, [2, 3]], text: \"line\\nnext\", dir: ., 'q\"': \"it's \\\\ \"}\n"
      "inputs:\n"
      "  in: {csv: ['x*.csv', \"${dir}/x.csv\"], tensors: {x: 0, y: {from: 1, default: \"-1\"}}, batch: 2}\n"
      "  also: {csv: [x.csv, x.csv], tensors: {z: 0}, with: in}\n"
      "functions:\n"
      "  f: {args: [x], attrs: {by: ~, list: [1, 2]}, graph: {h: \"x * ${by}\"}, returns: {a: h, b: Neg(h)}}\n"
      "graph:\n"
      "  t: {op: Const, value: \"'${text}'\"}\n"
      "  m: {each: 2, op: Const, value: \"${i}\"}\n"
      "  s: AddN(m/*)\n"
      "  p: f(in/x, by=3)\n"
      "  c: Cond(Sum(p) > 0, [p, p:1],\n"
      "      [in/y, also/z])\n"
      "  w: {op: While, vars: {t: 0}, cond: t < 3, body: {t: t + 1}}\n"
      "  v: {op: Const, value: [[1, 2], [3, 4]], control: [^s]}\n"
      "run:\n"
      "  feed: {\"p:1\": in/y}\n"
      "  fetch: {\"a:b\": c, \"x y\": w, t: t, v: v}\n");
  const Result<LoadedSpec> spec = Load(path);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ExpectSame(path, *spec);
}

TEST(SpecPrinter, EvaluationsWithNames) {
  const ScratchDirectory directory;
  const std::string path =
      directory.Write("job.yaml",
                      "dfrun: 1\n"
                      "graph: {W: {op: Variable, shape: [2], init: ones}, loss: Sum(W * W), n: Sum(W)}\n"
                      "train:\n"
                      "  loss: {sum: loss, over: n}\n"
                      "  learning_rate: {schedule: cosine, initial: 0.1, steps: 3}\n"
                      "  steps: 3\n"
                      "  stop: {metric: near/loss, mode: min, patience: 2}\n"
                      "eval:\n"
                      "  near: {metrics: [loss, {mean: {sum: loss, over: n}}]}\n"
                      "  far: {every: 2, metrics: {m: loss, q: {sum: loss, over: n}}}\n"
                      "checkpoint: {best: {metric: far/m, mode: max}}\n");
  const Result<LoadedSpec> spec = Load(path);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ExpectSame(path, *spec);
  for (const char* line : {"    final: 0  # default\n", "    min_delta: 0  # default\n", "    every: 0  # default\n",
                           "    keep: 1  # default\n"}) {
    EXPECT_NE(spec->printed.find(line), std::string::npos) << line << spec->printed;
  }
}

TEST(SpecPrinter, EmptyMappingsHaveDefaults) {
  const ScratchDirectory directory;
  directory.Write("x.csv", "x\n1\n3\n");
  const std::string path = directory.Write("job.yaml",
                                           "dfrun: 1\n"
                                           "inputs: {in: {csv: x.csv, header: true, tensors: {x: {}}, batch: 1}}\n"
                                           "functions: {f: {args: [x], attrs: {}, returns: x + 1}}\n"
                                           "graph: {y: f(in/x)}\n"
                                           "run: {feed: {}, fetch: [y]}\n"
                                           "checkpoint: {}\n"
                                           "summaries: {}\n");
  const Result<LoadedSpec> spec = Load(path);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ExpectSame(path, *spec);
  for (const char* line : {"  keep: 5  # default\n", "      x: {}  # job.yaml:2\n", "summaries: {}  # job.yaml:7\n"}) {
    EXPECT_NE(spec->printed.find(line), std::string::npos) << line << spec->printed;
  }
}

TEST(SpecPrinter, ListsOfSeveralLinesKeepTheirLines) {
  const ScratchDirectory directory;
  const std::string path = directory.Write(
      "job.yaml", "dfrun: 1\ngraph:\n  x: {op: Const, value: [1,\n      2, 3]}\nrun:\n  fetch:\n    - x\n    - x:0\n");
  const Result<LoadedSpec> spec = Load(path);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ExpectSame(path, *spec);
  EXPECT_NE(spec->printed.find("    value:  # job.yaml:3\n      - 1  # job.yaml:3\n      - 2  # job.yaml:4\n"),
            std::string::npos)
      << spec->printed;
}

TEST(SpecPrinter, FilesOfOneNameAreToldApart) {
  const ScratchDirectory directory;
  directory.Write("lib/job.yaml", "params: {k: 2}\n");
  const Result<LoadedSpec> spec =
      Load(directory.Write("job.yaml", "dfrun: 1\ninclude: [lib/job.yaml]\ngraph: {x: \"${k}\"}\nrun: {fetch: [x]}\n"));
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_NE(spec->printed.find("  k: 2  # " + directory.Path("lib/job.yaml") + ":1\n"), std::string::npos)
      << spec->printed;
}

}  // namespace
}  // namespace dfrun
