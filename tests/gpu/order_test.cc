// Sorts, top k, groups, transpositions and sums of so many elements that GPUs use other algorithms than in golden
// cases. Emulated GPUs must give the bits of CPUs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "src/framework/device/device_factory.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";
constexpr int64_t kMany = 5000;  // more elements than are sorted by counting, and than a block handles

class OrderTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf(kType);
  }

  // Numbers in [0, below).
  template <class T>
  Tensor Numbers(const Shape& shape, int below) {
    std::uniform_int_distribution<int> any(0, below - 1);
    Tensor numbers(DTypeOf<T>, shape);
    for (int64_t i = 0; i < numbers.num_elements(); ++i) numbers.data<T>()[i] = static_cast<T>(any(random_));
    return numbers;
  }

  void ExpectTheSame(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs) {
    SCOPED_TRACE(op);
    NodeRunner gpu(kType);
    NodeRunner host{std::string(HostDeviceType())};
    ASSERT_TRUE(gpu.HasKernel(op, attrs, inputs));
    const auto on_gpu = gpu.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    const auto on_host = host.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    ASSERT_TRUE(on_gpu.ok()) << on_gpu.status().ToString();
    ASSERT_TRUE(on_host.ok()) << on_host.status().ToString();
    ASSERT_EQ(on_gpu->size(), on_host->size());
    for (size_t i = 0; i < on_gpu->size(); ++i) EXPECT_TRUE((*on_gpu)[i].Identical((*on_host)[i])) << "output " << i;
  }

  std::minstd_rand random_{7};
};

TEST_F(OrderTest, SortsByDigits) {
  ExpectTheSame("ArgSort", {}, {Numbers<float>(Shape({kMany}), 900)});
  ExpectTheSame("ArgSort", {{"descending", true}}, {Numbers<int64_t>(Shape({kMany}), 1 << 30)});
}

TEST_F(OrderTest, SortsRowsByDigits) {
  const Tensor x = Numbers<int32_t>(Shape({3, kMany / 2}), 1 << 20);
  ExpectTheSame("TopKV2", {}, {x, Tensor::Scalar<int32_t>(40)});
  ExpectTheSame("TopKV2", {{"sorted", false}}, {x, Tensor::Scalar<int32_t>(40)});
}

TEST_F(OrderTest, AddsUpdatesInTheirOrder) {
  const Tensor updates = Numbers<float>(Shape({kMany, 3}), 1 << 24);  // large values, so that their sums are rounded
  ExpectTheSame("TensorScatterAdd", {},
                {Numbers<float>(Shape({300, 3}), 100), Numbers<int32_t>(Shape({kMany, 1}), 300), updates});
  ExpectTheSame("UnsortedSegmentSum", {}, {updates, Numbers<int64_t>(Shape({kMany}), 70), Tensor::Scalar<int32_t>(70)});
}

TEST_F(OrderTest, FindsWhatIsSet) {
  ExpectTheSame("Where", {}, {Numbers<int32_t>(Shape({kMany / 100, 100}), 3)});
}

TEST_F(OrderTest, FindsWhatIsUnique) {
  ExpectTheSame("UniqueWithCounts", {}, {Numbers<int32_t>(Shape({kMany}), 700)});
}

TEST_F(OrderTest, DealsOutRows) {
  ExpectTheSame("DynamicPartition", {{"num_partitions", int64_t{3}}},
                {Numbers<float>(Shape({kMany, 2}), 1000), Numbers<int32_t>(Shape({kMany}), 3)});
}

TEST_F(OrderTest, SumsUpLongLines) {
  ExpectTheSame("Cumsum", {{"exclusive", true}},
                {Numbers<int32_t>(Shape({2, kMany}), 1 << 30), Tensor::Scalar<int32_t>(1)});
}

template <class T>
class TransposeTest : public OrderTest {};
using Elements = ::testing::Types<uint8_t, int16_t, float, double>;
TYPED_TEST_SUITE(TransposeTest, Elements);

TYPED_TEST(TransposeTest, GoesThroughTiles) {
  const Tensor x = this->template Numbers<TypeParam>(Shape({3, 33, 2, 70}), 100);
  for (const std::vector<int32_t>& order : {std::vector<int32_t>{0, 3, 2, 1}, {3, 0, 1, 2}, {2, 3, 1, 0}, {1, 3, 0, 2}})
    this->ExpectTheSame("Transpose", {}, {x, Tensor::Vector<int32_t>(order)});
}

TEST_F(OrderTest, SumsRowsByVectors) {
  for (const int64_t columns : {5, 31, 33, 1023, 1024, 9001}) {
    SCOPED_TRACE(columns);
    const Tensor axis = Tensor::Scalar<int32_t>(1);
    ExpectTheSame("Sum", {}, {Numbers<int32_t>(Shape({3, columns}), 1 << 30), axis});
    ExpectTheSame("Max", {}, {Numbers<float>(Shape({3, columns}), 1 << 24), axis});
    ExpectTheSame("Prod", {}, {Numbers<int64_t>(Shape({3, columns}), 1 << 30), axis});
  }
}

}  // namespace
}  // namespace dfrun::testing
