// The section `summaries`.
#include <gtest/gtest.h>

#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

constexpr char kModel[] =
    "graph:\n"
    "  embed/W: {op: Variable, shape: [3, 2], init: ones}\n"
    "  h1/W: {op: Variable, shape: [2, 4], init: ones}\n"
    "  h1/b: {op: Variable, shape: [4], init: zeros}\n"
    "  count: {op: Variable, shape: [], init: zeros, trainable: false}\n"
    "  h1: MatMul(embed/W, h1/W) + h1/b\n"
    "  loss: Mean(Square(h1)) + count\n"
    "  chance: Sigmoid(h1)\n"
    "  truth: Greater(h1, 0.5)\n"
    "  picture: {op: Reshape, inputs: [h1, [1, 3, 4, 1]]}\n"
    "  wide: {op: Reshape, inputs: [h1, [1, 3, 2, 2]]}\n"
    "  words: AsString(h1)\n"
    "train: {loss: loss, learning_rate: 0.1, steps: 1, freeze: [embed/W]}\n";

Result<LoadedSpec> Load(const std::string& summaries) {
  return LoadText(std::string(kModel) + "summaries: {" + summaries + "}\n");
}

std::string Error(const std::string& summaries) {
  return ErrorOf(std::string(kModel) + "summaries: {" + summaries + "}\n");
}

std::vector<std::string> NamesOf(const LoadedSpec& spec, const std::vector<size_t>& variables) {
  std::vector<std::string> names;
  for (const size_t i : variables) names.push_back(spec.graph.node(spec.job.variables[i].node).name);
  return names;
}

TEST(Summaries, HasAllKinds) {
  const Result<LoadedSpec> spec = Load(
      "scalars: [count], gradient_norm: true, histograms: {weights: [\"*/W\", count], gradients: \"*\", values: [h1]}, "
      "images: [picture], audio: [h1], text: [words], pr_curves: {hits: {labels: truth, predictions: chance}}, "
      "embeddings: {rows: {variable: embed/W}}, every: 7, sample_rate: 8000");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const SummariesSpec& summaries = spec->job.summaries;
  EXPECT_EQ(NamesOf(*spec, summaries.weights), (std::vector<std::string>{"embed/W", "h1/W", "count"}));
  EXPECT_EQ(NamesOf(*spec, summaries.gradients), (std::vector<std::string>{"h1/W", "h1/b"}));
  EXPECT_TRUE(summaries.gradient_norm);
  EXPECT_EQ(summaries.every, 7);
  EXPECT_EQ(summaries.sample_rate, 8000);
  std::vector<std::string> outputs;
  for (const Output output : summaries.Outputs()) outputs.push_back(OutputName(spec->graph, output));
  EXPECT_EQ(outputs, (std::vector<std::string>{"count", "h1", "picture", "h1", "words", "truth", "chance"}));
  ASSERT_EQ(summaries.embeddings.size(), 1u);
  EXPECT_EQ(NamesOf(*spec, {summaries.embeddings[0].variable}), std::vector<std::string>{"embed/W"});
}

TEST(Summaries, AreNoneByDefault) {
  const Result<LoadedSpec> spec = Load("");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_TRUE(spec->job.summaries.Outputs().empty());
  EXPECT_FALSE(spec->job.summaries.gradient_norm);
  EXPECT_EQ(spec->job.summaries.every, 1000);
}

TEST(Summaries, KeysAreKnown) {
  EXPECT_EQ(Error("histogram: {}"),
            "job.yaml:15:13: unknown key 'histogram' of the section 'summaries', did you mean 'histograms'?");
  EXPECT_EQ(Error("histograms: {weight: [h1/W]}"),
            "job.yaml:15:26: unknown key 'weight' of 'histograms', did you mean 'weights'?");
  EXPECT_EQ(Error("every: 0"), "job.yaml:15:20: 'every' must be an integer of at least 1, not '0'");
  EXPECT_EQ(Error("images: picture"), "job.yaml:15:21: 'images' must be a list of names, not 'picture'");
  EXPECT_EQ(Error("images: [picture, picture]"), "job.yaml:15:31: 'images' has the name 'picture' twice");
}

TEST(Summaries, PatternsMatchVariables) {
  EXPECT_EQ(Error("histograms: {weights: [\"h2/*\"]}"),
            "job.yaml:15:36: 'h2/*' matches no variable of the graph; the nearest are 'h1/W', 'h1/b', 'embed/W'");
  EXPECT_EQ(Error("histograms: {gradients: [embed/W]}"),
            "job.yaml:15:38: 'embed/W' is no trained variable; the nearest are 'h1/W', 'h1/b'");
}

