#include "src/passes/fuse_elementwise.h"

#include <gtest/gtest.h>

#include <random>

#include "kernels/math/elementwise/fused_elementwise_limits.h"
#include "tests/unit/testing/elementwise_ops.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

Status FuseAll(Graph& graph, int64_t least_elements) {
  return FuseElementwise(graph, {least_elements, kMaxSteps, kMaxOperands}, 1);
}

class FuseElementwiseTest : public ::testing::Test {
 protected:
  Output Placeholder(const std::string& name, PartialShape shape = {4, 4}) {
    return g.Placeholder(name, std::move(shape), DType::kFloat);
  }
  // A node that waits for others.
  Output AddAfter(const std::string& name, const std::string& op, const std::vector<Output>& inputs,
                  const std::vector<Output>& before) {
    const Output made = g.Add(name, op, inputs);
    for (Output output : before) g.node(made).control_inputs.push_back(output.node);
    return made;
  }
  void Fuse(int64_t least = 2) {
    for (const Status& status : {testing::RunPass("remove_identity", g.graph), FuseAll(g.graph, least)}) {
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    ASSERT_TRUE(g.graph.TopologicalOrder().ok());
  }
  std::string OpOf(const std::string& name) const {
    return g.Find(name) == nullptr ? "gone" : std::string(g.Find(name)->op->name);
  }
  Names StepsOf(const std::string& name) const {
    const Result<Names> steps = g.Find(name)->attrs.Get<Names>("steps");
    return steps.ok() ? *steps : Names{steps.status().ToString()};
  }

  testing::GraphMaker g;
  const Output x = Placeholder("x");
  const Output y = Placeholder("y");
};

TEST_F(FuseElementwiseTest, WhatHangsTogetherBecomesOneNode) {
  const Output product = g.Add("product", "Mul", {x, y});
  const Output sum = g.Add("sum", "AddN", {product, x, y});
  const Output end = g.Add("tanh", "Tanh", {sum});
  g.Add("reader", "MatMul", {end, product});
  Fuse();
  ASSERT_EQ(OpOf("tanh"), "_FusedElementwise");
  EXPECT_EQ(OpOf("product"), "gone");
  EXPECT_EQ(OpOf("sum"), "gone");
  EXPECT_EQ(g.InputsOf("tanh"), (Names{"x", "y"}));
  EXPECT_EQ(StepsOf("tanh"), (Names{"Mul 0 1", "AddN 2 0 1", "Tanh 3"}));
  const Node* reader = g.Find("reader");
  const NodeId fused = g.graph.Find("tanh");
  EXPECT_EQ(reader->inputs[0], (Output{fused, 1}));
  EXPECT_EQ(reader->inputs[1], (Output{fused, 0}));
  EXPECT_EQ(g.Find("tanh")->output_shapes[1], PartialShape({4, 4}));
}

TEST_F(FuseElementwiseTest, ScalarsAreTakenAlong) {
  const Output half = g.Const("half", Tensor::Scalar<float>(0.5F));
  const Output one = g.Const("one", Tensor::Vector<float>({1}));
  g.Add("end", "Sub", {one, g.Add("product", "Mul", {x, half})});
  Fuse();
  ASSERT_EQ(OpOf("end"), "_FusedElementwise");
  EXPECT_EQ(g.InputsOf("end"), (Names{"x", "half", "one"}));
  EXPECT_EQ(StepsOf("end"), (Names{"Mul 0 1", "Sub 2 3"}));
  EXPECT_EQ(*g.Find("end")->attrs.Get<std::vector<int64_t>>("scalars"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(g.Find("end")->output_shapes[0], PartialShape({4, 4}));
}

// However wide a graph is, the kernel has room for what becomes of it.
TEST_F(FuseElementwiseTest, WideGroupsFitTheKernel) {
  for (const int width : {2, 60, 64, 70, 191, 192, 200, 400}) {
    testing::GraphMaker wide;
    testing::GraphEvaluator::Values feeds;
    std::vector<Output> terms;
    std::vector<Output> products;
    for (int i = 0; i < width; ++i) {
      const std::string name = StrCat("x", i);
      terms.push_back(wide.Placeholder(name, {2, 2}, DType::kFloat));
      products.push_back(wide.Add(StrCat("neg", i), "Neg", {terms.back()}));
      Tensor value(DType::kFloat, Shape({2, 2}));
      std::fill_n(value.data<float>(), 4, 0.25F * static_cast<float>(i));
      feeds[name] = {value};
    }
    const Output sums[] = {wide.Add("sum", "AddN", terms), wide.Add("sum_of_negated", "AddN", products)};
    wide.Add("end", "Add", {sums[0], sums[1]});
    const Status status = FuseAll(wide.graph, 2);
    ASSERT_TRUE(status.ok()) << status.ToString();
    testing::GraphEvaluator evaluator(feeds);
    const Result<int> left = evaluator.Run(wide.graph);
    ASSERT_TRUE(left.ok()) << width << ": " << left.status().ToString();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(evaluator.values().at("end")[0].data<float>()[i], 0) << width;
  }
}

TEST_F(FuseElementwiseTest, ATargetThatNothingReadsIsComputed) {
  g.Add("end", "Neg", {g.Add("product", "Mul", {x, y})});
  Fuse();
  ASSERT_EQ(OpOf("end"), "_FusedElementwise");
  EXPECT_EQ(g.Find("end")->num_outputs(), 1);
}

// TensorFlow's gradients have this form: Identities that wait for their sisters.
TEST_F(FuseElementwiseTest, IdentitiesAndWhatWaitsWithinGoToo) {
  const Output root = g.Add("root", "Neg", {x});
  const Output a = g.Add("a", "Mul", {root, x});
  const Output b = g.Add("b", "Mul", {root, y});
  const Output both = AddAfter("both", "NoOp", {}, {a, b});
  const Output a1 = AddAfter("a1", "Identity", {a}, {both});
  const Output b1 = AddAfter("b1", "Identity", {b}, {both});
  const Output end = g.Add("end", "Sub", {a1, b1});
  g.Add("reader", "MatMul", {end, a1});
  AddAfter("waiter", "NoOp", {}, {both});
  Fuse();
  ASSERT_EQ(OpOf("end"), "_FusedElementwise");
  for (const char* name : {"root", "a", "b", "a1", "b1"}) EXPECT_EQ(OpOf(name), "gone") << name;
  EXPECT_EQ(StepsOf("end"), (Names{"Neg 0", "Mul 2 0", "Mul 2 1", "Sub 3 4"}));
  EXPECT_EQ(g.ControlsOf("waiter"), Names{"both"});
  EXPECT_EQ(g.ControlsOf("both"), Names{"end"});
  EXPECT_EQ(g.ControlsOf("end"), Names{});
}

TEST_F(FuseElementwiseTest, WhatTheFirstWaitsForTheFusedNodeWaitsFor) {
  const Output before = g.Add("before", "NoOp");
  const Output first = AddAfter("first", "Neg", {x}, {before});
  g.Add("end", "Exp", {first});
  Fuse();
  ASSERT_EQ(OpOf("end"), "_FusedElementwise");
  EXPECT_EQ(g.ControlsOf("end"), Names{"before"});
}

TEST_F(FuseElementwiseTest, NoWayLeadsOutAndIn) {
  const Output a = g.Add("a", "Neg", {x});
  const Output b = g.Add("b", "Exp", {a});
  const Output outside = g.Add("outside", "MatMul", {b, y});
  const Output c = g.Add("c", "Mul", {a, outside});
  g.Add("d", "Tanh", {c});
  Fuse();
  EXPECT_EQ(OpOf("b"), "_FusedElementwise");
  EXPECT_EQ(OpOf("d"), "_FusedElementwise");
  EXPECT_EQ(g.InputsOf("outside"), (Names{"b", "y"}));
}

// Each fusion alone would be right, but together they would make two groups wait for each other.
TEST_F(FuseElementwiseTest, NoTwoGroupsWaitForEachOther) {
  const Output z = Placeholder("z", {4, 5});
  const Output a1 = g.Add("a1", "Neg", {x});
  const Output b1 = g.Add("b1", "Neg", {z});
  const Output a2 = AddAfter("a2", "Exp", {a1}, {});
  const Output b2 = AddAfter("b2", "Exp", {b1}, {});
  const Output from_b = g.Add("from_b", "MatMul", {b1, b1}, {{"transpose_b", true}});
  const Output from_a = g.Add("from_a", "MatMul", {a1, z});
  const Output a3 = g.Add("a3", "Mul", {a2, from_b});
  const Output b3 = g.Add("b3", "Mul", {b2, from_a});
  g.Add("a4", "Tanh", {a3});
  g.Add("b4", "Tanh", {b3});
  Fuse();
}

TEST_F(FuseElementwiseTest, WhatComesLateDoesNotKeepOthersWaiting) {
  const Output a = g.Add("a", "Neg", {x});
  const Output b = g.Add("b", "Exp", {a});
  const Output late = g.Add("late", "MatMul", {x, y});
  g.Add("early_reader", "MatMul", {b, y});
  g.Add("end", "Mul", {b, late});
  Fuse();
  EXPECT_EQ(OpOf("b"), "_FusedElementwise");
  EXPECT_EQ(OpOf("end"), "Mul");
}

TEST_F(FuseElementwiseTest, OtherShapesDtypesAndRefsStay) {
  g.Add("small", "Exp", {g.Add("small0", "Neg", {Placeholder("one", {1})})});
  g.Add("unknown", "Exp", {g.Add("unknown0", "Neg", {Placeholder("u", PartialShape::UnknownOfRank(2))})});
  g.Add("broadcast", "Mul", {g.Add("broadcast0", "Neg", {x}), Placeholder("row", {4})});
  g.Add("double", "Exp", {g.Add("double0", "Neg", {g.Placeholder("d", {4, 4})})});
  const Output variable =
      g.Add("variable", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({4, 4})}});
  g.Add("read", "Exp", {g.Add("read0", "Neg", {variable})});
  Fuse();
  for (const char* name : {"small", "unknown", "double", "read"}) EXPECT_EQ(OpOf(name), "Exp") << name;
  EXPECT_EQ(OpOf("broadcast"), "Mul");
}

// A cell with gates reads the columns of a product in place.
TEST_F(FuseElementwiseTest, ColumnsAreTakenApartInPlace) {
  const Output axis = g.Scalar<int32_t>("axis", 1);
  const Output product = g.Add("product", "MatMul", {x, Placeholder("w", {4, 8})});
  const Output gates = g.Add("gates", "Split", {axis, product}, {{"num_split", int64_t{2}}});
  const Output one = g.Add("sigmoid", "Sigmoid", {gates});
  const Output other = g.Add("tanh", "Tanh", {{gates.node, 1}});
  const Output both = g.Add("both", "Mul", {one, other});
  g.Add("end", "MatMul", {g.Add("last", "Relu", {both}), x});
  Fuse();
  ASSERT_EQ(OpOf("last"), "_FusedElementwise");
  EXPECT_EQ(OpOf("gates"), "gone");
  EXPECT_EQ(g.InputsOf("last"), (Names{"product", "product"}));
  EXPECT_EQ(StepsOf("last"), (Names{"Sigmoid 0", "Tanh 1", "Mul 2 3", "Relu 4"}));
  const AttrMap& attrs = g.Find("last")->attrs;
  EXPECT_EQ(*attrs.Get<PartialShape>("shape"), PartialShape({4, 4}));
  EXPECT_EQ(*attrs.Get<std::vector<int64_t>>("first_columns"), (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(*attrs.Get<std::vector<int64_t>>("outputs"), (std::vector<int64_t>{5}));
}

// TensorFlow's gradients are tied together in this way: each waits for all.
TEST_F(FuseElementwiseTest, WhoWaitsForColumnsOfAProductWaitsForTheProduct) {
  const Output product = g.Add("product", "MatMul", {x, Placeholder("w", {4, 8})});
  const auto slice = [&](const std::string& name, int32_t first) {
    return g.Add(name, "Slice",
                 {product, g.Const(name + "_begin", Tensor::Vector<int32_t>({0, first})),
                  g.Const(name + "_size", Tensor::Vector<int32_t>({4, 4}))});
  };
  const Output left = slice("left", 0);
  const Output right = slice("right", 4);
  NodeSpec all;
  all.name = "all";
  all.op = "NoOp";
  all.control_inputs = {left.node, right.node};
  const Output waits = g.Add(all);
  const Output tied = AddAfter("tied", "Identity", {right}, {waits});
  g.Add("end", "Tanh", {g.Add("sum", "AddV2", {tied, y})});
  g.Add("reader", "MatMul", {left, x});
  Fuse();
  ASSERT_EQ(OpOf("end"), "_FusedElementwise");
  EXPECT_EQ(OpOf("right"), "gone");
  EXPECT_EQ(OpOf("tied"), "gone");
  EXPECT_EQ(OpOf("left"), "Slice");
  EXPECT_EQ(g.InputsOf("end"), (Names{"product", "y"}));
  EXPECT_EQ(g.ControlsOf("end"), Names{});  // its input waits for the product
  EXPECT_EQ(OpOf("all"), "gone");
}

TEST_F(FuseElementwiseTest, RowsTakenApartWhatOthersReadAndWhatIsAwaitedStay) {
  const Output axis = g.Scalar<int32_t>("axis", 1);
  const AttrMap halves = {{"num_split", int64_t{2}}};
  const Output rows = g.Add("rows", "Split", {g.Scalar<int32_t>("first", 0), Placeholder("tall", {8, 4})}, halves);
  g.Add("a", "Tanh", {g.Add("a0", "Mul", {rows, {rows.node, 1}})});
  const Output shared = g.Add("shared", "Split", {axis, Placeholder("wide", {4, 8})}, halves);
  g.Add("b", "Tanh", {g.Add("b0", "Mul", {shared, x})});
  g.Add("reader", "MatMul", {{shared.node, 1}, x});
  const Output awaited = g.Add("awaited", "Split", {axis, Placeholder("fed", {4, 8})}, halves);
  g.Add("c", "Tanh", {g.Add("c0", "Mul", {awaited, {awaited.node, 1}})});
  AddAfter("writer", "MatMul", {x, x}, {awaited});
  Fuse();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(OpOf(name), "_FusedElementwise") << name;
  for (const char* name : {"rows", "shared", "awaited"}) EXPECT_EQ(OpOf(name), "Split") << name;
}

// Element-wise nodes of two shapes, products between them, columns taken apart and put together, Identities and control
// edges.
class RandomElementwise {
 public:
  explicit RandomElementwise(uint64_t seed) : random_(seed) {
    for (int shape = 0; shape < 2; ++shape) {
      for (int i = 0; i < 2; ++i) {
        const std::string name = StrCat("in", shape, i);
        values_[shape].push_back(g_.Placeholder(name, ShapeOf(shape), DType::kFloat));
        feeds_[name] = {RandomTensor(ShapeOf(shape))};
      }
    }
    for (const PartialShape& shape : {PartialShape({}), PartialShape({1}), PartialShape({1, 1})}) {
      const std::string name = StrCat("scalar", scalars_.size());
      scalars_.push_back(g_.Placeholder(name, shape, DType::kFloat));
      feeds_[name] = {RandomTensor(shape)};
    }
    for (int i = 0; i < 80; ++i) AddNode(StrCat("n", i));
  }
  Graph& graph() { return g_.graph; }
  const testing::GraphEvaluator::Values& feeds() const { return feeds_; }
  // Returns some of the nodes, each with a reader that no pass touches.
  Names Watch() {
    Names names;
    for (int i = 0; i < 12; ++i) {
      const Output value = Any(Pick(2));
      const std::string name = StrCat("watched", i);
      g_.Add(name, "Reshape", {value, g_.Const(StrCat(name, "_shape"), Tensor::Vector<int32_t>({-1}))});
      names.push_back(name);
    }
    return names;
  }

 private:
  static PartialShape ShapeOf(int shape) { return shape == 0 ? PartialShape({6, 6}) : PartialShape({6, 5}); }
  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  Output Any(int shape) { return values_[shape][static_cast<size_t>(Pick(static_cast<int>(values_[shape].size())))]; }
  Tensor RandomTensor(const PartialShape& shape) {
    std::uniform_real_distribution<float> uniform(0.1F, 1);
    Tensor tensor(DType::kFloat, *shape.ToShape());
    for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<float>()[i] = uniform(random_);
    return tensor;
  }

  void AddNode(const std::string& name) {
    const int shape = Pick(2);
    NodeSpec spec;
    spec.name = name;
    const int kind = Pick(15);
    if (kind == 14) return AddPack(name);
    if (kind > 11) return AddColumns(name, kind == 12);
    if (kind == 0) {
      spec.op = "MatMul";
      spec.inputs = {Any(0), Any(shape)};
    } else if (kind < 3) {
      spec.op = "Identity";
      spec.inputs = {Any(shape)};
    } else {
      static const std::vector<const OpDef*> ops = testing::ElementwiseOps();
      const OpDef& def = *ops[static_cast<size_t>(Pick(static_cast<int>(ops.size())))];
      const Elementwise& op = def.traits.elementwise;
      spec.op = def.name;
      const int operands = op.operands > 0 ? op.operands : 1 + Pick(4);
      for (int i = 0; i < operands; ++i) spec.inputs.push_back(Any(shape));
      if (op.takes_scalar && Pick(3) == 0)
        spec.inputs[static_cast<size_t>(Pick(2))] = scalars_[static_cast<size_t>(Pick(3))];
    }
    AddWaits(spec);
    values_[shape].push_back(g_.Add(spec));
  }

  // Columns of the first shape's rows, beside each other or taken apart.
  void AddColumns(const std::string& name, bool joins) {
    NodeSpec spec;
    spec.name = name;
    const Output axis = g_.Scalar<int32_t>(name + "_axis", Pick(2) == 0 ? 1 : -1);
    if (joins || wide_.empty()) {
      const int parts = 2 + Pick(2);
      spec.op = "ConcatV2";
      const bool are_its_own = Pick(4) > 0;
      const Output before = g_.Add(name + "_before", "Tanh", {Any(0)});
      for (int i = 0; i < parts; ++i) {
        const Output own = g_.Add(StrCat(name, "_part", i), "AddV2", {before, Any(0)});
        spec.inputs.push_back(are_its_own && Pick(4) > 0 ? own : Any(0));
      }
      spec.inputs.push_back(axis);
      if (!are_its_own) AddWaits(spec);
      wide_.push_back(g_.Add(spec));
      return;
    }
    const Output whole = wide_[static_cast<size_t>(Pick(static_cast<int>(wide_.size())))];
    const int parts = static_cast<int>(g_.graph.shape(whole).dim(1)) / 6;
    if (Pick(2) == 0) {
      spec.op = "Split";
      spec.inputs = {axis, whole};
      spec.attrs.Set("num_split", int64_t{parts});
      AddWaits(spec);
      const Output first = g_.Add(spec);
      std::vector<Output> all;
      for (int i = 0; i < parts; ++i) all.push_back({first.node, i});
      values_[0].push_back(g_.Add(name + "_sum", "AddN", all, {{"N", int64_t{parts}}}));
      if (Pick(3) == 0) values_[0].insert(values_[0].end(), all.begin(), all.end());
      return;
    }
    spec.op = "Slice";
    spec.inputs = {whole, g_.Const(name + "_begin", Tensor::Vector<int32_t>({0, Pick(parts * 6 - 5)})),
                   g_.Const(name + "_size", Tensor::Vector<int32_t>({6, 6}))};
    AddWaits(spec);
    const Output slice = g_.Add(spec);
    values_[0].push_back(Pick(2) == 0 ? slice
                                      : g_.Add(name + "_tanh", "Tanh", {g_.Add(name + "_id", "Identity", {slice})}));
  }

  // Values put into one, and taken apart again.
  void AddPack(const std::string& name) {
    const int count = 1 + Pick(4);
    const AttrMap attrs = {{"N", int64_t{count}}, {"axis", int64_t{Pick(2) == 0 ? 1 : -2}}};
    std::vector<Output> parts;
    for (int i = 0; i < count; ++i) parts.push_back(Any(0));
    NodeSpec spec;
    spec.name = name;
    spec.op = "Unpack";
    spec.inputs = {g_.Add(name + "_pack", "Pack", parts, attrs)};
    spec.attrs = {{"num", int64_t{count}}, {"axis", int64_t{Pick(3) > 0 ? 1 : 0}}};
    if (*spec.attrs.Get<int64_t>("axis") == 0) spec.attrs.Set("num", int64_t{6});
    AddWaits(spec);
    const Output first = g_.Add(spec);
    if (g_.graph.shape(first) == ShapeOf(0)) {
      for (int i = 0; i < count; ++i) values_[0].push_back({first.node, i});
    }
  }

  void AddWaits(NodeSpec& spec) {
    if (Pick(6) == 0) spec.control_inputs = {Any(Pick(2)).node};
    if (Pick(12) == 0) {
      NodeSpec waits;
      waits.name = StrCat(spec.name, "_waits");
      waits.op = "NoOp";
      waits.control_inputs = {std::min(Any(0).node, Any(1).node), std::max(Any(0).node, Any(1).node)};
      if (waits.control_inputs[0] == waits.control_inputs[1]) waits.control_inputs.pop_back();
      spec.control_inputs = {g_.Add(waits).node};
    }
  }

  std::mt19937_64 random_;
  testing::GraphMaker g_;
  std::vector<Output> values_[2];
  std::vector<Output> wide_;  // values with two or three times as many columns as the first shape
  std::vector<Output> scalars_;
  testing::GraphEvaluator::Values feeds_;
};

TEST(FuseElementwiseRandom, KeepsEveryBit) {
  int fused = 0;
  int sliced = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomElementwise random(seed);
    const Names watched = random.Watch();
    testing::GraphEvaluator before(random.feeds());
    ASSERT_EQ(*before.Run(random.graph()), 0);
    if (seed % 2 == 0) {
      ASSERT_TRUE(testing::RunPass("remove_identity", random.graph()).ok());
    }
    const Status status = FuseAll(random.graph(), 1);
    ASSERT_TRUE(status.ok()) << status.ToString();
    testing::GraphEvaluator after(random.feeds());
    const Result<int> left = after.Run(random.graph());
    ASSERT_TRUE(left.ok()) << left.status().ToString();
    ASSERT_EQ(*left, 0) << "seed " << seed;
    for (const std::string& name : watched) {
      EXPECT_TRUE(after.values().at(name)[0].Identical(before.values().at(name)[0])) << name << ", seed " << seed;
    }
    for (const Node& node : random.graph().nodes()) {
      if (node.op->name != "_FusedElementwise") continue;
      ++fused;
      const Result<std::vector<int64_t>> columns = node.attrs.Get<std::vector<int64_t>>("first_columns");
      const auto is_view = [](int64_t first) { return first >= 0; };
      sliced += columns.ok() && std::any_of(columns->begin(), columns->end(), is_view) ? 1 : 0;
    }
  }
  EXPECT_GT(fused, 400);
  EXPECT_GT(sliced, 100);
}

}  // namespace
}  // namespace dfrun
