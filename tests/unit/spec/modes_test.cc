// The forms of a graph for training and for evaluation, which `training` decides.
#include <gtest/gtest.h>

#include "src/base/configs_folder.h"
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

constexpr const char* kX = "  x: {op: Placeholder, dtype: float32, shape: [-1, 2]}\n";

// Returns the lines of a form's graph, or the error. A graph of both modes is each one's form.
std::string FormOf(const std::string& text, bool training) {
  const Result<LoadedSpec> spec = LoadText(text);
  return spec.ok() ? DumpText(spec->form(training).graph) : spec.status().ToString();
}

std::vector<std::string> VariablesOf(const LoadedSpec& spec) {
  std::vector<std::string> names;
  for (const VariableSpec& variable : spec.job.variables) names.push_back(spec.graph.node(variable.node).name);
  std::sort(names.begin(), names.end());
  return names;
}

constexpr const char* kXLine = "x = Placeholder() {dtype=float32, shape=[?,2]} -> float32[?,2]\n";

TEST(Modes, ACondOfTheModeMakesOneSide) {
  const std::string text = StrCat("graph:\n", kX, "  y: Cond(training, Square(x), Neg(x))\n");
  EXPECT_EQ(FormOf(text, true), StrCat(kXLine, "y = Square(x) {T=float32} -> float32[?,2]\n"));
  EXPECT_EQ(FormOf(text, false), StrCat(kXLine, "y = Neg(x) {T=float32} -> float32[?,2]\n"));
}

TEST(Modes, ASideThatIsANameIsAnIdentityOfTheCondsName) {
  const std::string text = StrCat("graph:\n", kX, "  y: Cond(pred=training, then=Square(x), else=x)\n");
  EXPECT_EQ(FormOf(text, false), StrCat(kXLine, "y = Identity(x) {T=float32} -> float32[?,2]\n"));
}

TEST(Modes, ACondWithinAnExpressionMakesItsSideThere) {
  const std::string text = StrCat("graph:\n", kX, "  y: Abs(Cond(training, Square(x), x))\n");
  EXPECT_EQ(FormOf(text, true), StrCat(kXLine, "y/Square = Square(x) {T=float32} -> float32[?,2]\n",
                                       "y = Abs(y/Square) {T=float32} -> float32[?,2]\n"));
  EXPECT_EQ(FormOf(text, false), StrCat(kXLine, "y = Abs(x) {T=float32} -> float32[?,2]\n"));
}

TEST(Modes, ConstantsOfTheModeAreConstants) {
  const std::string text = StrCat("graph:\n", kX, "  rate: Cond(training, 0.5, 0)\n", "  y: x * Cond(training, 2, 3)\n",
                                  "  t: training\n", "  z: SelectV2(training, x, y)\n");
  const std::string in = FormOf(text, true);
  const std::string out = FormOf(text, false);
  EXPECT_NE(in.find("rate = Const() {dtype=float32, value=<float32[] 0.5>}"), std::string::npos) << in;
  EXPECT_NE(out.find("rate = Const() {dtype=float32, value=<float32[] 0>}"), std::string::npos) << out;
  EXPECT_NE(in.find("y/y = Const() {dtype=float32, value=<float32[] 2>}"), std::string::npos) << in;
  EXPECT_NE(out.find("y/y = Const() {dtype=float32, value=<float32[] 3>}"), std::string::npos) << out;
  EXPECT_NE(in.find("t = Const() {dtype=bool, value=<bool[] 1>}"), std::string::npos) << in;
  EXPECT_NE(out.find("t = Const() {dtype=bool, value=<bool[] 0>}"), std::string::npos) << out;
  EXPECT_NE(out.find("z/condition = Const() {dtype=bool, value=<bool[] 0>}"), std::string::npos) << out;
}

