// Captured subgraphs of a step, on emulated GPUs. A launch runs their nodes in an order that the edges allow and a seed
// shuffles, so values are right in every order only if no edge is missing.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "src/framework/kernel/variable.h"
#include "src/graph/update_gate.h"
#include "tests/gpu/gpu_steps.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr int kSeeds = 5;
constexpr int kSteps = 6;

void UseSeed(int seed) {
  setenv("DFRUN_EMULATED_SEED", std::to_string(seed).c_str(), 1);
}

class RecordingTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf("gpu");  // loads the part, with its kernels
  }
  void TearDown() override {
    unsetenv("DFRUN_EMULATED_SEED");
    unsetenv("DFRUN_EMULATED_MISSING_EDGE");
  }

  CaptureCounters counters() { return CapturingDevice::Of(*device_)->counters(); }

  // Adds four chains of ops on x that meet; their value changes from step to step.
  Output Branches(const Output& x) {
    std::vector<Output> ends;
    for (int branch = 0; branch < 4; ++branch) {
      Output end = x;
      for (int i = 0; i < 3; ++i) {
        const Output factor = maker_.Scalar<float>(StrCat("factor_", branch, "_", i), static_cast<float>(branch + 2));
        end = maker_.Add(StrCat("product_", branch, "_", i), "Mul", {end, factor});
      }
      ends.push_back(end);
    }
    return maker_.Add("sum", "AddN", ends, {{"N", 4}, {"T", DType::kFloat}});
  }
  static Tensor Vector(int step) {
    const auto x = static_cast<float>(step);
    return Tensor::Vector<float>({x, -x, 10 * x, 0});
  }
  static Tensor SumOfBranches(int step) {
    constexpr float kFactor = 8 + 27 + 64 + 125;
    const auto x = static_cast<float>(step);
    return Tensor::Vector<float>({kFactor * x, -kFactor * x, 10 * kFactor * x, 0});
  }
  Output FloatPlaceholder(const std::string& name, const PartialShape& shape = PartialShape()) {
    return maker_.Placeholder(name, shape, DType::kFloat);
  }

  // Adds a variable of 4 floats with this value.
  Output VariableOf(const std::string& name, const Tensor& value) {
    const Output variable =
        maker_.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape(Shape({4}))}});
    const Output first = maker_.Const(name + "_first", value);
    const Output assign = maker_.Add(name + "_init", "Assign", {variable, first});
    RunSignature signature;
    signature.targets = {assign.node};
    const Status status = GpuSteps(*device_, maker_.graph, signature).Run().status();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return variable;
  }

  // Returns w and its momentum after each of some steps with gradient x, and the sum of w before the update.
  std::vector<Tensor> Train(bool records) {
    const Output x = FloatPlaceholder(StrCat("x_", records), PartialShape(Shape({4})));
    const Output w = VariableOf(StrCat("w_", records), Tensor::Vector<float>({1, 2, 3, 4}));
    const Output momentum = VariableOf(StrCat("m_", records), Tensor::Vector<float>({0, 0, 0, 0}));
    const auto name = [&](const char* of) { return StrCat(of, "_", records); };
    const Output gradient = maker_.Add(name("gradient"), "Mul", {maker_.Add(name("read"), "Identity", {w}), x});
    const Output axes = maker_.Const(name("axes"), Tensor::Vector<int32_t>({0}));
    const Output sum = maker_.Add(name("sum"), "Sum", {maker_.Add(name("square"), "Mul", {w, w}), axes});
    const Output rate = maker_.Scalar<float>(name("rate"), 0.25F);
    const Output decay = maker_.Scalar<float>(name("decay"), 0.5F);
    const Output update = maker_.Add(name("update"), "ApplyMomentum", {w, momentum, rate, gradient, decay});
    maker_.graph.AddControlEdge(sum.node, update.node);
    RunSignature signature;
    signature.feeds = {x};
    signature.feed_shapes = {PartialShape(Shape({4}))};
    signature.fetches = {sum};
    signature.targets = {update.node};
    GpuSteps steps(*device_, maker_.graph, signature, records);
    std::vector<Tensor> sums;
    for (int step = 1; step <= kSteps; ++step) {
      const auto fetched = steps.Run({Vector(step)});
      EXPECT_TRUE(fetched.ok()) << fetched.status().ToString();
      if (fetched.ok()) sums.push_back((*fetched)[0]);
    }
    return sums;
  }

  const std::unique_ptr<Device> device_ = MakeDeviceOf("gpu");
  GraphMaker maker_;
};

