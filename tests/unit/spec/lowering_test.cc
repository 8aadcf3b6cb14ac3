// Graphs from expressions and mappings, against graphs written by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "src/spec/seed.h"
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

const Node& NodeOf(const LoadedSpec& spec, const std::string& name) {
  const NodeId id = spec.graph.Find(name);
  EXPECT_GE(id, 0) << name;
  return spec.graph.node(id < 0 ? 0 : id);
}

// A function that nothing calls has errors of its own only, whatever its attrs may stand for.
TEST(Lowering, UncalledFunctionsAreChecked) {
  const auto error = [](const std::string& function) {
    return ErrorOf("cluster: {jobs: {ps: 1}}\nfunctions:\n  g: {args: [x], attrs: {n: ~}, returns: Neg(x)}\n" +
                   function + "graph: {x: 1.0}\n");
  };
  for (const char* good : {
           "  f: {args: [x], attrs: {op: ~}, returns: {y: \"x ${op} x\"}}\n",
           "  f: {args: [x], attrs: {by: ~}, returns: {y: \"MatMul(x, ${by})\"}}\n",
           "  f: {args: [x], attrs: {more: ~}, returns: {y: \"AddN(${more}, x) + h${more}\"}}\n",
           "  f: {args: [x], attrs: {to: ~}, returns: {y: {op: Cast, inputs: [x], DstT: \"${to}\", \"device\": "
           "\"/${to}\"}}}\n",
           "  f: {args: [x], returns: {y: \"g(x, n=dim(x, 0)) + Sum(g(x=x, n=Abs), axis=[0, 1])\"}}\n",
           "  f: {args: [x], graph: {p: {each: 3, op: Mul, inputs: [x, \"${i}\"]}}, returns: AddN(p/*) + p/1}\n",
           "  f: {args: [x], graph: {W: {op: Variable, shape: [2], init: ones}}, returns: W + "
           "RandomUniform(shape=Shape(x))}\n",
           "  f: {args: [x], graph: {a: g(x), b: a/Neg + x}, returns: {a: a, b: b}}\n",
           "  f: {args: [x], returns: {y: \"Cond(x > 0, Sqrt(x), [x])\", z: \"While(x, cond=g, body=g)\"}}\n",
       }) {
    EXPECT_EQ(error(good), "no error") << good;
  }
  EXPECT_EQ(error("  f: {args: [x], returns: {y: \"Neg(x, x)\"}}\n").substr(0, 40),
            "job.yaml:5:39: Neg takes 1 input, this i");
  EXPECT_EQ(error("  f: {args: [x], attrs: {n: ~}, returns: {y: \"Neg(${n}, z)\"}}\n"),
            "job.yaml:5:57: unknown node 'z'; function 'f' sees its arguments and its own nodes");
  EXPECT_EQ(error("  f: {args: [x], returns: {y: \"Neg(x, ^z)\"}}\n"),
            "job.yaml:5:39: unknown node 'z'; function 'f' sees its arguments and its own nodes");
  EXPECT_EQ(error("  f: {args: [x], returns: {y: {op: Neg, inputs: [x], device: /job:pss}}}\n").substr(0, 15),
            "job.yaml:5:62: ");
  EXPECT_EQ(error("  f: {args: [x], attrs: {n: \"${m}\"}, returns: {y: Neg(x)}}\n").substr(0, 32),
            "job.yaml:5:30: unknown param 'm'");
}

TEST(Lowering, TheOutermostOpHasTheNodesName) {
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {op: Placeholder, dtype: float32, shape: [-1, 3]}\n"
                    "  y: Square(Neg(x) + Neg(x))\n"),
            "x = Placeholder() {dtype=float32, shape=[?,3]} -> float32[?,3]\n"
            "y/Neg = Neg(x) {T=float32} -> float32[?,3]\n"
            "y/Neg_1 = Neg(x) {T=float32} -> float32[?,3]\n"
            "y/Add = Add(y/Neg, y/Neg_1) {T=float32} -> float32[?,3]\n"
            "y = Square(y/Add) {T=float32} -> float32[?,3]\n");
}