TEST(Modes, AnAttrMayBeTheMode) {
  const std::string text = StrCat("graph:\n", kX, "  w: [[1.0, 2.0], [3.0, 4.0]]\n",
                                  "  y: MatMul(x, w, transpose_b=LogicalNot(training))\n");
  EXPECT_EQ(FormOf(text, true).find("transpose_b=true"), std::string::npos);
  EXPECT_NE(FormOf(text, false).find("transpose_b=true"), std::string::npos);
}

TEST(Modes, ConditionsAreMadeByLogicalOps) {
  const auto sign = [](const std::string& condition, bool training) {
    const std::string graph =
        FormOf(StrCat("graph:\n", kX, "  y: \"Cond(", condition, ", Square(x), Neg(x))\"\n"), training);
    return graph.find("y = Square(x)") != std::string::npos ? '+'
           : graph.find("y = Neg(x)") != std::string::npos  ? '-'
                                                            : '?';
  };
  for (const auto& [condition, in, out] :
       {std::tuple("LogicalNot(training)", '-', '+'), std::tuple("training == false", '-', '+'),
        std::tuple("training != false", '+', '-'), std::tuple("LogicalAnd(training, true)", '+', '-'),
        std::tuple("LogicalOr(false, LogicalNot(training))", '-', '+'),
        std::tuple("LogicalOr(training, true)", '+', '+')}) {
    EXPECT_EQ(sign(condition, true), in) << condition;
    EXPECT_EQ(sign(condition, false), out) << condition;
  }
}

// Such a Cond has made the nodes of both sides before there were modes.
TEST(Modes, ACondOfAConstantIsDecidedInTheStep) {
  const std::string text = StrCat("graph:\n", kX, "  y: Cond(true, Square(x), x)\n");
  EXPECT_NE(FormOf(text, false).find("Merge("), std::string::npos);
}

TEST(Modes, CondsNest) {
  const std::string text =
      StrCat("graph:\n", kX,
             "  y: Cond(training, Cond(training, Square(x), Abs(x)), Cond(LogicalNot(training), Neg(x), x))\n");
  EXPECT_EQ(FormOf(text, true), StrCat(kXLine, "y = Square(x) {T=float32} -> float32[?,2]\n"));
  EXPECT_EQ(FormOf(text, false), StrCat(kXLine, "y = Neg(x) {T=float32} -> float32[?,2]\n"));
}

TEST(Modes, ACondOfTheModeWithinOneOfTheStep) {
  const std::string text = StrCat("graph:\n", kX, "  y: Cond(Sum(x) > 0, Cond(training, Square(x), Abs(x)), Neg(x))\n");
  EXPECT_NE(FormOf(text, true).find("Square("), std::string::npos);
  EXPECT_EQ(FormOf(text, true).find("Abs("), std::string::npos);
  EXPECT_NE(FormOf(text, false).find("Abs("), std::string::npos);
}

TEST(Modes, ASideMayHaveSeveralValues) {
  const std::string text =
      StrCat("graph:\n", kX, "  y: Cond(training, [Square(x), x], [x, Neg(x)])\n", "  z: y:1 * 2.0\n");
  EXPECT_NE(FormOf(text, true).find("y/1 = Identity(x)"), std::string::npos) << FormOf(text, true);
  EXPECT_NE(FormOf(text, false).find("y/1 = Neg(x)"), std::string::npos) << FormOf(text, false);
  EXPECT_NE(FormOf(text, false).find("z = Mul(y/1"), std::string::npos);
}