TEST_F(RecordingTest, AStepIsOneLaunch) {
  const Output x = FloatPlaceholder("x");
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {Branches(x)};
  GpuSteps steps(*device_, maker_.graph, signature);
  const CaptureCounters before = counters();
  int64_t of_first_step = 0;
  for (int step = 1; step <= kSteps; ++step) {
    const auto fetched = steps.Run({Vector(step)});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    EXPECT_TRUE((*fetched)[0].Identical(SumOfBranches(step))) << (*fetched)[0].ToString();
    if (step == 1) of_first_step = counters().stream_calls;
  }
  EXPECT_EQ(counters().recordings - before.recordings, 1) << steps.text();
  EXPECT_EQ(counters().launches - before.launches, kSteps - 1);
  EXPECT_EQ(counters().updates, 0);
  EXPECT_EQ(counters().stream_calls, of_first_step);
  EXPECT_EQ(steps.NumberBefore(" pieces of work"), 13) << steps.text();
  EXPECT_EQ(steps.NumberBefore(" edges of"), 12) << steps.text();
}

TEST_F(RecordingTest, NoStepAfterTheFirstWaits) {
  const Output x = FloatPlaceholder("x");
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {Branches(x)};
  GpuSteps steps(*device_, maker_.graph, signature);
  ASSERT_TRUE(steps.Run({Vector(1)}).ok());
  ASSERT_TRUE(steps.Run({Vector(2)}).ok());
  const int64_t waits = device_->host_waits();
  for (int step = 3; step <= kSteps; ++step) ASSERT_TRUE(steps.Run({Vector(step)}).ok());
  EXPECT_EQ(device_->host_waits(), waits);
}

TEST_F(RecordingTest, ValuesAreRightInEveryOrder) {
  const Output x = FloatPlaceholder("x");
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {Branches(x)};
  GpuSteps steps(*device_, maker_.graph, signature);
  for (int seed = 1; seed <= kSeeds; ++seed) {
    UseSeed(seed);
    for (int step = 1; step <= kSteps; ++step) {
      const auto fetched = steps.Run({Vector(step * seed)});
      ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
      EXPECT_TRUE((*fetched)[0].Identical(SumOfBranches(step * seed))) << "seed " << seed;
    }
  }
}

// Each edge that is left is needed: without it some order gives another value.
TEST_F(RecordingTest, AMissingEdgeIsFound) {
  const Output x = FloatPlaceholder("x");
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {Branches(x)};
  constexpr int kEdges = 12;
  for (int edge = 0; edge < kEdges; ++edge) {
    setenv("DFRUN_EMULATED_MISSING_EDGE", std::to_string(edge).c_str(), 1);
    GpuSteps steps(*device_, maker_.graph, signature);
    bool is_found = false;
    for (int step = 1; step <= 40 && !is_found; ++step) {
      const auto fetched = steps.Run({Vector(step)});
      ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
      is_found = !(*fetched)[0].Identical(SumOfBranches(step));
    }
    EXPECT_TRUE(is_found) << "edge " << edge;
  }
}

TEST_F(RecordingTest, UpdatesComeAfterReaders) {
  const std::vector<Tensor> expected = Train(/*records=*/false);
  const CaptureCounters before = counters();
  const std::vector<Tensor> sums = Train(/*records=*/true);
  EXPECT_EQ(counters().launches - before.launches, kSteps - 1);
  ASSERT_EQ(sums.size(), expected.size());
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_TRUE(sums[i].Identical(expected[i])) << "step " << i + 1;
}

// Only the use of the variable's memory shows that the control edge to the update is needed. Without the edge gradient
// -> update one order in eight is wrong: the update is the last of the others.
TEST_F(RecordingTest, AMissingEdgeToAnUpdateIsFound) {
  const std::vector<Tensor> expected = Train(/*records=*/false);
  std::string found;
  constexpr int kMax = 4;
  constexpr int kManySeeds = 20;
  for (int edge = 0; edge < kMax; ++edge) {
    setenv("DFRUN_EMULATED_MISSING_EDGE", std::to_string(edge).c_str(), 1);
    bool differs = false;
    for (int seed = 1; seed <= kManySeeds && !differs; ++seed) {
      UseSeed(seed);
      maker_ = GraphMaker();
      const std::vector<Tensor> sums = Train(/*records=*/true);
      for (size_t i = 0; i < sums.size(); ++i) differs = differs || !sums[i].Identical(expected[i]);
    }
    if (differs) found += StrCat(edge, " ");
  }
  EXPECT_EQ(found, "0 1 2 ") << "of the edges square -> sum, sum -> update, gradient -> update";
}

