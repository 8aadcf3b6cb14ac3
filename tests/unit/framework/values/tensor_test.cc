#include "src/framework/values/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/framework/values/resource.h"
#include "src/framework/values/variant.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorTest, CopiesShareTheBuffer) {
  Tensor a = Tensor::Vector<float>({1, 2, 3});
  EXPECT_TRUE(a.SoleOwner());
  const Tensor b = a;
  EXPECT_FALSE(a.SoleOwner());
  EXPECT_TRUE(a.SharesBufferWith(b));
  const Result<Tensor> copy = a.Copy(SystemAllocator());
  ASSERT_TRUE(copy.ok());
  EXPECT_FALSE(copy->SharesBufferWith(a));
  EXPECT_TRUE(copy->Identical(a));
  a.Reset();
  EXPECT_FALSE(a.initialized());
  EXPECT_TRUE(b.SoleOwner());
}

TEST(TensorTest, RowsShareTheBuffer) {
  Tensor t(DType::kInt32, Shape({3, 2}));
  for (int i = 0; i < 6; ++i) t.data<int32_t>()[i] = i;
  EXPECT_THAT(t.SliceRows(1, 3).values<int32_t>(), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(t.SliceRows(3, 3).shape(), Shape({0, 2}));
  EXPECT_EQ(Tensor(DType::kInt32, Shape({0, 2})).SliceRows(0, 0).num_elements(), 0);
}

TEST(TensorTest, TooLargeIsAnErrorThatSaysHowMuch) {
  const Result<Tensor> huge = Tensor::Allocate(SystemAllocator(), DType::kComplex128, Shape({int64_t{1} << 61}));
  EXPECT_EQ(huge.status().code(), Code::kResourceExhausted);
  const Result<Tensor> large = Tensor::Allocate(SystemAllocator(), DType::kFloat, Shape({int64_t{1} << 55}));
  EXPECT_EQ(large.status().code(), Code::kResourceExhausted);
  EXPECT_THAT(large.status().message(), HasSubstr("float32[36028797018963968]"));
}

TEST(TensorTest, StringsAreConstructedAndCopied) {
  Tensor t(DType::kString, Shape({2}));
  t.data<std::string>()[1] = std::string(100, 'x');
  const Result<Tensor> copy = t.Copy(SystemAllocator());
  ASSERT_TRUE(copy.ok());
  EXPECT_TRUE(copy->Identical(t));
  t.data<std::string>()[0] = "other";
  EXPECT_FALSE(copy->Identical(t));
  EXPECT_EQ(t.ToString(1), "string[2] \"other\" ...");
}

TEST(TensorTest, IdenticalLooksAtBits) {
  EXPECT_TRUE(Tensor::Scalar(std::nanf("")).Identical(Tensor::Scalar(std::nanf(""))));
  EXPECT_FALSE(Tensor::Scalar(0.0F).Identical(Tensor::Scalar(-0.0F)));
  EXPECT_FALSE(Tensor::Scalar(1.0F).Identical(Tensor::Vector<float>({1})));
}

struct Number final : VariantValue {
  explicit Number(int n) : value(n) {}
  std::string DebugString() const override { return "Number"; }
  int value;
};
struct Word final : VariantValue {
  std::string DebugString() const override { return "Word"; }
};

TEST(VariantTest, SharedValueIsCopiedBeforeItChanges) {
  Variant a(std::make_shared<Number>(1));
  const Variant b = a;
  (*a.AsOwned<Number>("Number"))->value = 2;
  EXPECT_EQ((*a.As<Number>("Number"))->value, 2);
  EXPECT_EQ((*b.As<Number>("Number"))->value, 1);
  const Number* const alone = *a.As<Number>("Number");
  EXPECT_EQ(*a.AsOwned<Number>("Number"), alone);
}

TEST(VariantTest, AnotherTypeIsAnError) {
  EXPECT_THAT(Variant(std::make_shared<Word>()).As<Number>("Number").status().message(),
              HasSubstr("holds Word, not a Number"));
  EXPECT_THAT(Variant().As<Number>("Number").status().message(), HasSubstr("no value"));
}

class Counter final : public Resource {
 public:
  explicit Counter(int* alive) : alive_(alive) { ++*alive_; }
  std::string DebugString() const override { return "Counter"; }

 private:
  ~Counter() override { --*alive_; }
  int* const alive_;
};

TEST(ResourceContainersTest, ObjectsLiveWhileHeldAndAreFoundByContainerAndName) {
  int alive = 0;
  ResourceContainers containers;
  const auto make = [&]() -> Result<Counter*> { return new Counter(&alive); };
  RefPtr<Counter> a = *containers.LookupOrCreate<Counter>("", "a", make);
  EXPECT_EQ(containers.LookupOrCreate<Counter>("", "a", make)->get(), a.get());
  EXPECT_NE(containers.LookupOrCreate<Counter>("jobs", "a", make)->get(), a.get());
  EXPECT_EQ(alive, 2);
  containers.Reset("jobs");
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(containers.Remove<Counter>("", "a"));
  EXPECT_FALSE(containers.Remove<Counter>("", "a"));
  EXPECT_EQ(alive, 1);
  a = RefPtr<Counter>();
  EXPECT_EQ(alive, 0);
  const auto fail = [&]() -> Result<Counter*> { return InvalidArgument("no"); };
  EXPECT_FALSE(containers.LookupOrCreate<Counter>("", "a", fail).ok());
  EXPECT_FALSE(containers.Lookup<Counter>("", "a"));
}

}  // namespace
}  // namespace dfrun