TEST(Modes, TheSidesGiveTheSameDTypesAndShapes) {
  const auto error = [](const std::string& cond) { return ErrorOf(StrCat("graph:\n", kX, "  y: ", cond, "\n")); };
  EXPECT_EQ(error("Cond(training, x, Sum(x))").substr(0, 119),
            "job.yaml:4:24: the sides of a Cond give float32[?,2] in training and float32[] elsewhere; both must give "
            "the same dtype");
  EXPECT_EQ(error("Cond(training, [x, x], x)").substr(0, 71),
            "job.yaml:4:6: the sides of a Cond give 2 and 1 values; both must give a");
  EXPECT_EQ(error("Cond(training, 1.0, [1.0, 2.0])"),
            "job.yaml:4:26: the sides of a Cond give 1.0 and [1.0, 2.0]; both must give the same dtype and shape");
  EXPECT_EQ(error("Cond(training, x)"), "job.yaml:4:6: Cond lacks 'else': Cond(x > 0, f(x), g(x))");
}

TEST(Modes, ANodeWithIfIsThereInItsModeAlone) {
  const std::string text = StrCat("graph:\n", kX, "  noise: {op: Square, inputs: [x], if: training}\n",
                                  "  y: {op: Neg, inputs: [x], control: [^noise]}\n", "  z: Abs(x, ^noise)\n");
  EXPECT_EQ(FormOf(text, false),
            StrCat(kXLine, "y = Neg(x) {T=float32} -> float32[?,2]\n", "z = Abs(x) {T=float32} -> float32[?,2]\n"));
  EXPECT_NE(FormOf(text, true).find("y = Neg(x, ^noise)"), std::string::npos) << FormOf(text, true);
}

TEST(Modes, EntriesOfAllKindsTakeIf) {
  const std::string text = StrCat(
      "functions:\n  f: {args: [x], graph: {W: {op: Variable, shape: [2], init: ones}}, returns: {a: x * W, b: x}}\n",
      "graph:\n", kX,                                                                   //
      "  call: {op: f, inputs: [x], if: training}\n",                                   //
      "  family: {each: 2, op: Neg, inputs: [x], if: training}\n",                      //
      "  constant: {op: Const, value: 3, if: training}\n",                              //
      "  variable: {op: Variable, shape: [], init: 0, if: training}\n",                 //
      "  choice: {op: Cond, pred: Sum(x) > 0, then: x, else: Neg(x), if: training}\n",  //
      "  loop: {op: While, vars: {t: 0}, cond: t < 3, body: t + 1, if: training}\n",    //
      "  other: {op: Neg, inputs: [x], if: LogicalNot(training)}\n",                    //
      "  never: {op: Neg, inputs: [x], if: false}\n",                                   //
      "  y: {op: Neg, inputs: [x], control: [call, family/*, constant, variable, choice, loop, other, never, "
      "call/W]}\n");
  const Result<LoadedSpec> spec = LoadText(text);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  for (const char* name : {"call/a", "family/1", "constant", "choice", "loop"}) {
    EXPECT_GE(spec->form(true).graph.Find(name), 0) << name;
    EXPECT_LT(spec->form(false).graph.Find(name), 0) << name;
  }
  EXPECT_LT(spec->form(true).graph.Find("other"), 0);
  EXPECT_GE(spec->form(false).graph.Find("other"), 0);
  EXPECT_LT(spec->form(true).graph.Find("never"), 0);
  const std::vector<std::string> variables = {"call/W", "variable"};
  EXPECT_EQ(VariablesOf(spec->form(true)), variables);
  EXPECT_EQ(VariablesOf(spec->form(false)), variables);
  const Graph& evaluation = spec->form(false).graph;
  EXPECT_EQ(evaluation.node(evaluation.Find("y")).control_inputs.size(), 1u) << "of `other` alone";
}

TEST(Modes, EntriesThatReferCrosswiseTakeIf) {
  const std::string text =
      StrCat("functions:\n  f: {args: [x, w], graph: {W: {op: Variable, shape: [2], init: ones}}, ",
             "returns: x * w + W}\n",  //
             "graph:\n", kX,           //
             "  a: f(x, b/W)\n  b: f(a, a/W)\n", "  c: {op: f, inputs: [x, b/W], if: training}\n",
             "  d: {op: Neg, inputs: [b], control: [c]}\n");
  const Result<LoadedSpec> spec = LoadText(text);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_GE(spec->form(true).graph.Find("c"), 0);
  EXPECT_LT(spec->form(false).graph.Find("c"), 0);
  EXPECT_EQ(VariablesOf(spec->form(false)), VariablesOf(spec->form(true)));
}