// Each shape is captured by itself; the first step of a shape runs node by node.
TEST_F(RecordingTest, OtherShapesAreRecordedApart) {
  const Output x = FloatPlaceholder("x");
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {Branches(x)};
  GpuSteps steps(*device_, maker_.graph, signature);
  const CaptureCounters before = counters();
  for (int step = 1; step <= 12; ++step) {
    const bool is_short = step > 4 && step <= 8;
    const auto value = static_cast<float>(step);
    const Tensor fed = is_short ? Tensor::Vector<float>({value}) : Vector(step);
    const auto fetched = steps.Run({fed});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    EXPECT_EQ((*fetched)[0].data<float>()[0], (8 + 27 + 64 + 125) * value);
    EXPECT_EQ((*fetched)[0].shape(), fed.shape());
  }
  EXPECT_EQ(counters().recordings - before.recordings, 2) << steps.text();
  EXPECT_EQ(counters().launches - before.launches, 3 + 3 + 4);
}

// The variable's value moves to other memory between two steps, and the memory that it had is used by another.
TEST_F(RecordingTest, AVariableThatMovesIsReadWhereItIs) {
  const Output w = VariableOf("w", Tensor::Vector<float>({1, 2, 3, 4}));
  const Output twice = maker_.Add("twice", "AddV2", {w, w});
  RunSignature signature;
  signature.fetches = {maker_.Add("product", "Mul", {twice, w})};
  GpuSteps steps(*device_, maker_.graph, signature);
  for (int step = 0; step < 3; ++step) ASSERT_TRUE(steps.Run().ok());
  const RefPtr<Variable> variable = device_->containers().Lookup<Variable>("", "w");
  ASSERT_TRUE(variable);
  {
    const Result<Tensor> moved = device_->ToOwnMemory(Tensor::Vector<float>({5, 6, 7, 8}));
    ASSERT_TRUE(moved.ok());
    MutexLock lock(variable->mu());
    for (int i = 0; i < 100; ++i) variable->Replace(*moved);  // forgets the old headers
  }
  const Result<Tensor> other = device_->ToOwnMemory(Tensor::Vector<float>({NAN, NAN, NAN, NAN}));
  for (int step = 0; step < 4; ++step) {
    const auto fetched = steps.Run();
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    EXPECT_TRUE((*fetched)[0].Identical(Tensor::Vector<float>({50, 72, 98, 128}))) << (*fetched)[0].ToString();
  }
}

// The host needs a number for a node that differs in each step.
TEST_F(RecordingTest, WhatTheHostReadsIsNotRecorded) {
  const Output x = FloatPlaceholder("x");
  const Output n = maker_.Placeholder("n", PartialShape(Shape({2})), DType::kInt32);
  const Output before = Branches(x);
  const Output y = maker_.Add("y", "Reshape", {before, n});
  const Output shift = maker_.Scalar<float>("shift", 1);
  const Output z = maker_.Add("z", "AddV2", {maker_.Add("minus", "Neg", {y}), shift});
  RunSignature signature;
  signature.feeds = {x, n};
  signature.fetches = {z};
  GpuSteps steps(*device_, maker_.graph, signature);
  for (int step = 1; step <= kSteps; ++step) {
    const bool flat = step % 2 == 0;
    const auto fetched =
        steps.Run({Vector(step), flat ? Tensor::Vector<int32_t>({1, 4}) : Tensor::Vector<int32_t>({2, 2})});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    EXPECT_EQ((*fetched)[0].shape(), flat ? Shape({1, 4}) : Shape({2, 2}));
    EXPECT_EQ((*fetched)[0].data<float>()[1], 1 + 224.0F * static_cast<float>(step));
  }
  EXPECT_NE(steps.text().find("node 'y' (op Reshape) is not recorded: the host reads '_arg_n_0' for it"),
            std::string::npos)
      << steps.text();
}