TEST(Lowering, OrderOfTheEntriesIsFree) {
  EXPECT_EQ(GraphOf("graph:\n  y: Neg(x)\n  x: [1.5]\n"),
            "x = Const() {dtype=float32, value=<float32[1] 1.5>} -> float32[1]\n"
            "y = Neg(x) {T=float32} -> float32[1]\n");
}

TEST(Lowering, ALongChainInReverseOrderNeedsNoStack) {
  std::string text = "graph:\n";
  for (int i = 20'000; i > 0; --i) text += "  n" + std::to_string(i) + ": Neg(n" + std::to_string(i - 1) + ")\n";
  const Result<LoadedSpec> spec = LoadText(text + "  n0: 1.0\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.num_nodes(), 20'001);
}

TEST(Lowering, ANumberHasTheDTypeOfTheOtherOperand) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  d: {op: Placeholder, dtype: float64}\n"
      "  i: {op: Placeholder, dtype: int64}\n"
      "  a: d * 2\n"
      "  b: 1 - i\n"
      "  c: 0.5\n"
      "  e: 3\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(NodeOf(*spec, "a/y").output_types[0].dtype, DType::kDouble);
  EXPECT_EQ(NodeOf(*spec, "b/x").output_types[0].dtype, DType::kInt64);
  EXPECT_EQ(NodeOf(*spec, "c").output_types[0].dtype, DType::kFloat);
  EXPECT_EQ(NodeOf(*spec, "e").output_types[0].dtype, DType::kInt32);
}

TEST(Lowering, ConstantsStandWhereTensorFlowTakesInputs) {
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {op: Placeholder, dtype: float32, shape: [2, 3]}\n"
                    "  r: Reshape(x, shape=[3, -1])\n"
                    "  t: Transpose(x, perm=[1, 0])\n"
                    "  m: {op: Mean, inputs: [x], axis: [0, 1], keepdims: true}\n"
                    "  a: ArgMax(x, 1)\n"
                    "  s: Sum(x)\n"),
            "x = Placeholder() {dtype=float32, shape=[2,3]} -> float32[2,3]\n"
            "r/shape = Const() {dtype=int32, value=<int32[2] 3 -1>} -> int32[2]\n"
            "r = Reshape(x, r/shape) {T=float32, Tshape=int32} -> float32[3,2]\n"
            "t/perm = Const() {dtype=int32, value=<int32[2] 1 0>} -> int32[2]\n"
            "t = Transpose(x, t/perm) {T=float32, Tperm=int32} -> float32[3,2]\n"
            "m/reduction_indices = Const() {dtype=int32, value=<int32[2] 0 1>} -> int32[2]\n"
            "m = Mean(x, m/reduction_indices) {T=float32, Tidx=int32, keep_dims=true} -> float32[1,1]\n"
            "a/dimension = Const() {dtype=int32, value=<int32[] 1>} -> int32[]\n"
            "a = ArgMax(x, a/dimension) {T=float32, Tidx=int32, output_type=int64} -> int64[2]\n"
            "s/reduction_indices = Const() {dtype=int32, value=<int32[2] 0 1>} -> int32[2]\n"
            "s = Sum(x, s/reduction_indices) {T=float32, Tidx=int32, keep_dims=false} -> float32[]\n");
}

TEST(Lowering, AllAxesOfAnUnknownRankAreWorkedOutInTheStep) {
  EXPECT_EQ(GraphOf("graph:\n  x: {op: Placeholder, dtype: float32}\n  s: Sum(x)\n"),
            "x = Placeholder() {dtype=float32, shape=<unknown>} -> float32<unknown>\n"
            "s/reduction_indices/Rank = Rank(x) {T=float32} -> int32[]\n"
            "s/reduction_indices/start = Const() {dtype=int32, value=<int32[] 0>} -> int32[]\n"
            "s/reduction_indices/delta = Const() {dtype=int32, value=<int32[] 1>} -> int32[]\n"
            "s/reduction_indices = Range(s/reduction_indices/start, s/reduction_indices/Rank, "
            "s/reduction_indices/delta) {Tidx=int32} -> int32[?]\n"
            "s = Sum(x, s/reduction_indices) {T=float32, Tidx=int32, keep_dims=false} -> float32<unknown>\n");
}

