#include "src/passes/sum_equal_rows.h"

#include <gtest/gtest.h>

#include <random>

#include "src/passes/fuse_bias.h"
#include "src/passes/fuse_product_sums.h"
#include "src/passes/pack_columns.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

std::string Numbered(const std::string& name, int64_t i) {
  return name + std::to_string(i);
}

// A net, h = tanh([x, h] W + bias), whose x are rows of a table, and its training by hand, as TensorFlow's gradients
// have it. Options change it.
struct Net {
  static constexpr int64_t kSteps = 8;
  static constexpr int64_t kBatch = 32;
  static constexpr int64_t kWords = 50;
  static constexpr int64_t kRows = kSteps * kBatch;
  static constexpr DType kType = DType::kDouble;

  bool table_is_first = true;    // in [x, h]
  bool steps_are_first = false;  // of the dimensions of the indices
  bool has_state = true;
  bool begins_with_zeros = false;
  bool has_bias = false;
  bool sums_up = false;  // by Unique and UnsortedSegmentSum
  bool other_indices = false;
  int64_t units = 512;
  int64_t width = 128;  // of the table

  testing::GraphMaker g;
  Output table, W, ids, start, dh, rate, end, update;
  std::vector<Output> gradients, products;

  Output Ints(const std::string& name, const std::vector<int32_t>& values) {
    Tensor value(DType::kInt32, Shape({static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), value.data<int32_t>());
    return g.Const(name, value);
  }
  Output Zeros(const std::string& name, const Shape& shape) {
    Tensor value(kType, shape);
    std::fill_n(value.data<double>(), value.num_elements(), 0.0);
    return g.Const(name, value);
  }
  Output Variable(const std::string& name, int64_t rows, int64_t columns) {
    return g.Add(name, "VariableV2", {}, {{"dtype", kType}, {"shape", PartialShape({rows, columns})}});
  }
  // Gives a variable its first value.
  Output Init(Output variable) {
    const std::string name = g.node(variable).name;
    const Shape shape = *g.graph.shape(variable).ToShape();
    const Tensor value = testing::RandomUniform<double>(shape, static_cast<uint32_t>(shape.dim(0)), .05);
    return g.Add(name + "/init", "Assign", {variable, g.Const(name + "/start", value)});
  }
  Output Slice(const std::string& name, Output whole, int64_t first, int64_t count) {
    return g.Add(name, "Slice",
                 {whole, Ints(name + "/begin", {0, static_cast<int32_t>(first)}),
                  Ints(name + "/size", {kBatch, static_cast<int32_t>(count)})});
  }

  void Make() {
    const Shape of_ids = steps_are_first ? Shape({kSteps, kBatch}) : Shape({kBatch, kSteps});
    const int64_t axis = steps_are_first ? 0 : 1;
    ids = g.Placeholder("ids", of_ids, DType::kInt32);
    start = begins_with_zeros ? Zeros("start", Shape({kBatch, units})) : g.Placeholder("start", {kBatch, units}, kType);
    dh = g.Placeholder("dh", {kBatch, units}, kType);
    rate = g.Scalar<double>("rate", .001);
    table = Variable("table", kWords, width);
    W = Variable("W", width + (has_state ? units : 0), units);
    const Output one = g.Scalar<int32_t>("one", 1);
    const Output start_bias = g.Placeholder("bias", {units}, kType);
    const Output lookup = g.Add("lookup", "GatherV2", {table, ids, g.Scalar<int32_t>("zero", 0)});
    const Output x = g.Add("x", "Unpack", {lookup}, {{"num", kSteps}, {"axis", axis}});
    std::vector<Output> joined, states{start};
    for (int64_t t = 0; t < kSteps; ++t) {
      Output in = {x.node, static_cast<int32_t>(t)};
      if (has_state) {
        in = g.Add(Numbered("join", t), "ConcatV2",
                   table_is_first ? std::vector{in, states.back(), one} : std::vector{states.back(), in, one});
      }
      joined.push_back(in);
      Output z = g.Add(Numbered("z", t), "MatMul", {in, W});
      if (has_bias) z = g.Add(Numbered("biased", t), "BiasAdd", {z, start_bias});
      states.push_back(g.Add(Numbered("h", t), "Tanh", {z}));
    }
    Backward(states, joined, axis);
  }

  void Backward(const std::vector<Output>& states, const std::vector<Output>& joined, int64_t axis) {
    gradients.resize(kSteps);
    products.resize(kSteps);
    std::vector<Output> dx(kSteps), of_matrix(kSteps);
    Output of_state = dh;
    for (int64_t t = kSteps - 1; t >= 0; --t) {
      gradients[t] = g.Add(Numbered("dz", t), "TanhGrad", {states[t + 1], of_state});
      products[t] = g.Add(Numbered("product", t), "MatMul", {gradients[t], W}, {{"transpose_b", true}});
      of_matrix[t] = g.Add(Numbered("dW", t), "MatMul", {joined[t], gradients[t]}, {{"transpose_a", true}});
      const Output both = g.Add(Numbered("both", t), "NoOp");
      g.node(both).control_inputs = {products[t].node, of_matrix[t].node};
      const Output whole = g.Add(Numbered("whole", t), "Identity", {products[t]});
      g.node(whole).control_inputs = {both.node};
      of_matrix[t] = g.Add(Numbered("dW_whole", t), "Identity", {of_matrix[t]});
      g.node(of_matrix[t]).control_inputs = {both.node};
      dx[t] = Slice(Numbered("dx", t), whole, has_state && !table_is_first ? units : 0, width);
      if (has_state && t > 0) of_state = Slice(Numbered("dh", t), whole, table_is_first ? width : 0, units);
    }
    const Output packed = g.Add("packed", "Pack", dx, {{"axis", axis}});
    const Output rows = g.Add("rows", "Reshape", {packed, Ints("rows/shape", {kRows, static_cast<int32_t>(width)})});
    const Output keys = other_indices ? g.Placeholder("keys", {kRows}, DType::kInt32)
                                      : g.Add("keys", "Reshape", {ids, Ints("keys/shape", {-1})});
    AddToTable(rows, keys);
    update = g.Add("update", "ApplyGradientDescent", {W, rate, g.Add("dW", "AddN", of_matrix)});
  }

  void AddToTable(Output rows, Output keys) {
    if (!sums_up) {
      end = g.Add("end", "ScatterSub", {table, keys, g.Add("scaled", "Mul", {rate, rows})});
      return;
    }
    const Output unique = g.Add("unique", "Unique", {keys});
    const Output shape = g.Add("unique/shape", "Shape", {unique});
    const Output count =
        g.Add("unique/count", "StridedSlice", {shape, Ints("first", {0}), Ints("last", {1}), Ints("stride", {1})},
              {{"shrink_axis_mask", int64_t{1}}});
    const Output sums = g.Add("sums", "UnsortedSegmentSum", {rows, {unique.node, 1}, count});
    end = g.Add("end", "ScatterSub", {table, unique, g.Add("scaled", "Mul", {sums, rate})});
  }

  void Optimize() {
    for (Status (*pass)(Graph&) : {&FuseBias, &FuseProductSums, &PackColumns, &SumEqualRows}) {
      const Status status = pass(g.graph);
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
  }
  bool IsChanged() const {
    for (const Node& node : g.graph.nodes()) {
      if (node.op->name == "_SumEqualRows") return true;
    }
    return false;
  }
};

TEST(SumEqualRows, RowsAreAddedUpBeforeTheyAreMultiplied) {
  Net net;
  net.Make();
  net.Optimize();
  testing::GraphMaker& g = net.g;
  ASSERT_EQ(g.Find("packed")->op->name, "_SumEqualRows");
  EXPECT_EQ(g.InputsOf("packed"),
            (Names{"lookup/unique", "packed/count", "dz0", "dz1", "dz2", "dz3", "dz4", "dz5", "dz6", "dz7"}));
  EXPECT_EQ(*g.Find("packed")->attrs.Find("axis")->get<int64_t>(), 1);
  ASSERT_EQ(g.Find("rows")->op->name, "MatMul");
  EXPECT_EQ(g.InputsOf("rows"), (Names{"packed", "z0/rows"}));
  EXPECT_EQ(g.InputsOf("scaled"), (Names{"rate", "rows"}));
  EXPECT_EQ(g.Find("packed")->inputs[0].port, 1);
  EXPECT_EQ(g.InputsOf("packed/count"), Names{"lookup/unique"});
  EXPECT_EQ(g.InputsOf("end"), (Names{"table", "lookup/unique", "scaled"}));
  EXPECT_EQ(g.Find("end")->inputs[1].port, 0);
  EXPECT_EQ(g.graph.shape({g.Find("scaled")->id, 0}).ToString(), PartialShape({-1, net.width}).ToString());

  // What else was read of the products.
  EXPECT_EQ(g.Find("product0"), nullptr);
  EXPECT_EQ(g.InputsOf("product2"), (Names{"dz2", "z0/rows_1"}));
  EXPECT_EQ(g.InputsOf("dz1"), (Names{"h1", "whole2"}));
  EXPECT_EQ(g.InputsOf("z0/rows_1"), Names{"W"});
  EXPECT_EQ(*g.Find("z0/rows_1")->attrs.Find("first")->get<int64_t>(), net.width);
  EXPECT_EQ(*g.Find("z0/rows_1")->attrs.Find("count")->get<int64_t>(), net.units);
  EXPECT_EQ(g.graph.shape({g.Find("whole2")->id, 0}).ToString(), PartialShape({Net::kBatch, net.units}).ToString());
}

TEST(SumEqualRows, DifferentRowsAreMultipliedBeforeTheSteps) {
  Net net;
  net.has_bias = true;
  net.Make();
  const Output waiter = net.g.Add("waiter", "NoOp");
  net.g.node(waiter).control_inputs = {net.g.graph.Find("x"), net.g.graph.Find("join3")};
  net.Optimize();
  testing::GraphMaker& g = net.g;
  EXPECT_EQ(g.InputsOf("lookup"), (Names{"table", "lookup/unique", "zero"}));
  ASSERT_EQ(g.Find("biased0/of_table")->op->name, "_FusedMatMul");
  EXPECT_EQ(g.InputsOf("biased0/of_table"), (Names{"lookup", "biased0/rows", "bias"}));
  ASSERT_EQ(g.Find("biased3")->op->name, "_MatMulByPanels");
  EXPECT_EQ(g.InputsOf("biased3"), (Names{"h2", "biased0/panels", "biased0/of_table", "lookup/unique"}));
  EXPECT_EQ(g.Find("biased3")->inputs[3].port, 1);
  EXPECT_EQ(*g.Find("biased3")->attrs.Find("first_place")->get<int64_t>(), 3);
  EXPECT_EQ(*g.Find("biased3")->attrs.Find("place_step")->get<int64_t>(), Net::kSteps);
  for (const char* gone : {"x", "join0", "join3", "z0"}) EXPECT_EQ(g.Find(gone), nullptr) << gone;
  EXPECT_EQ(g.ControlsOf("waiter"), (Names{"join3/inputs", "lookup"}));
  EXPECT_EQ(g.ControlsOf("join3/inputs"), (Names{"h2", "lookup", "one"}));
}

TEST(SumEqualRows, TheMatrixsGradientHasAPartOfDifferentRows) {
  Net net;
  net.Make();
  net.Optimize();
  testing::GraphMaker& g = net.g;
  ASSERT_EQ(g.Find("dW")->op->name, "_MatMulSum");
  EXPECT_EQ(g.InputsOf("dW"), (Names{"lookup", "start", "h0", "h1", "h2", "h3", "h4", "h5", "h6", "packed", "dz0",
                                     "dz1", "dz2", "dz3", "dz4", "dz5", "dz6", "dz7"}));
  EXPECT_EQ(*g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>(), (std::vector<int64_t>{1, 8}));
  EXPECT_EQ(g.graph.shape({g.Find("dW")->id, 0}).ToString(),
            PartialShape({net.width + net.units, net.units}).ToString());
}

TEST(SumEqualRows, AStateOfZerosIsNotMultiplied) {
  for (bool steps_are_first : {false, true}) {
    Net net;
    net.begins_with_zeros = true;
    net.steps_are_first = steps_are_first;
    net.Make();
    net.Optimize();
    testing::GraphMaker& g = net.g;
    ASSERT_EQ(g.Find("z0")->op->name, "GatherV2");
    EXPECT_EQ(g.InputsOf("z0"), (Names{"z0/of_table", "z0/places", "z0/axis"}));
    EXPECT_EQ(g.graph.shape({g.Find("z0/places")->id, 0}).ToString(), PartialShape({Net::kBatch}).ToString());
    EXPECT_EQ(g.Find("z1")->op->name, "_MatMulByPanels");
    EXPECT_EQ(g.InputsOf("dW"), (Names{"lookup", "h0", "h1", "h2", "h3", "h4", "h5", "h6", "packed", "dz1", "dz2",
                                       "dz3", "dz4", "dz5", "dz6", "dz7"}));
    EXPECT_EQ(*g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>(), (std::vector<int64_t>{1, 7}));
  }
}

// A part of the sum has products in any case.
TEST(SumEqualRows, StatesThatAreAllZerosKeepTheirPart) {
  Net net;
  net.begins_with_zeros = true;
  net.Make();
  for (int64_t t = 1; t < Net::kSteps; ++t) {
    ASSERT_TRUE(net.g.graph.SetInput(net.g.graph.Find(Numbered("join", t)), 1, net.start).ok());
  }
  net.Optimize();
  ASSERT_EQ(net.g.Find("z5")->op->name, "GatherV2");
  EXPECT_EQ(*net.g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>(), (std::vector<int64_t>{1, 8}));
}

// Whoever changes the matrix waits until its rows have been multiplied by.
TEST(SumEqualRows, WhatWaitedForAProductWaitsForTheOneInItsPlace) {
  Net net;
  net.Make();
  net.Optimize();
  const Names first = net.g.ControlsOf("both0");
  EXPECT_NE(std::find(first.begin(), first.end(), "rows"), first.end());
  const Names other = net.g.ControlsOf("both2");
  EXPECT_NE(std::find(other.begin(), other.end(), "product2"), other.end());
  EXPECT_EQ(net.g.ControlsOf("product2"), Names{"z0/rows"});
}

// The steps see the matrix at different times.
TEST(SumEqualRows, AMatrixThatChangesMeanwhileStays) {
  for (const char* before : {"z5", "product3"}) {
    Net net;
    net.Make();
    const NodeId change = net.Init(net.W).node;
    net.g.graph.mutable_node(net.g.graph.Find(before)).control_inputs = {change};
    net.Optimize();
    EXPECT_FALSE(net.IsChanged()) << before;
  }
}

TEST(SumEqualRows, OfAStateBeforeTheTableToo) {
  Net net;
  net.table_is_first = false;
  net.Make();
  net.Optimize();
  ASSERT_TRUE(net.IsChanged());
  EXPECT_EQ(*net.g.Find("z0/rows")->attrs.Find("first")->get<int64_t>(), net.units);
  EXPECT_EQ(*net.g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>(), (std::vector<int64_t>{8, 1}));
}

TEST(SumEqualRows, WithoutAStateNoProductIsLeft) {
  Net net;
  net.has_state = false;
  net.units = 600;
  net.Make();
  // Each step's gradient is the same here, as nothing leads from one to the next.
  net.Optimize();
  ASSERT_TRUE(net.IsChanged());
  for (int64_t t = 0; t < Net::kSteps; ++t) EXPECT_EQ(net.g.Find(Numbered("product", t)), nullptr);
  EXPECT_EQ(net.g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>()->size(), 0U);
}

TEST(SumEqualRows, IndicesOfOtherRowsThanThoseLookedUpLeaveTheMatrixsGradient) {
  Net net;
  net.other_indices = true;
  net.Make();
  net.Optimize();
  ASSERT_TRUE(net.IsChanged());
  EXPECT_EQ(net.g.InputsOf("packed")[0], "packed/unique");
  EXPECT_EQ(net.g.InputsOf("packed/unique"), Names{"keys"});
  EXPECT_EQ(net.g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>()->size(), 0U);
}

TEST(SumEqualRows, IndicesThatMayHaveChangedLeaveTheLookup) {
  Net net;
  net.Make();
  const Output variable = net.g.Add("indices", "VariableV2", {},
                                    {{"dtype", DType::kInt32}, {"shape", PartialShape({Net::kBatch, Net::kSteps})}});
  ASSERT_TRUE(net.g.graph.SetInput(net.g.graph.Find("lookup"), 1, variable).ok());
  ASSERT_TRUE(net.g.graph.SetInput(net.g.graph.Find("keys"), 0, variable).ok());
  net.Optimize();
  ASSERT_TRUE(net.IsChanged());
  EXPECT_EQ(net.g.Find("lookup/unique"), nullptr);
}

TEST(SumEqualRows, RowsThatOthersReadLeaveTheLookup) {
  for (const char* name : {"lookup", "x", "join2"}) {
    Net net;
    net.Make();
    net.g.Add("reader", "Neg", {{net.g.graph.Find(name), 0}});
    net.Optimize();
    ASSERT_TRUE(net.IsChanged());
    EXPECT_EQ(net.g.Find("lookup/unique"), nullptr) << name;
    EXPECT_NE(net.g.Find("join0"), nullptr) << name;
  }
}

TEST(SumEqualRows, SumsByWhatUniqueGivesAreTaken) {
  Net net;
  net.sums_up = true;
  net.Make();
  net.Optimize();
  ASSERT_TRUE(net.IsChanged());
  EXPECT_EQ(net.g.Find("sums"), nullptr);
  EXPECT_EQ(net.g.InputsOf("scaled"), (Names{"rows", "rate"}));
  EXPECT_EQ(net.g.InputsOf("end"), (Names{"table", "unique", "scaled"}));
}

TEST(SumEqualRows, SmallProductsStay) {
  Net net;
  net.width = 64;
  net.units = 100;
  net.Make();
  net.Optimize();
  EXPECT_FALSE(net.IsChanged());
}

TEST(SumEqualRows, GradientsThatOthersReadStay) {
  for (const char* name : {"packed", "rows", "scaled"}) {
    Net net;
    net.Make();
    net.g.Add("fetched", "Identity", {{net.g.graph.Find(name), 0}});
    net.Optimize();
    EXPECT_FALSE(net.IsChanged()) << name;
  }
}

TEST(SumEqualRows, GradientsThatAreChangedOtherwiseStay) {
  Net net;
  net.Make();
  const NodeId rows = net.g.graph.Find("rows");
  const Output clipped = net.g.Add("clipped", "ClipByValue", {{rows, 0}, net.rate, net.rate});
  ASSERT_TRUE(net.g.graph.SetInput(net.g.graph.Find("scaled"), 1, clipped).ok());
  net.Optimize();
  EXPECT_FALSE(net.IsChanged());
}

TEST(SumEqualRows, ProductsOfWhichOtherColumnsAreReadStay) {
  Net net;
  net.Make();
  net.g.Add("some", "Neg", {net.Slice("part", {net.g.graph.Find("whole2"), 0}, 10, 20)});
  net.Optimize();
  EXPECT_FALSE(net.IsChanged());
}

TEST(SumEqualRows, ProductsByDifferentMatricesStay) {
  Net net;
  net.Make();
  ASSERT_TRUE(net.g.graph.SetInput(net.products[1].node, 1, net.Variable("V", net.width + net.units, net.units)).ok());
  net.Optimize();
  EXPECT_FALSE(net.IsChanged());
}

TEST(SumEqualRows, NodesOfAnotherDeviceStay) {
  for (const char* name : {"product1", "rows", "end"}) {
    Net net;
    net.Make();
    net.g.graph.mutable_node(net.g.graph.Find(name)).device = "/job:worker/task:1";
    net.Optimize();
    EXPECT_FALSE(net.IsChanged()) << name;
  }
}

TEST(SumEqualRows, WhatIsJoinedOtherwiseLeavesTheMatrixsGradient) {
  Net net;
  net.Make();
  // The first two steps read each other's rows.
  const NodeId first = net.g.graph.Find("join0");
  const NodeId second = net.g.graph.Find("join1");
  const Output x0 = net.g.graph.node(first).inputs[0];
  const Output x1 = net.g.graph.node(second).inputs[0];
  ASSERT_TRUE(net.g.graph.SetInput(first, 0, x1).ok());
  ASSERT_TRUE(net.g.graph.SetInput(second, 0, x0).ok());
  net.Optimize();
  ASSERT_TRUE(net.IsChanged());
  EXPECT_EQ(net.g.Find("dW")->attrs.Find("parts")->get<std::vector<int64_t>>()->size(), 0U);
}

// The table and the matrix after three steps of training.
std::vector<Tensor> Train(Net& net, bool optimize, int threads) {
  net.Make();
  const Output table = net.g.Add("read/table", "Identity", {net.table});
  const Output W = net.g.Add("read/W", "Identity", {net.W});
  for (const Output read : {table, W}) net.g.node(read).control_inputs = {net.end.node, net.update.node};
  testing::StepRunner runner({.threads = threads, .optimize = optimize});
  const Status started = runner.Prepare(net.g.graph, {net.Init(net.table), net.Init(net.W)});
  EXPECT_TRUE(started.ok()) << started.ToString();
  EXPECT_TRUE(runner.Run().ok());
  std::vector<Output> feeds{net.ids, net.dh, {net.g.graph.Find("bias"), 0}};
  if (!net.begins_with_zeros) feeds.push_back(net.start);
  if (net.other_indices) feeds.push_back({net.g.graph.Find("keys"), 0});
  const Status prepared = runner.Prepare(net.g.graph, {table, W}, feeds);
  EXPECT_TRUE(prepared.ok()) << prepared.ToString();
  std::vector<Tensor> results;
  for (unsigned step = 0; step < 3; ++step) {
    std::mt19937 random(step);
    const auto indices = [&](const PartialShape& shape) {
      Tensor value(DType::kInt32, *shape.ToShape());
      for (int64_t i = 0; i < value.num_elements(); ++i) {
        value.data<int32_t>()[i] = static_cast<int32_t>(random() % Net::kWords);
      }
      return value;
    };
    const Shape state({Net::kBatch, net.units});
    std::vector<Tensor> values{indices(net.g.graph.shape(net.ids)), testing::RandomUniform<double>(state, step + 20, 1),
                               testing::RandomUniform<double>(Shape({net.units}), step + 30, 1)};
    if (!net.begins_with_zeros) values.push_back(testing::RandomUniform<double>(state, step + 9, 1));
    if (net.other_indices) values.push_back(indices(PartialShape({Net::kRows})));
    Result<std::vector<Tensor>> fetched = runner.Run(values);
    EXPECT_TRUE(fetched.ok()) << fetched.status().ToString();
    if (fetched.ok()) results.insert(results.end(), fetched->begin(), fetched->end());
  }
  return results;
}

void TrainsToTheSame(const std::function<void(Net&)>& change) {
  Net plain;
  change(plain);
  const std::vector<Tensor> expected = Train(plain, false, 1);
  std::vector<Tensor> of_one_thread;
  for (int threads : {1, 2}) {
    Net net;
    change(net);
    const std::vector<Tensor> got = Train(net, true, threads);
    ASSERT_EQ(got.size(), expected.size());
    ASSERT_EQ(got.size(), 6U);
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(got[i].shape() == expected[i].shape());
      double largest = 0;
      double error = 0;
      for (int64_t j = 0; j < got[i].num_elements(); ++j) {
        const double value = expected[i].data<double>()[j];
        largest = std::max(largest, std::abs(value));
        error = std::max(error, std::abs(got[i].data<double>()[j] - value));
      }
      EXPECT_LT(error, 1e-12 * largest) << "value " << i;
      if (threads == 2) {
        EXPECT_TRUE(got[i].Identical(of_one_thread[i])) << "value " << i;
      }
    }
    EXPECT_FALSE(got[0].Identical(got[2])) << "the steps change the table";
    EXPECT_FALSE(got[1].Identical(got[3])) << "the steps change the matrix";
    of_one_thread = got;
  }
}

TEST(SumEqualRows, TrainingComesToTheSame) {
  TrainsToTheSame([](Net&) {});
  TrainsToTheSame([](Net& net) { net.table_is_first = false; });
  TrainsToTheSame([](Net& net) { net.steps_are_first = true; });
  TrainsToTheSame([](Net& net) { net.has_bias = true; });
  TrainsToTheSame([](Net& net) { net.begins_with_zeros = true; });
  TrainsToTheSame([](Net& net) { net.sums_up = true; });
  TrainsToTheSame([](Net& net) { net.other_indices = true; });
  TrainsToTheSame([](Net& net) {
    net.has_state = false;
    net.units = 600;
  });
}

}  // namespace
}  // namespace dfrun