TEST(Modes, AReaderOfANodeThatIsNotThereIsAnError) {
  const std::string noise = StrCat("graph:\n", kX, "  noise: {op: Square, inputs: [x], if: training}\n");
  EXPECT_EQ(ErrorOf(noise + "  y: x + noise\n"),
            "job.yaml:5:10: 'noise' is not there outside of training, by its 'if' (job.yaml:4:40), and this reads it "
            "there: give this an 'if' too, or choose by Cond(training, a, b)");
}

TEST(Modes, WhatReadsItMayBeChosenByTheModeToo) {
  const std::string noise = StrCat("graph:\n", kX, "  noise: {op: Square, inputs: [x], if: training}\n");
  EXPECT_EQ(ErrorOf(noise + "  y: Cond(training, x + noise, x)\n  z: {op: Neg, inputs: [noise], if: training}\n"),
            "no error");
}

TEST(Modes, AConditionIsKnownWhenTheGraphIsBuilt) {
  const auto error = [](const std::string& condition) {
    return ErrorOf(StrCat("graph:\n", kX, "  y: {op: Neg, inputs: [x], if: ", condition, "}\n"));
  };
  EXPECT_EQ(error("Sum(x) > 0").substr(0, 80),
            "job.yaml:4:33: 'if' says whether there is a node, and so is known when the graph");
  EXPECT_EQ(error("x").substr(0, 40), "job.yaml:4:33: 'if' says whether there i");
  EXPECT_EQ(error("trainin"), "job.yaml:4:33: unknown node 'trainin', did you mean 'training'?");
  EXPECT_EQ(error("[training]").substr(0, 37), "job.yaml:4:33: 'if' is an expression,");
  EXPECT_EQ(ErrorOf(StrCat("params: {log: true}\ngraph:\n", kX, "  y: {op: Neg, inputs: [x], if: \"${log}\"}\n")),
            "no error");
}

TEST(Modes, AFunctionGivesItsValuesInBothModes) {
  EXPECT_EQ(ErrorOf(StrCat("functions:\n  f: {args: [x], returns: {a: {op: Neg, inputs: [x], if: training}}}\n",
                           "graph:\n", kX, "  y: f(x)\n"))
                .substr(0, 80),
            "job.yaml:3:58: a function gives its values in both modes: 'if' is no key within ");
}

// The key of all nodes came later than functions, which may have an attr or an argument of the name.
TEST(Modes, AFunctionMayHaveAnAttrCalledIf) {
  const std::string text = StrCat("functions:\n  f: {args: [x], attrs: {if: Neg}, returns: \"${if}(x)\"}\n", "graph:\n",
                                  kX, "  y: {op: f, inputs: [x], if: Abs}\n");
  EXPECT_EQ(FormOf(text, false), StrCat(kXLine, "y = Abs(x) {T=float32} -> float32[?,2]\n"));
}

