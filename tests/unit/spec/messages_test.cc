// Messages to a spec's author about mistakes of people who come from other languages and programs.
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

// Returns the error of an expression; `x` and `h` are float32[2,3].
std::string ErrorOfExpr(const std::string& expr) {
  return ErrorOf("graph:\n  x: {op: Placeholder, dtype: float32, shape: [2, 3]}\n  h: Relu(x)\n  h1: Relu(x)\n  y: '" +
                 expr + "'\n");
}

void Says(const std::string& error, const std::string& part) {
  EXPECT_NE(error.find(part), std::string::npos) << part << "\n  is not in: " << error;
}

TEST(Messages, OperatorsOfOtherLanguagesNameTheOp) {
  Says(ErrorOfExpr("x[:, 0]"), "found '['; an op takes parts of a tensor: GatherV2(x, 0, 1) is x[:, 0]");
  Says(ErrorOfExpr("Relu(x[0])"), "StridedSlice(");
  Says(ErrorOfExpr("x @ h"), "found '@'; a product of matrices is MatMul(a, b)");
  Says(ErrorOfExpr("x ** 2"), "; a power is Pow(a, 2)");
  Says(ErrorOfExpr("x % 2"), "FloorMod(a, b)");
  Says(ErrorOfExpr("x // 2"), "FloorDiv(a, b)");
  Says(ErrorOfExpr("not x"), "LogicalNot(a)");
  Says(ErrorOfExpr("x and h"), "LogicalAnd(a, b)");
  Says(ErrorOfExpr("(x) & (h)"), "LogicalAnd(a, b)");
  Says(ErrorOfExpr("x || h"), "LogicalOr(a, b)");
  Says(ErrorOfExpr("x if h else x"), "Cond(pred, a, b)");
  Says(ErrorOfExpr("x ? h : x"), "Cond(pred, a, b)");
  Says(ErrorOfExpr("Relu(64)(x)"), "found '('; a layer is called once, with its attrs: dense(x, units=64)");
  Says(ErrorOfExpr("Fill([$n], 1.0)"), "found '$'; a param is written ${name}");
}

TEST(Messages, OperatorsWithoutSpacesAreWrittenOut) {
  EXPECT_EQ(ErrorOfExpr("h-h1"), "job.yaml:6:7: unknown node 'h-h1'; operators need white space around them: h - h1");
  Says(ErrorOfExpr("h*2-1"), "unknown node '2-1'; operators need white space around them: 2 - 1");
  Says(ErrorOfExpr("x/h"), "operators need white space around them: x / h");
  Says(ErrorOfExpr("h-g"), "unknown node 'h-g', did you mean 'h");
  Says(ErrorOfExpr("1e400"), "a number is decimal, and at most 1.8e308");
  Says(ErrorOfExpr("x.T"), "a transpose is Transpose(x, [1, 0])");
  Says(ErrorOfExpr("x.shape"), "it is Shape(x)");
}

TEST(Messages, OpsAndLayersOfOtherPrograms) {
  Says(ErrorOfExpr("tf.nn.relu(x)"), "unknown op 'tf.nn.relu', did you mean 'Relu'?");
  Says(ErrorOfExpr("relu(x)"), "unknown op 'relu', did you mean 'Relu'?");
  Says(ErrorOfExpr("Dense(x)"), "'dense' is in the library: include: [lib/nn.yaml]");
  Says(ErrorOf("graph:\n  x: Const(1.0)\n  y: {Relu: x}\n"),
       "node 'y' lacks 'op'; write {op: Relu, inputs: [...]}, or Relu(...)");
  Says(ErrorOfExpr("Relu(x, device=GPU)"),
       "unknown attr 'device' of Relu; it is a key of a mapping: {op: Relu, inputs: ");
}

TEST(Messages, NamesWhereConstantsStand) {
  Says(ErrorOf("graph:\n  x: Const(1.0)\n  y: {op: Const, value: [x]}\n"),
       "job.yaml:4:26: 'value' must be a constant, not 'x'; a text is in quotes, 'x'; nodes are joined by Pack([x])");
}

TEST(Messages, NodesWithinEntries) {
  Says(ErrorOf("functions:\n  f: {args: [x], graph: {label: x + 1.0}, returns: label * 2.0}\n"
               "graph:\n  batch: f(Const(1.0))\n  y: Relu(batch/lable)\n"),
       "unknown node 'batch/lable', did you mean 'batch/label'?");
}