TEST(Lowering, RepeatedInputsTakeListsAndRows) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  a: [1.0, 2.0]\n"
      "  b: [3.0, 4.0]\n"
      "  row: ConcatV2(a, b, axis=0)\n"
      "  list: ConcatV2([a, b], 0)\n"
      "  mapped: {op: ConcatV2, inputs: [[a, b, a], 0]}\n"
      "  packed: Pack([a, b, 2])\n");
  ASSERT_FALSE(spec.ok());  // a scalar does not pack with vectors
  const Result<LoadedSpec> good = LoadText(
      "graph:\n"
      "  a: [1.0, 2.0]\n"
      "  b: [3.0, 4.0]\n"
      "  row: ConcatV2(a, b, axis=0)\n"
      "  list: ConcatV2([a, b], 0)\n"
      "  mapped: {op: ConcatV2, inputs: [[a, b, a], 0]}\n"
      "  packed: Pack([a, [5, 6]])\n");
  ASSERT_TRUE(good.ok()) << good.status().ToString();
  EXPECT_EQ(NodeOf(*good, "row").output_shapes[0], PartialShape({4}));
  EXPECT_EQ(NodeOf(*good, "list").output_shapes[0], PartialShape({4}));
  EXPECT_EQ(NodeOf(*good, "mapped").output_shapes[0], PartialShape({6}));
  EXPECT_EQ(NodeOf(*good, "packed").output_shapes[0], PartialShape({2, 2}));
  EXPECT_EQ(NodeOf(*good, "packed/values").output_types[0].dtype, DType::kFloat);
}

TEST(Lowering, PortsControlsDevicesAndColocation) {
  EXPECT_EQ(GraphOf("graph:\n"
                    "  x: {op: Placeholder, dtype: float32, shape: [4, 2]}\n"
                    "  halves: {op: Split, inputs: [0, x], num_split: 2}\n"
                    "  y: {op: Sub, inputs: [halves, \"halves:1\"], control: [^x], device: /job:worker, "
                    "colocate_with: x}\n"
                    "  z: Neg(y, ^halves)\n"),
            "x = Placeholder() {dtype=float32, shape=[4,2]} -> float32[4,2]\n"
            "halves/split_dim = Const() {dtype=int32, value=<int32[] 0>} -> int32[]\n"
            "halves = Split(halves/split_dim, x) {T=float32, num_split=2} -> float32[2,2], float32[2,2]\n"
            "y = Sub(halves, halves:1, ^x) {T=float32} -> float32[2,2] device=/job:worker colocate=x\n"
            "z = Neg(y, ^halves) {T=float32} -> float32[2,2]\n");
}

TEST(Lowering, WhitePaperSpellingsMeanTheSameOps) {
  EXPECT_EQ(GraphOf("graph: {c: {op: Constant, value: [1, 2], dtype: int64}}\n"),
            "c = Const() {dtype=int64, value=<int64[2] 1 2>} -> int64[2]\n");
}