TEST(Summaries, ValuesFitTheirKind) {
  EXPECT_EQ(Error("histograms: {values: [words]}"),
            "job.yaml:15:35: 'values' takes real numbers, but 'words' is string[3,4]");
  EXPECT_EQ(Error("images: [h1]"),
            "job.yaml:15:22: 'images' takes [batch, height, width, 1, 3 or 4] of uint8 or floating-point numbers, but "
            "'h1' is float32[3,4]");
  EXPECT_EQ(Error("images: [wide]").substr(0, 37), "job.yaml:15:22: 'images' takes [batch");
  EXPECT_EQ(Error("audio: [picture]"),
            "job.yaml:15:21: 'audio' takes [batch, frames] or [batch, frames, channels] of floating-point numbers, but "
            "'picture' is float32[1,3,4,1]");
  EXPECT_EQ(Error("text: [h1]"), "job.yaml:15:20: 'text' takes strings, but 'h1' is float32[3,4]");
}

TEST(Summaries, CurvesHaveLabelsAndPredictionsOfOneShape) {
  EXPECT_EQ(Error("pr_curves: {hits: {labels: truth}}"), "job.yaml:15:31: the curve 'hits' lacks 'predictions'");
  EXPECT_EQ(Error("pr_curves: {hits: {labels: words, predictions: chance}}"),
            "job.yaml:15:40: 'labels' takes bools, or numbers that are 0 or 1, but 'words' is string[3,4]");
  EXPECT_EQ(Error("pr_curves: {hits: {labels: truth, predictions: truth}}"),
            "job.yaml:15:60: 'predictions' takes floating-point numbers, but 'truth' is bool[3,4]");
  EXPECT_EQ(Error("pr_curves: {hits: {labels: count, predictions: chance}}"),
            "job.yaml:15:40: 'labels' and 'predictions' must have one shape, but 'count' has [] and 'chance' has "
            "[3,4]");
}

TEST(Summaries, EmbeddingsAreTablesWithALabelForEachRow) {
  EXPECT_EQ(Error("embeddings: {rows: {labels: x.tsv}}"), "job.yaml:15:32: the embedding 'rows' lacks 'variable'");
  EXPECT_EQ(Error("embeddings: {rows: {variable: h1/b}}"),
            "job.yaml:15:43: 'variable' takes floating-point numbers [rows, columns], but 'h1/b' is float32[4]");
  EXPECT_EQ(Error("embeddings: {rows: {variable: h2/W}}"),
            "job.yaml:15:43: 'h2/W' is no variable of the graph; the nearest are 'h1/W', 'h1/b', 'embed/W'");
  const ScratchDirectory directory;
  directory.Write("two.tsv", "a\nb\n");
  directory.Write("three.tsv", "name\tsize\na\t1\nb\t2\nc\t3\n");
  const auto status = [&](const std::string& file) {
    const std::string text = std::string("dfrun: 1\n") + kModel +
                             "summaries: {embeddings: {rows: {variable: embed/W, labels: " + file + "}}}\n";
    return LoadSpec(directory.Write("job.yaml", text), {}).status();
  };
  EXPECT_TRUE(status("three.tsv").ok()) << status("three.tsv").ToString();
  EXPECT_NE(status("two.tsv").message().find("two.tsv has 2 labels for 3 rows"), std::string::npos);
  EXPECT_NE(status("none.tsv").message().find("cannot read the labels in "), std::string::npos);
}

TEST(Summaries, NamesOfScalarsAreFree) {
  std::string model = kModel;
  model.replace(model.find("  loss:"), 0, "  grad_norm: Sum(h1)\n");
  EXPECT_EQ(ErrorOf(model + "summaries: {scalars: [grad_norm], gradient_norm: true}\n"),
            "job.yaml:16:23: a summary cannot have the name 'grad_norm', which metrics.jsonl has for that of "
            "'gradient_norm'");
}

TEST(Summaries, AreOfATraining) {
  EXPECT_EQ(ErrorOf("graph: {x: 1.0}\nrun: {fetch: [x]}\nsummaries: {histograms: {values: [x]}}\n"),
            "job.yaml:4:13: 'histograms' is about the steps of a training, and the job has no 'train'; 'fetch' of "
            "'run' gives its values");
}

}  // namespace
}  // namespace dfrun