// Random numbers go on from step to step.
TEST_F(RecordingTest, ASequenceOfRandomNumbersIsNotRecorded) {
  const Output shape = maker_.Const("shape", Tensor::Vector<int32_t>({64}));
  const Output random =
      maker_.Add("random", "RandomUniform", {shape}, {{"dtype", DType::kFloat}, {"seed", 7}, {"seed2", 3}});
  const Output minus = maker_.Add("minus", "Neg", {maker_.Add("plus", "AddV2", {random, random})});
  RunSignature signature;
  signature.fetches = {maker_.Add("square", "Square", {minus})};
  GpuSteps steps(*device_, maker_.graph, signature);
  std::vector<Tensor> seen;
  for (int step = 0; step < 4; ++step) {
    const auto fetched = steps.Run();
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    for (const Tensor& before : seen) EXPECT_FALSE(before.Identical((*fetched)[0]));
    seen.push_back((*fetched)[0]);
  }
  EXPECT_NE(steps.text().find("node 'random' (op RandomUniform) is not recorded: it has a state"), std::string::npos)
      << steps.text();
}

#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer ends the program at such a read

TEST_F(RecordingTest, AFreedBufferIsFound) {
  Result<Tensor> value = device_->ToOwnMemory(Tensor::Vector<float>({1, 2, 3}));
  ASSERT_TRUE(value.ok());
  const Tensor stale = Tensor::Borrowed(DType::kFloat, value->shape(), value->raw(), value->memory());
  value->Reset();
  const Result<Tensor> read = device_->ToHostMemory(stale);
  ASSERT_TRUE(read.ok());
  for (const float element : read->values<float>()) EXPECT_TRUE(std::isnan(element));
}

#endif

Tensor Matrix(int64_t size, unsigned seed) {
  Tensor matrix(DType::kFloat, Shape({size, size}));
  for (int64_t i = 0; i < matrix.num_elements(); ++i) {
    seed = seed * 1103515245 + 12345;
    matrix.data<float>()[i] = static_cast<float>(seed >> 16 & 7) - 3;
  }
  return matrix;
}

// The operands are large enough for the libraries.
class LibraryCallsTest : public RecordingTest {
 protected:
  static constexpr int64_t kSize = 128;

  void TearDown() override {
    unsetenv("DFRUN_EMULATED_SMALL_WORKSPACE");
    unsetenv("DFRUN_EMULATED_FENCES");
    RecordingTest::TearDown();
  }

  // Runs steps of two products side by side, each in another order. Returns the number of steps that give the values of
  // steps node by node.
  int RightSteps(int steps) {
    const PartialShape shape(Shape({kSize, kSize}));
    const Output x = FloatPlaceholder("x", shape);
    const Output y = FloatPlaceholder("y", shape);
    RunSignature signature;
    signature.feeds = {x, y};
    signature.feed_shapes = {shape, shape};
    signature.fetches = {
        maker_.Add("sum", "AddV2", {maker_.Add("xy", "MatMul", {x, y}), maker_.Add("yx", "MatMul", {y, x})})};
    GpuSteps recorded(*device_, maker_.graph, signature);
    GpuSteps plain(*device_, maker_.graph, signature, /*records=*/false);
    int right = 0;
    for (int step = 1; step <= steps; ++step) {
      UseSeed(step);
      const std::vector<Tensor> feeds = {Matrix(kSize, static_cast<unsigned>(step)), Matrix(kSize, 99)};
      const auto fetched = recorded.Run(feeds);
      const auto expected = plain.Run(feeds);
      EXPECT_TRUE(fetched.ok() && expected.ok()) << fetched.status().ToString();
      if (fetched.ok() && expected.ok() && (*fetched)[0].Identical((*expected)[0])) ++right;
    }
    library_calls_ = recorded.NumberBefore(" of them library calls");
    return right;
  }

  int library_calls_ = 0;
};

TEST_F(LibraryCallsTest, AreCaptured) {
  EXPECT_EQ(RightSteps(kSteps), kSteps);
  EXPECT_EQ(library_calls_, 2);
}

#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer ends the program at such a write, with fences or without