TEST(Lowering, VariablesHaveTheirFirstValueBeside) {
  const Result<LoadedSpec> spec = LoadText(
      "cluster: {jobs: {ps: 1, worker: rest}}\n"
      "graph:\n"
      "  W: {op: Variable, shape: [2, 3], init: ones, device: /job:ps}\n"
      "  b: {op: Variable, shape: [2], init: [0.5, 1.5], trainable: false}\n"
      "  n: {op: Variable, shape: [], init: 7, dtype: int64}\n"
      "  e: \"Variable(shape=[3], init=Neg(Fill([3], 2.0)))\"\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(DumpText(spec->graph),
            "W = VariableV2() {container=\"\", dtype=float32, shape=[2,3], shared_name=\"\"} -> ref float32[2,3] "
            "device=/job:ps\n"
            "W/init/dims = Const() {dtype=int32, value=<int32[2] 2 3>} -> int32[2] device=/job:ps\n"
            "W/init/value = Const() {dtype=float32, value=<float32[] 1>} -> float32[] device=/job:ps\n"
            "W/init = Fill(W/init/dims, W/init/value) {T=float32, index_type=int32} -> float32[2,3] device=/job:ps\n"
            "b = VariableV2() {container=\"\", dtype=float32, shape=[2], shared_name=\"\"} -> ref float32[2]\n"
            "b/init = Const() {dtype=float32, value=<float32[2] 0.5 1.5>} -> float32[2]\n"
            "n = VariableV2() {container=\"\", dtype=int64, shape=[], shared_name=\"\"} -> ref int64[]\n"
            "n/init = Const() {dtype=int64, value=<int64[] 7>} -> int64[]\n"
            "e = VariableV2() {container=\"\", dtype=float32, shape=[3], shared_name=\"\"} -> ref float32[3]\n"
            "e/init/Fill/dims = Const() {dtype=int32, value=<int32[1] 3>} -> int32[1]\n"
            "e/init/Fill/value = Const() {dtype=float32, value=<float32[] 2>} -> float32[]\n"
            "e/init/Fill = Fill(e/init/Fill/dims, e/init/Fill/value) {T=float32, index_type=int32} -> float32[3]\n"
            "e/init = Neg(e/init/Fill) {T=float32} -> float32[3]\n");
  ASSERT_EQ(spec->job.variables.size(), 4u);
  const std::vector<bool> trainable = {true, false, false, true};
  const std::vector<std::string> names = {"W", "b", "n", "e"};
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(spec->graph.node(spec->job.variables[i].node).name, names[i]);
    EXPECT_EQ(OutputName(spec->graph, spec->job.variables[i].init), names[i] + "/init");
    EXPECT_EQ(spec->job.variables[i].trainable, trainable[i]) << names[i];
  }
}

TEST(Lowering, VariablesSayHowTheyAreReducedAndWhetherTheyAreFinite) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  W: {op: Variable, shape: [2], init: ones}\n"
      "  average: {op: Variable, shape: [2], init: zeros, reduce: mean}\n"
      "  n: {op: Variable, shape: [], init: 0, dtype: int64, reduce: sum, finite: false}\n"
      "  mean: Neg(average)\n");  // no node that the variable would wait for
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const std::vector<VariableSpec>& variables = spec->job.variables;
  ASSERT_EQ(variables.size(), 3u);
  EXPECT_EQ(variables[0].reduce, VariableSpec::Reduce::kUnsaid);
  EXPECT_TRUE(variables[0].finite);
  EXPECT_EQ(variables[1].reduce, VariableSpec::Reduce::kMean);
  EXPECT_EQ(variables[2].reduce, VariableSpec::Reduce::kSum);
  EXPECT_FALSE(variables[2].finite);
}