TEST(Messages, ParamsInBraces) {
  Says(ErrorOf("params: {b: 3}\ngraph:\n  y: {op: Const, value: ${b}}\n"),
       "within {} and [] a param is in quotes: \"${name}\"");
  Says(ErrorOf("params: {b: 3}\ngraph:\n  y: {op: Const, value: [${b}, 2]}\n"), "a param is in quotes");
}

TEST(Messages, CharactersThatCannotBeSeen) {
  Says(ErrorOfExpr("x\u00a0+ h"), "found U+00A0, a no-break space");
  Says(ErrorOfExpr("Relu(x\u200b)"), "found U+200B, a character without width");
  Says(ErrorOfExpr("x \u2212 h"), "found '\u2212' (U+2212, a minus that is no '-')");
  Says(ErrorOfExpr("StringJoin(\u2018a\u2019)"), "found '\u2018' (U+2018, a typographic quote); quotes, ' or \"");
  Says(ErrorOf("graph:\n  x:\u00a0{op: Const, value: 1}\n"), "; the line holds U+00A0, a no-break space");
  Says(ErrorOf("\u00a0graph:\n  x: Const(1.0)\n"),
       "unknown key '\\u00a0graph' of the spec, did you mean 'graph'? (it holds U+00A0, a no-break space)");
  Says(ErrorOf("\ufeffgraph:\n  x: Const(1.0)\n"), "did you mean 'graph'? (it holds U+FEFF, a byte order mark)");
}

TEST(Messages, KeysOfOtherProgramsAndOtherSections) {
  const std::string head = "graph:\n  W: {op: Variable, shape: [], init: 1}\n  loss: Square(W)\ntrain: {loss: loss, ";
  Says(ErrorOf(head + "lr: 0.1, steps: 1}\n"),
       "unknown key 'lr' of the section 'train', did you mean 'learning_rate'?");
  Says(ErrorOf(head + "learning_rate: 0.1, num_epochs: 1}\n"), "did you mean 'epochs'?");
  Says(ErrorOf(head + "learning_rate: 0.1, steps: 1, batch_size: 2}\n"),
       "; 'batch' is a key of an input; it takes loss, ");
  Says(ErrorOf(head + "learning_rate: 0.1, steps: 1, seed: 2}\n"), "; 'seed' is a section of its own; it takes loss, ");
  Says(ErrorOf(head + "learning_rate: 0.1, steps: 1, keep: 2}\n"), "; 'keep' is a key of the section 'checkpoint'");
}

TEST(Messages, DevicesOfOtherPrograms) {
  const auto on = [](const std::string& device) {
    return ErrorOf("graph:\n  y: {op: Const, value: 1, device: '" + device + "'}\n");
  };
  Says(on("cuda:0"), ", did you mean '/device:gpu:0'?");
  Says(on("/device:cuda:1"), ", did you mean '/device:gpu:1'?");
  Says(on("tpu:0"), "a device name is like");
}

TEST(Messages, DTypesThatAnOpDoesNotTakeNameTheCast) {
  const auto of = [](const std::string& dtype, const std::string& entry) {
    return ErrorOf("graph:\n  x: {op: Placeholder, dtype: " + dtype +
                   ", shape: [2, 3]}\n  W: {op: Variable, shape: [3, 4], init: zeros}\n  y: " + entry + "\n");
  };
  Says(of("float64", "MatMul(x, W)"), "; write Cast(x, DstT=float32)");
  Says(of("uint8", "MatMul(x, W)"), "; write Cast(x, DstT=float32)");
  Says(of("float64", "Relu(W) - Identity(x)"), "; write Cast(y/Identity, DstT=float32)");
  Says(of("bool", "Mean(x)"), "; write Cast(x, DstT=float32)");
  Says(of("int64", "Sqrt(x)"), "; write Cast(x, DstT=float32)");
  Says(of("int32", "Equal(ArgMax(MatMul(Cast(x, DstT=float32), W), 1), Max(x, axis=1))"), "DstT=int64)");
  EXPECT_EQ(of("string", "Sqrt(x)").find("Cast("), std::string::npos);
}

TEST(Messages, TheReadersLineComesBeforeTheLibrarys) {
  const std::string error = ErrorOf(
      "include: [lib/nn.yaml]\ngraph:\n  x: {op: Placeholder, dtype: float64, shape: [2, 3]}\n  h: dense(x, "
      "units=4)\n");
  EXPECT_EQ(error.substr(0, 31), "job.yaml:5:6: node 'h/MatMul' (");
  Says(error, "; write Cast(x, DstT=float32); in function 'dense', at ");
  Says(error, "lib/nn.yaml:");
}