// Other memory follows the workspace, as on a GPU.
TEST_F(LibraryCallsTest, AWorkspaceThatIsTooSmallIsFound) {
  setenv("DFRUN_EMULATED_FENCES", "0", 1);
  setenv("DFRUN_EMULATED_SMALL_WORKSPACE", "1", 1);
  EXPECT_LT(RightSteps(2 * kSteps), 2 * kSteps);
}

#endif

using LibraryCallsDeathTest = LibraryCallsTest;

TEST_F(LibraryCallsDeathTest, AWorkspaceThatIsTooSmallEndsAtAFence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the device has a thread
  setenv("DFRUN_EMULATED_SMALL_WORKSPACE", "1", 1);
  EXPECT_DEATH(RightSteps(1), "work touched what lies behind|heap-buffer-overflow");
}

// A convolution and each of its gradients is one library call, and kernels of the product transpose the filter.
TEST_F(LibraryCallsTest, ConvolutionsAreCaptured) {
  const PartialShape shape(Shape({4, 16, 16, 32}));
  const Output x = FloatPlaceholder("x", shape);
  Tensor values(DType::kFloat, Shape({3, 3, 32, 32}));
  for (int64_t i = 0; i < values.num_elements(); ++i) values.data<float>()[i] = static_cast<float>(i % 7) - 3;
  const Output filter = maker_.Const("filter", values);
  const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Output y = maker_.Add("y", "Conv2D", {x, filter}, attrs);
  const Output sizes = maker_.Const("sizes", Tensor::Vector<int32_t>({4, 16, 16, 32}));
  const Output filter_sizes = maker_.Const("filter_sizes", Tensor::Vector<int32_t>({3, 3, 32, 32}));
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {shape};
  signature.fetches = {maker_.Add("dx", "Conv2DBackpropInput", {sizes, filter, y}, attrs),
                       maker_.Add("dw", "Conv2DBackpropFilter", {x, filter_sizes, y}, attrs)};
  GpuSteps recorded(*device_, maker_.graph, signature);
  GpuSteps plain(*device_, maker_.graph, signature, /*records=*/false);
  for (int step = 1; step <= 3; ++step) {
    UseSeed(step);
    Tensor image(DType::kFloat, Shape({4, 16, 16, 32}));
    for (int64_t i = 0; i < image.num_elements(); ++i) image.data<float>()[i] = static_cast<float>((i * step) % 5) - 2;
    const auto fetched = recorded.Run({image});
    const auto expected = plain.Run({image});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE((*fetched)[i].Identical((*expected)[i])) << "step " << step;
  }
  EXPECT_EQ(recorded.NumberBefore(" of them library calls"), 3) << recorded.text();
}

// A round trip of each kind. The library destroys the spectra that it makes real numbers of, which others read.
TEST_F(LibraryCallsTest, TransformsAreCaptured) {
  const PartialShape shape(Shape({6, 12, 10}));
  const Output x = FloatPlaceholder("x", shape);
  const Output lengths = maker_.Const("lengths", Tensor::Vector<int32_t>({12, 10}));
  const Output spectrum = maker_.Add("spectrum", "RFFT2D", {x, lengths});
  const Output turned = maker_.Add("turned", "IFFT2D", {maker_.Add("whole", "FFT2D", {spectrum})});
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {shape};
  signature.fetches = {maker_.Add("back", "IRFFT2D", {spectrum, lengths}),
                       maker_.Add("square", "Mul", {turned, spectrum})};
  GpuSteps recorded(*device_, maker_.graph, signature);
  GpuSteps plain(*device_, maker_.graph, signature, /*records=*/false);
  for (int step = 1; step <= kSteps; ++step) {
    UseSeed(step);
    Tensor values(DType::kFloat, Shape({6, 12, 10}));
    for (int64_t i = 0; i < values.num_elements(); ++i) values.data<float>()[i] = static_cast<float>(i * step % 7) - 3;
    const auto fetched = recorded.Run({values});
    const auto expected = plain.Run({values});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE((*fetched)[i].Identical((*expected)[i])) << "step " << step;
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      ASSERT_NEAR((*fetched)[0].data<float>()[i], values.data<float>()[i], 1e-5) << "step " << step;
    }
  }
  EXPECT_EQ(recorded.NumberBefore(" of them library calls"), 4) << recorded.text();
}