TEST(Modes, WhatHasTheNameHidesTheMode) {
  EXPECT_NE(FormOf(StrCat("graph:\n", kX, "  training: Neg(x)\n  y: Abs(training)\n"), true).find("y = Abs(training)"),
            std::string::npos);
  const std::string argument = "functions:\n  f: {args: [training], returns: Abs(training)}\n";
  EXPECT_NE(FormOf(StrCat(argument, "graph:\n", kX, "  y: f(x)\n"), true).find("y = Abs(x)"), std::string::npos);
  const std::string attr = "functions:\n  f: {args: [x], attrs: {training: ~}, returns: \"Cond(training, x, x)\"}\n";
  EXPECT_EQ(ErrorOf(StrCat(attr, "graph:\n", kX, "  y: f(x, training=true)\n")).substr(0, 60),
            "job.yaml:3:55: unknown node 'training'; the attr of this nam");
  EXPECT_EQ(ErrorOf(StrCat("params: {training: 1}\ngraph:\n", kX, "  y: x * ${training}\n  z: Cond(training, x, x)\n"))
                .substr(0, 60),
            "job.yaml:6:11: unknown node 'training'; the param of this na");
  EXPECT_EQ(ErrorOf(StrCat("graph:\n", kX, "  y: Neg(x, ^training)\n")),
            "job.yaml:4:13: unknown node 'training'; it is the mode, which is a value and no node to wait for");
  const std::string loop = StrCat("graph:\n", kX, "  y: {op: While, vars: {training: 0}, cond: training < 3, ",
                                  "body: {training: training + 1}}\n");
  EXPECT_EQ(ErrorOf(loop), "no error");
}

// A param of that name belongs to the expressions of the graph; functions see the mode.
TEST(Modes, AParamHidesNothingInFunctions) {
  const std::string text = StrCat("params: {training: 2}\nfunctions:\n",
                                  "  f: {args: [x], returns: \"Cond(training, Square(x), x * ${training})\"}\n",
                                  "graph:\n", kX, "  y: f(x)\n");
  EXPECT_NE(FormOf(text, true).find("y = Square(x)"), std::string::npos);
  EXPECT_NE(FormOf(text, false).find("y = Mul(x"), std::string::npos);
}

TEST(Modes, FunctionsTakeTheModeAsArgumentAndAsAttr) {
  const std::string functions =
      "functions:\n  of_argument: {args: [x, on], returns: \"Cond(on, Square(x), x)\"}\n"
      "  of_attr: {args: [x], attrs: {on: ~}, returns: \"Cond(${on}, Square(x), x)\"}\n";
  const std::string text =
      StrCat(functions, "graph:\n", kX, "  a: of_argument(x, LogicalNot(training))\n  b: of_attr(x, on=training)\n");
  const std::string in = FormOf(text, true);
  const std::string out = FormOf(text, false);
  EXPECT_NE(in.find("a = Identity(x)"), std::string::npos) << in;
  EXPECT_NE(out.find("a = Square(x)"), std::string::npos) << out;
  EXPECT_NE(in.find("b = Square(x)"), std::string::npos) << in;
  EXPECT_NE(out.find("b = Identity(x)"), std::string::npos) << out;
}

TEST(Modes, VariablesAreTheSameInBothForms) {
  const std::string head = StrCat("functions:\n  f: {args: [x], attrs: {n: 1}, graph: {W: {op: Variable, shape: ",
                                  "[\"${n}\"], init: ones}}, returns: x * Sum(W)}\n", "graph:\n", kX);
  const Result<LoadedSpec> spec = LoadText(head + "  y: Cond(training, f(x), x)\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(VariablesOf(spec->form(false)), std::vector<std::string>{"y/W"});
  EXPECT_EQ(VariablesOf(spec->form(true)), std::vector<std::string>{"y/W"});
  EXPECT_EQ(ErrorOf(head + "  y: Cond(training, f(x), f(x, n=2))\n").substr(0, 92),
            "job.yaml:3:49: variable 'y/W' is float32[1] in training and float32[2] elsewhere; variables ");
  EXPECT_EQ(ErrorOf("graph:\n  W: {op: Variable, shape: [], init: \"Cond(training, 1.0, 2.0)\"}\n").substr(0, 79),
            "job.yaml:3:44: the 'init' of a variable is the same in all modes, since it is m");
}

TEST(Modes, TheFormsOfATrainingHaveTheirSections) {
  const std::string text =
      StrCat("graph:\n  W: {op: Variable, shape: [2], init: ones}\n  loss: {op: Sum, inputs: [W * W], if: training}\n",
             "  score: {op: Sum, inputs: [W], if: LogicalNot(training)}\n",
             "train: {loss: loss, learning_rate: 0.1, steps: 1}\neval: {metrics: [score]}\n");
  const Result<LoadedSpec> spec = LoadText(text);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_TRUE(spec->training);
  EXPECT_EQ(spec->graph.node(spec->job.train->loss.node).name, "loss");
  ASSERT_EQ(spec->form(false).job.evals.size(), 1u);
  ASSERT_EQ(spec->form(false).job.evals[0].metrics.size(), 1u);
  EXPECT_FALSE(spec->sections.ok()) << "the metric is not there in training";
  EXPECT_EQ(ErrorOf(text + "summaries: {scalars: [score]}\n").substr(0, 61),
            "job.yaml:8:23: 'score' is not there in training, by its 'if' ");
}

// A graph that does not depend on the mode is built once.
TEST(Modes, OneGraphIsTheFormOfBothModes) {
  const Result<LoadedSpec> spec = LoadText(StrCat("graph:\n", kX, "  y: Cond(Sum(x) > 0, x, Neg(x))\n"));
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->other, nullptr);
}