TEST(Messages, AFunctionOfTheReadersWinsOverTheLibrarys) {
  const std::string own =
      "include: [lib/nn.yaml]\nfunctions:\n  dense: {args: [x], returns: Neg(x)}\ngraph:\n  h: dense(1.0)\n";
  Says(GraphOf(own), "Neg");
  EXPECT_EQ(GraphOf(own).find("MatMul"), std::string::npos);
  Says(ErrorOf("functions:\n  f: {args: [x], returns: Neg(x)}\n  f: {args: [x], returns: Neg(x)}\n"), "written twice");
}

TEST(Messages, WordsForBoolsOfYaml11) {
  const std::string graph = "\ngraph:\n  x: Const(1.0)\n";
  EXPECT_EQ(ErrorOf("cluster: {soft_placement: True}" + graph), "no error");
  Says(ErrorOf("cluster: {soft_placement: yes}" + graph),
       "'soft_placement' must be true or false (yes, no, on and off are texts in YAML 1.2), not 'yes'");
  Says(ErrorOfExpr("MatMul(x, x, transpose_b=yes)"), "(yes, no, on and off are texts in YAML 1.2), not 'yes'");
  EXPECT_EQ(ErrorOfExpr("MatMul(x, x, transpose_b=TRUE)"), "no error");
}

TEST(Messages, NamesThatAreValues) {
  for (const char* name : {"inf", "nan", "true", "False"}) {
    Says(ErrorOf(StrCat("graph:\n  ", name, ": Const(1.0)\n")), "is a value in expressions and no name for a node");
  }
}

TEST(Messages, WordsThroughParams) {
  const Result<LoadedSpec> spec =
      LoadText("params: {n: rest}\ncluster: {jobs: {ps: 1, worker: '${n}'}}\ngraph:\n  x: Const(1.0)\n", {}, 3);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->job.jobs[1].tasks, JobSize::kRest);
}

// `/` of integers is an error wherever an expression stands, and names what to write.
TEST(Messages, QuotientsOfIntegers) {
  const std::string nodes =
      "graph:\n  image: {op: Placeholder, dtype: uint8, shape: [4]}\n"
      "  count: {op: Variable, shape: [], dtype: int64, init: 8}\n";
  Says(ErrorOf(nodes + "  z: image / 255\n"),
       "job.yaml:5:6: 'image / 255' divides integers (uint8), which `/` does not do: write Cast(image, DstT=float32) / "
       "255 for the fraction, FloorDiv(image, 255) for the quotient rounded down, or Div(image, 255) for the one cut "
       "towards 0");
  Says(ErrorOf(nodes + "  z: (count + 1) / count\n"), "Cast((count + 1), DstT=float32) / Cast(count, DstT=float32)");
  Says(ErrorOf(nodes + "  z: 100 / count\n"), "write 100 / Cast(count, DstT=float32) for");
  Says(ErrorOf(nodes + "  z: '[1, 2] / 2'\n"), "write Cast([1, 2], DstT=float32) / 2 for");
  Says(ErrorOf(nodes + "  z: Square(-(image / 2))\n"), "'(image / 2)' divides integers (uint8)");
  Says(ErrorOf(nodes + "  z: Size(image) / 2\n"), "divides integers (int32)");
  Says(ErrorOf(nodes + "run: {fetch: [image], feed: {image: 'Cast(Fill([4], 6) / 2, DstT=uint8)'}}\n"),
       "divides integers (int32)");
  Says(ErrorOf("functions:\n  half: {args: [x], returns: x / 2}\n" + nodes + "  z: half(image)\n"),
       "'x / 2' divides integers (uint8)");
  Says(ErrorOf(nodes + "  z: Cond(count > 2, count / 2, count)\n"), "'count / 2' divides integers (int64)");
}

TEST(Messages, QuotientsThatAreNone) {
  const std::string nodes =
      "graph:\n  image: {op: Placeholder, dtype: uint8, shape: [4]}\n  x: Cast(image, DstT=float32)\n";
  for (const char* expr :
       {"x / 255", "1 / 10", "7 / 2", "dim(x, 0) / 3", "x / dim(x, 0)", "Div(image, 255)", "FloorDiv(image, 255)",
        "Cast(image, DstT=float32) / 255", "image * 2", "{op: Div, inputs: [image, 3]}", "Reshape(x, [4 / 2, 2])"}) {
    EXPECT_EQ(ErrorOf(nodes + "  z: " + expr + "\n"), "no error") << expr;
  }
}

}  // namespace
}  // namespace dfrun