// The values have all dtypes and sizes, each alone and two at once.
TEST_F(RecordingTest, TheLeastNumberOfAValueThatIsNotFiniteIsFound) {
  std::vector<Output> values;
  RunSignature signature;
  std::vector<Tensor> fed;
  for (const int64_t size : {1, 3, 256, 8191, 8192, 8193, 40000}) {
    for (const DType dtype : {DType::kFloat, DType::kHalf, DType::kBfloat16, DType::kDouble, DType::kComplex64}) {
      const AttrMap attrs = {{"dtype", dtype}, {"shape", Shape({size})}};
      values.push_back(maker_.Add(StrCat("value_", values.size()), "Placeholder", {}, attrs));
      signature.feed_shapes.push_back(PartialShape(Shape({size})));
      fed.emplace_back(dtype, Shape({size}));
      std::memset(fed.back().raw(), 0x3c, fed.back().num_bytes());
    }
  }
  signature.feeds = values;
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < values.size(); ++i) numbers.push_back(static_cast<int64_t>(2 * (values.size() - i)));
  const Output first = maker_.Add("first", kFirstNotFiniteOp, values, {{"numbers", numbers}});
  const Output other = maker_.Add("other", kFirstNotFiniteOp, {values[0]}, {{"numbers", std::vector<int64_t>{1000}}});
  signature.fetches = {maker_.Add("found", kFirstNotFiniteOp, {first, values[1], other})};
  GpuSteps steps(*device_, maker_.graph, signature);
  const auto found = [&] {
    const auto fetched = steps.Run(fed);
    EXPECT_TRUE(fetched.ok()) << fetched.status().ToString();
    return fetched.ok() ? (*fetched)[0].scalar<int32_t>() : -1;
  };
  const auto spoil = [&](size_t i, int64_t byte, unsigned char with) {
    std::memset(static_cast<unsigned char*>(fed[i].raw()) + byte, with, DTypeSize(fed[i].dtype()));
  };
  EXPECT_EQ(found(), 0);
  for (size_t i = 2; i < values.size(); i += 3) {
    const auto last = static_cast<int64_t>(fed[i].num_bytes() - DTypeSize(fed[i].dtype()));
    spoil(i, last, 0xff);
    EXPECT_EQ(found(), numbers[i]) << i;
    spoil(2, 0, 0xff);  // its number is the third largest
    EXPECT_EQ(found(), numbers[i]) << i;
    spoil(2, 0, 0x3c);
    spoil(i, last, 0x3c);
  }
  spoil(1, 0, 0xff);
  EXPECT_EQ(found(), 2);  // value 1 has no number, so its position counts
}

// A step whose loss is not finite leaves the variable as it is, on the GPU, and reports it; the next step goes on.
TEST_F(RecordingTest, TheGateOfUpdatesIsRecorded) {
  const Output x = FloatPlaceholder("x", PartialShape(Shape({4})));
  const Output w = VariableOf("w", Tensor::Vector<float>({1, 2, 3, 4}));
  const Output axes = maker_.Const("axes", Tensor::Vector<int32_t>({0}));
  const Output loss = maker_.Add("loss", "Sum", {maker_.Add("product", "Mul", {w, x}), axes});
  const Output update = maker_.Add("update", "AssignAdd", {w, x}, {{kGatedAttr, true}});
  const Output gate = maker_.Add("gate", kUpdateGateOp, {maker_.Add("found", kFirstNotFiniteOp, {loss, x})});
  maker_.graph.AddControlEdge(loss.node, update.node);
  maker_.graph.AddControlEdge(gate.node, update.node);
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {PartialShape(Shape({4}))};
  signature.fetches = {loss};
  signature.targets = {update.node, gate.node};
  GpuSteps steps(*device_, maker_.graph, signature);
  const CaptureCounters before = counters();
  float w0 = 1;
  for (int step = 1; step <= 10; ++step) {
    const bool is_finite = step % 3 != 0 && step != 1;
    const float fed = is_finite ? 1 : INFINITY;
    const auto fetched = steps.Run({Tensor::Vector<float>({fed, 0, 0, 0})});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    if (!is_finite) continue;
    EXPECT_EQ((*fetched)[0].scalar<float>(), w0) << "step " << step;
    w0 += 1;
  }
  EXPECT_EQ(counters().launches - before.launches, 9) << steps.text();
}

}  // namespace
}  // namespace dfrun::testing