TEST(Lowering, FunctionsMakeScopes) {
  EXPECT_EQ(GraphOf("functions:\n"
                    "  affine:\n"
                    "    args: [x]\n"
                    "    attrs: {units: ~, f: Neg}\n"
                    "    graph:\n"
                    "      W: {op: Variable, shape: [\"dim(x, 1)\", \"${units}\"], init: zeros}\n"
                    "    returns: {y: \"${f}(MatMul(x, W))\"}\n"
                    "graph:\n"
                    "  x: {op: Placeholder, dtype: float32, shape: [-1, 3]}\n"
                    "  h: affine(x, units=1 + 1)\n"
                    "  y: Square(affine(h, units=1, f=Abs) * 2)\n"),
            "x = Placeholder() {dtype=float32, shape=[?,3]} -> float32[?,3]\n"
            "h/W = VariableV2() {container=\"\", dtype=float32, shape=[3,2], shared_name=\"\"} -> ref float32[3,2]\n"
            "h/W/init/dims = Const() {dtype=int32, value=<int32[2] 3 2>} -> int32[2]\n"
            "h/W/init/value = Const() {dtype=float32, value=<float32[] 0>} -> float32[]\n"
            "h/W/init = Fill(h/W/init/dims, h/W/init/value) {T=float32, index_type=int32} -> float32[3,2]\n"
            "h/MatMul = MatMul(x, h/W) {T=float32, grad_a=false, grad_b=false, transpose_a=false, "
            "transpose_b=false} -> float32[?,2]\n"
            "h = Neg(h/MatMul) {T=float32} -> float32[?,2]\n"
            "y/affine/W = VariableV2() {container=\"\", dtype=float32, shape=[2,1], shared_name=\"\"} -> ref "
            "float32[2,1]\n"
            "y/affine/W/init/dims = Const() {dtype=int32, value=<int32[2] 2 1>} -> int32[2]\n"
            "y/affine/W/init/value = Const() {dtype=float32, value=<float32[] 0>} -> float32[]\n"
            "y/affine/W/init = Fill(y/affine/W/init/dims, y/affine/W/init/value) {T=float32, index_type=int32} -> "
            "float32[2,1]\n"
            "y/affine/MatMul = MatMul(h, y/affine/W) {T=float32, grad_a=false, grad_b=false, transpose_a=false, "
            "transpose_b=false} -> float32[?,1]\n"
            "y/affine = Abs(y/affine/MatMul) {T=float32} -> float32[?,1]\n"
            "y/Mul/y = Const() {dtype=float32, value=<float32[] 2>} -> float32[]\n"
            "y/Mul = Mul(y/affine, y/Mul/y) {T=float32} -> float32[?,1]\n"
            "y = Square(y/Mul) {T=float32} -> float32[?,1]\n");
}

TEST(Lowering, FunctionsReturnSeveralValues) {
  const std::string functions =
      "functions:\n"
      "  two:\n"
      "    args: [x, scale]\n"
      "    graph: {h: x * scale}\n"
      "    returns: {h: h, sum: Sum(h)}\n";
  EXPECT_EQ(GraphOf(functions + "graph:\n"
                                "  a: [1.0, 2.0]\n"
                                "  t: two(a, 3.0)\n"
                                "  u: t * t:1\n"
                                "  v: t/h + t/sum\n"),
            "a = Const() {dtype=float32, value=<float32[2] 1 2>} -> float32[2]\n"
            "t/scale = Const() {dtype=float32, value=<float32[] 3>} -> float32[]\n"
            "t/h = Mul(a, t/scale) {T=float32} -> float32[2]\n"
            "t/sum/reduction_indices = Const() {dtype=int32, value=<int32[1] 0>} -> int32[1]\n"
            "t/sum = Sum(t/h, t/sum/reduction_indices) {T=float32, Tidx=int32, keep_dims=false} -> float32[]\n"
            "u = Mul(t/h, t/sum) {T=float32} -> float32[2]\n"
            "v = Add(t/h, t/sum) {T=float32} -> float32[2]\n");
}

TEST(Lowering, AFunctionAsAMappingPassesItsOptionsOn) {
  const Result<LoadedSpec> spec = LoadText(
      "functions: {twice: {args: [x], returns: \"Neg(Neg(x))\"}}\n"
      "graph:\n"
      "  a: {op: Placeholder, dtype: float32}\n"
      "  go: {op: Placeholder, dtype: float32}\n"
      "  t: {op: twice, inputs: [a], device: /job:worker/task:1, control: [go]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  for (const char* name : {"t", "t/Neg"}) {
    EXPECT_EQ(NodeOf(*spec, name).device, "/job:worker/task:1") << name;
    EXPECT_EQ(NodeOf(*spec, name).control_inputs, std::vector<NodeId>{spec->graph.Find("go")}) << name;
  }
}

TEST(Lowering, NamesOfEntriesAreKeptForThem) {
  EXPECT_EQ(GraphOf("graph:\n  y: Square(Neg(x))\n  y/Neg: [1.0]\n  x: [2.0]\n"),
            "x = Const() {dtype=float32, value=<float32[1] 2>} -> float32[1]\n"
            "y/Neg_1 = Neg(x) {T=float32} -> float32[1]\n"
            "y = Square(y/Neg_1) {T=float32} -> float32[1]\n"
            "y/Neg = Const() {dtype=float32, value=<float32[1] 1>} -> float32[1]\n");
}

