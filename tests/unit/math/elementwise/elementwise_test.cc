// Element-wise work that golden cases are too small for: it is split over threads, and buffers are forwarded.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <utility>

#include "src/framework/kernel/executor_access.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

Tensor Counting(const Shape& shape, float scale) {
  Tensor tensor(DType::kFloat, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) tensor.data<float>()[i] = static_cast<float>(i % 9973) * scale;
  return tensor;
}

TEST(Elementwise, LargeTensorsAreSplitAtAnyBroadcast) {
  NodeRunner runner;
  const Tensor x = Counting({90, 30, 40}, 0.5F);
  for (const Shape& other :
       {Shape({90, 30, 40}), Shape(), Shape({40}), Shape({30, 1}), Shape({90, 1, 40}), Shape({90, 1, 1})}) {
    const Tensor y = Counting(other, 2);
    const Result<std::vector<Tensor>> z = runner.Run("Sub", {}, {x, y});
    ASSERT_TRUE(z.ok()) << z.status().ToString();
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const int64_t at[] = {i / 1200, i / 40 % 30, i % 40};
      int64_t offset = 0;
      for (int d = 0; d < other.rank(); ++d) {
        offset = offset * other.dim(d) + (other.dim(d) == 1 ? 0 : at[3 - other.rank() + d]);
      }
      ASSERT_EQ((*z)[0].data<float>()[i], x.data<float>()[i] - y.data<float>()[offset]) << other << " " << i;
    }
  }
}

TEST(Elementwise, LargeUnary) {
  NodeRunner runner;
  const Tensor x = Counting({100001}, 1);
  const Result<std::vector<Tensor>> y = runner.Run("Neg", {}, {x});
  ASSERT_TRUE(y.ok());
  for (int64_t i = 0; i < x.num_elements(); ++i) ASSERT_EQ((*y)[0].data<float>()[i], -x.data<float>()[i]);
}

TEST(Elementwise, OutputsBeyondTheCachesAreWrittenWhole) {
  NodeRunner runner;
  const Tensor x = Counting({3, 4300001}, 1);
  const Result<std::vector<Tensor>> negative = runner.Run("Neg", {}, {x});
  const Result<std::vector<Tensor>> sum = runner.Run("Add", {}, {x, Counting({3, 1}, 7)});
  ASSERT_TRUE(negative.ok() && sum.ok());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    ASSERT_EQ((*negative)[0].data<float>()[i], -x.data<float>()[i]);
    ASSERT_EQ((*sum)[0].data<float>()[i], x.data<float>()[i] + 7 * static_cast<float>(i / 4300001));
  }
}

TEST(Elementwise, RareArgumentsChangeNoneOfTheirNeighbours) {
  NodeRunner runner;
  Tensor x = Counting({5000}, 0.01F);
  const Result<std::vector<Tensor>> usual = runner.Run("Sin", {}, {x});
  x.data<float>()[1234] = 1e9F;
  x.data<float>()[4999] = INFINITY;
  const Result<std::vector<Tensor>> mixed = runner.Run("Sin", {}, {x});
  ASSERT_TRUE(usual.ok() && mixed.ok());
  EXPECT_EQ((*mixed)[0].data<float>()[1234], std::sin(1e9F));
  EXPECT_TRUE(std::isnan((*mixed)[0].data<float>()[4999]));
  for (int64_t i = 0; i < 4999; ++i) {
    if (i == 1234) continue;
    ASSERT_EQ((*mixed)[0].data<float>()[i], (*usual)[0].data<float>()[i]) << i;
  }
}

// The number of elements before and after an element does not matter.
TEST(Elementwise, AnElementHasOneResult) {
  NodeRunner runner;
  const Tensor x = Counting({3, 4300001}, 1e-6F);
  for (const char* op : {"Exp", "Tanh", "Sigmoid", "Sin", "Log"}) {
    const Result<std::vector<Tensor>> all = runner.Run(op, {}, {x});
    ASSERT_TRUE(all.ok());
    for (const auto& [first, n] : {std::pair{0, 1}, {5, 15}, {3, 16}, {0, 17}, {777, 1000}, {2, 100003}}) {
      Tensor some(DType::kFloat, Shape({n}));
      std::copy_n(x.data<float>() + first, n, some.data<float>());
      const Result<std::vector<Tensor>> y = runner.Run(op, {}, {some});
      ASSERT_TRUE(y.ok());
      for (int i = 0; i < n; ++i) {
        ASSERT_EQ(std::bit_cast<uint32_t>((*y)[0].data<float>()[i]),
                  std::bit_cast<uint32_t>((*all)[0].data<float>()[first + i]))
            << op << " " << first << " + " << i;
      }
    }
  }
}

TEST(Elementwise, QuantisedElementsAreEqualByTheirIntegers) {
  NodeRunner runner;
  Tensor x(DType::kQint32, Shape({3}));
  Tensor y(DType::kQint32, Shape({3}));
  for (int i = 0; i < 3; ++i) {
    x.data<qint32>()[i].value = i;
    y.data<qint32>()[i].value = i == 1 ? 70000 : i;
  }
  const Result<std::vector<Tensor>> equal = runner.Run("Equal", {}, {x, y});
  ASSERT_TRUE(equal.ok()) << equal.status().ToString();
  const bool* z = (*equal)[0].data<bool>();
  EXPECT_TRUE(z[0] && !z[1] && z[2]);
}

// One call of a kernel that is the last reader of its inputs.
Tensor RunAsLastReader(const std::string& op, std::vector<Tensor> slots) {
  NodeRunner runner;
  AttrMap attrs = {{"T", DType::kFloat}};
  const OpDef* def = OpRegistry::Builtin().Find(op);
  NodeInfo info{"node", def, std::vector<TypedArg>(slots.size(), {DType::kFloat, false}), {{DType::kFloat, false}}};
  KernelSetup setup(info, attrs, runner.device(), std::vector<PartialShape>(slots.size()), {PartialShape()}, {false});
  const std::unique_ptr<Kernel> kernel = (*KernelRegistry::Builtin().Find(op, "cpu", attrs))->make(setup);
  const uint32_t in[] = {0, 1};
  Tensor output;
  InlineThreadPool pool;
  const StepContext step;
  OpContext ctx;
  ExecutorAccess::BindStep(ctx, slots.data(), runner.device(), pool, step);
  ExecutorAccess::BindNode(ctx, info, in, &output, 3);
  const Status status = kernel->fn()(kernel.get(), ctx);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return output;
}

TEST(Elementwise, TheLastReaderWritesIntoItsInput) {
  Tensor x = Counting({100}, 1);
  const void* memory = x.raw();
  std::vector<Tensor> slots;
  slots.push_back(std::move(x));
  const Tensor y = RunAsLastReader("Exp", std::move(slots));
  EXPECT_EQ(y.raw(), memory);
  EXPECT_EQ(y.data<float>()[0], 1.0F);
}

TEST(Elementwise, ABroadcastOperandIsNotOverwritten) {
  Tensor row = Counting({10}, 1);
  Tensor matrix = Counting({10, 10}, 1);
  const void* memory = matrix.raw();
  std::vector<Tensor> slots;
  slots.push_back(std::move(row));
  slots.push_back(std::move(matrix));
  const Tensor sum = RunAsLastReader("AddV2", std::move(slots));
  EXPECT_EQ(sum.raw(), memory);
  EXPECT_EQ(sum.data<float>()[99], 9.0F + 99.0F);
}

}  // namespace
}  // namespace dfrun