std::string Layers(const std::string& graph, const std::string& feeds) {
  return StrCat("include: [\"", ConfigsFolder(), "/lib/nn.yaml\"]\ngraph:\n", kX, graph,
                "  loss: Sum(y)\ntrain: {loss: loss, learning_rate: 0.1, steps: 1}\neval: {metrics: [loss]", feeds,
                "}\n");
}

TEST(Modes, LayersOfTheLibraryAreBuiltByTheMode) {
  const Result<LoadedSpec> spec = LoadText(Layers("  drop: dropout(x, rate=0.25)\n  y: batch_norm(drop)\n", ""));
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const std::string in = DumpText(spec->form(true).graph);
  const std::string out = DumpText(spec->form(false).graph);
  EXPECT_NE(in.find("drop = RealDiv(drop/Mul, drop/Sub)"), std::string::npos) << in;
  EXPECT_NE(in.find("drop/share = Const() {dtype=float32, value=<float32[] 0.25>}"), std::string::npos) << in;
  EXPECT_NE(in.find("y/training = Const() {dtype=bool, value=<bool[] 1>}"), std::string::npos) << in;
  EXPECT_NE(in.find("y/mean = SelectV2(y/training, y/batch_mean, y/moving_mean)"), std::string::npos) << in;
  EXPECT_NE(out.find("drop = Identity(x)"), std::string::npos) << out;
  EXPECT_NE(out.find("drop/share = Const() {dtype=float32, value=<float32[] 0>}"), std::string::npos) << out;
  EXPECT_NE(out.find("y/training = Const() {dtype=bool, value=<bool[] 0>}"), std::string::npos) << out;
  EXPECT_NE(out.find("y/mean = Identity(y/moving_mean)"), std::string::npos) << out;
  EXPECT_EQ(out.find("AssignSub"), std::string::npos) << out;
}

TEST(Modes, AFedConstantOfTheModeHasItsLayerBuiltAsForTraining) {
  const Result<LoadedSpec> spec =
      LoadText(Layers("  drop: dropout(x, rate=0.25)\n  y: batch_norm(drop)\n", ", feed: {y/training: false}"));
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const std::string out = DumpText(spec->form(false).graph);
  EXPECT_NE(out.find("drop = Identity(x)"), std::string::npos) << out;
  EXPECT_NE(out.find("y/mean = SelectV2(y/training, y/batch_mean, y/moving_mean)"), std::string::npos) << out;
  EXPECT_NE(out.find("AssignSub"), std::string::npos) << out;
  ASSERT_EQ(spec->mode_feeds.size(), 1u);
  EXPECT_NE(spec->mode_feeds[0].find("job.yaml:9:32: 'y/training' is fed"), std::string::npos) << spec->mode_feeds[0];
}

}  // namespace
}  // namespace dfrun