TEST(Lowering, IncludesGiveFunctionsParamsAndNodes) {
  const ScratchDirectory directory;
  directory.Write("lib/more.yaml", "functions: {negate: {args: [x], returns: {y: Neg(x)}}}\n");
  directory.Write("lib/base.yaml", "include: [more.yaml]\nparams: {n: 1, m: 2}\ngraph: {k: \"[${n}, ${m}]\"}\n");
  const std::string path = directory.Write(
      "job.yaml", "dfrun: 1\ninclude: [lib/base.yaml, lib/more.yaml]\nparams: {n: 5}\ngraph: {y: negate(k)}\n");
  const Result<LoadedSpec> spec = LoadSpec(path, {});
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(DumpText(spec->graph),
            "k = Const() {dtype=int32, value=<int32[2] 5 2>} -> int32[2]\n"
            "y = Neg(k) {T=int32} -> int32[2]\n");
  EXPECT_EQ(spec->graph.files()[static_cast<size_t>(NodeOf(*spec, "y").location.file)],
            directory.Path("lib/more.yaml"));
}

TEST(Lowering, NodesKnowTheirPlaces) {
  const Result<LoadedSpec> spec = LoadText("graph:\n  x: [1.0]\n  y: Neg(Square(x))\n");
  ASSERT_TRUE(spec.ok());
  const SourceLocation inner = NodeOf(*spec, "y/Square").location;
  EXPECT_EQ(inner.line, 4);
  EXPECT_EQ(inner.column, 10);
}

// The one element of a constant.
float ScalarOf(const LoadedSpec& spec, const std::string& name) {
  return spec.graph.ConstantValue({NodeOf(spec, name).id, 0})->scalar<float>();
}

TEST(Lowering, RandomValuesTakeTheShapeOfTheirVariable) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  U: {op: Variable, shape: [2, 3], init: \"RandomUniform(minval=-1, maxval=3)\"}\n"
      "  N: {op: Variable, shape: [4], init: \"RandomNormal(stddev=0.5)\", dtype: float64}\n"
      "  P: {op: Variable, shape: [5], init: RandomUniform()}\n"
      "  x: \"RandomUniform(shape=[7])\"\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  // The form is that of TensorFlow's random_uniform: draw * (maxval - minval) + minval.
  EXPECT_EQ(NodeOf(*spec, "U/init").op->name, "Add");
  EXPECT_EQ(ScalarOf(*spec, "U/init/y"), -1.0f);
  EXPECT_EQ(NodeOf(*spec, "U/init/Mul").op->name, "Mul");
  EXPECT_EQ(ScalarOf(*spec, "U/init/Mul/y"), 4.0f);
  const Node& draw = NodeOf(*spec, "U/init/RandomUniform");
  EXPECT_EQ(draw.output_shapes[0], PartialShape({2, 3}));
  EXPECT_EQ(*draw.attrs.Get<int64_t>("seed"), SeedsOf(0, "U/init/RandomUniform").seed);
  EXPECT_EQ(*draw.attrs.Get<int64_t>("seed2"), SeedsOf(0, "U/init/RandomUniform").seed2);
  EXPECT_EQ(NodeOf(*spec, "N/init").op->name, "Mul");
  EXPECT_EQ(NodeOf(*spec, "N/init/RandomStandardNormal").output_types[0].dtype, DType::kDouble);
  EXPECT_EQ(NodeOf(*spec, "P/init").op->name, "RandomUniform");
  EXPECT_EQ(NodeOf(*spec, "P/init").output_shapes[0], PartialShape({5}));
  EXPECT_EQ(NodeOf(*spec, "x").output_types[0].dtype, DType::kFloat);
}

TEST(Lowering, VarianceScalingKnowsTheFans) {
  // Uniform in [-limit, limit] has variance limit^2 / 3, and that is to be scale / fan.
  const auto limit = [](const std::string& shape, const std::string& args) {
    const Result<LoadedSpec> spec =
        LoadText("graph: {W: {op: Variable, shape: " + shape + ", init: \"VarianceScaling(" + args + ")\"}}\n");
    EXPECT_TRUE(spec.ok()) << spec.status().ToString();
    return spec.ok() ? -ScalarOf(*spec, "W/init/y") : 0.0f;
  };
  EXPECT_FLOAT_EQ(limit("[50, 10]", "scale=2"), std::sqrt(3 * 2.0f / 50));
  EXPECT_FLOAT_EQ(limit("[50, 10]", "mode=fan_out"), std::sqrt(3 * 1.0f / 10));
  EXPECT_FLOAT_EQ(limit("[50, 10]", "mode=fan_avg"), std::sqrt(3 * 1.0f / 30));
  EXPECT_FLOAT_EQ(limit("[3, 3, 8, 16]", "scale=2"), std::sqrt(3 * 2.0f / 72));
  const Result<LoadedSpec> normal =
      LoadText("graph: {W: {op: Variable, shape: [25, 4], init: \"VarianceScaling(distribution=normal)\"}}\n");
  ASSERT_TRUE(normal.ok()) << normal.status().ToString();
  EXPECT_FLOAT_EQ(ScalarOf(*normal, "W/init/y"), 0.2f);
}

TEST(Lowering, RandomScalars) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  v: {op: Variable, shape: [], init: \"RandomUniform(minval=-1, maxval=3)\"}\n"
      "  x: \"RandomStandardNormal(shape=[], dtype=float32)\"\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->graph.shape(*spec->graph.ParseOutput("x")), PartialShape::Scalar());
}

TEST(Lowering, RandomErrors) {
  const auto error = [](const std::string& init) {
    return ErrorOf("graph: {W: {op: Variable, shape: [2], init: \"" + init + "\"}}\n");
  };
  EXPECT_EQ(error("VarianceScaling(scale=0)"), "job.yaml:2:68: 'scale' must be a number above 0");
  EXPECT_EQ(error("VarianceScaling(mode=fan)"), "job.yaml:2:67: 'mode' must be one of fan_in, fan_out, fan_avg");
  EXPECT_EQ(error("VarianceScaling(scal=1)"),
            "job.yaml:2:62: unknown key 'scal' of VarianceScaling, did you mean 'scale'?");
  EXPECT_EQ(ErrorOf("graph: {x: VarianceScaling()}\n"),
            "job.yaml:2:12: VarianceScaling(scale=, mode=, distribution=) is for the 'init' of a variable");
}

TEST(Seeds, AreFixedAndDifferByNameAndSpec) {
  const OpSeeds a = SeedsOf(0, "W/init");
  EXPECT_EQ(a.seed, SeedsOf(0, "W/init").seed);
  EXPECT_NE(a.seed, SeedsOf(0, "V/init").seed);
  EXPECT_NE(a.seed, SeedsOf(1, "W/init").seed);
  EXPECT_NE(a.seed, a.seed2);
  for (int i = 0; i < 1000; ++i) {
    const OpSeeds s = SeedsOf(i, "x");
    EXPECT_GT(s.seed, 0);
    EXPECT_LT(s.seed, int64_t{1} << 31);
    EXPECT_GT(s.seed2, 0);
  }
}

TEST(Lowering, NodesWithoutOutputsCanBeWaitedFor) {
  const std::string graph = GraphOf("graph:\n  n: NoOp()\n  a: {op: Const, value: 1, control: [n]}\n  b: Neg(a, ^n)\n");
  EXPECT_NE(graph.find("a = Const(^n)"), std::string::npos) << graph;
  EXPECT_NE(graph.find("b = Neg(a, ^n)"), std::string::npos) << graph;
}

TEST(Lowering, AnyOutputCanBeFed) {
  const Result<LoadedSpec> spec = LoadText(
      "graph:\n  s: {op: Split, inputs: [0, [1.0, 2.0]], num_split: 2}\n  y: Neg(s:1)\n"
      "run: {feed: {'s:1': '[5.0]'}, fetch: [y]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  ASSERT_EQ(spec->job.run->feeds.size(), 1U);
  EXPECT_EQ(spec->job.run->feeds[0].target.port, 1);
}

}  // namespace
}  // namespace dfrun
