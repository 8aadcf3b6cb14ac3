// Fingerprints against numpy's, by the definition in src/checkpoint/FORMAT.md.
#include "src/checkpoint/fingerprint.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

namespace dfrun {
namespace {

template <class T>
Tensor VectorOf(const std::vector<T>& values) {
  Tensor tensor(DTypeOf<T>, Shape({static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

// A vector of any plain dtype, with these bytes.
Tensor OfBytes(DType dtype, const std::vector<uint8_t>& bytes) {
  Tensor tensor(dtype, Shape({static_cast<int64_t>(bytes.size() / DTypeSize(dtype))}));
  std::memcpy(tensor.raw(), bytes.data(), bytes.size());
  return tensor;
}

Tensor RandomBytes(DType dtype, int64_t elements, std::mt19937& random) {
  std::vector<uint8_t> bytes(static_cast<size_t>(elements) * DTypeSize(dtype));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return OfBytes(dtype, bytes);
}

// Elements from `begin` to `end` of a vector.
Tensor PartOf(const Tensor& whole, int64_t begin, int64_t end) {
  Tensor part(whole.dtype(), Shape({end - begin}));
  const size_t size = DTypeSize(whole.dtype());
  std::memcpy(part.raw(), static_cast<const char*>(whole.raw()) + static_cast<size_t>(begin) * size,
              static_cast<size_t>(end - begin) * size);
  return part;
}

TEST(FingerprintTest, IsWhatNumpyComputes) {
  std::vector<int32_t> iota(1000);
  std::iota(iota.begin(), iota.end(), 0);
  const std::string zeros(8, '\0');
  EXPECT_EQ(FingerprintOf(Tensor::Vector<float>({1, -2, 0.5F, 0})), 0x1a6f7ef60d71ca81U);
  EXPECT_EQ(FingerprintOf(Tensor::Scalar<float>(0)), 0x1e9ff40f34e9179eU);
  EXPECT_EQ(FingerprintOf(VectorOf(iota)), 0x1987ea8bf6f577a3U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<double>({1, -2.5, 1e300})), 0xa0fe63044bff0a47U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<int64_t>({-1, int64_t{1} << 40})), 0x55f6433adfabc2fdU);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<bfloat16>({bfloat16(1.F), bfloat16(-2.F)})), 0xc9649a91cce03f85U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<float16>({float16(1.F), float16(-2.F)})), 0x555fe32a220f8d29U);
  EXPECT_EQ(FingerprintOf(OfBytes(DType::kBool, {1, 0, 1})), 0x8fa811c50681b430U);
  EXPECT_EQ(FingerprintOf(OfBytes(DType::kBool, {7, 0, 255})), 0x8fa811c50681b430U) << "every true bool is one value";
  EXPECT_EQ(FingerprintOf(Tensor::Vector<int8_t>({-1, 5})), 0x222280171b8c0694U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<uint16_t>({65535, 5})), 0x86e32f1bcf0c82f1U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<std::complex<float>>({{1, 2}, {-0.0F, -3}})), 0x0172a910e37dff72U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<std::complex<double>>({{1, 2}})), 0x787c5b2220dbf183U);
  EXPECT_EQ(FingerprintOf(Tensor::Vector<std::string>({"", "a", "twelve bytes", zeros})), 0xa1025f05b4123569U);
  EXPECT_EQ(FingerprintOf(Tensor(DType::kFloat, Shape({0, 3}))), 0U);
  EXPECT_EQ(ShareOfVariable("h1/W", 5), 0xa4f01ecda28b6a15U);
}

TEST(FingerprintTest, PartsAddUp) {
  std::mt19937 random(1);
  for (const DType dtype : {DType::kUint8, DType::kBfloat16, DType::kFloat, DType::kDouble, DType::kComplex128}) {
    const Tensor whole = RandomBytes(dtype, 3000, random);
    const uint64_t fingerprint = FingerprintOf(whole);
    for (int round = 0; round < 50; ++round) {
      uint64_t sum = 0;
      for (int64_t begin = 0; begin < 3000;) {
        const int64_t end = std::min<int64_t>(3000, begin + 1 + random() % 700);
        sum += FingerprintOf(PartOf(whole, begin, end), begin);
        begin = end;
      }
      EXPECT_EQ(sum, fingerprint) << dtype;
    }
  }
  const Tensor texts = Tensor::Vector<std::string>({"a", "bc", "def"});
  EXPECT_EQ(
      FingerprintOf(Tensor::Vector<std::string>({"a"})) + FingerprintOf(Tensor::Vector<std::string>({"bc", "def"}), 1),
      FingerprintOf(texts));
}

// Runs each block on a thread of its own, the last first.
class ManyThreads final : public ThreadPool {
 public:
  int num_threads() const override { return 8; }
  int ready_threads() const override { return 8; }
  void RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) override {
    std::vector<std::thread> threads;
    for (int64_t i = blocks; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(FingerprintTest, IsTheSameOnManyThreads) {
  std::mt19937 random(2);
  ManyThreads pool;
  for (const DType dtype : {DType::kInt8, DType::kFloat, DType::kComplex64}) {
    const Tensor value = RandomBytes(dtype, 300001, random);
    EXPECT_EQ(FingerprintOf(value, pool), FingerprintOf(value)) << dtype;
  }
}

TEST(FingerprintTest, TenThousandFlippedBitsAreAllFound) {
  std::mt19937 random(3);
  int flips = 0;
  for (const DType dtype : {DType::kInt8, DType::kHalf, DType::kFloat, DType::kInt64, DType::kComplex128}) {
    Tensor value = RandomBytes(dtype, 5000, random);
    const uint64_t before = FingerprintOf(value);
    auto* const bytes = static_cast<uint8_t*>(value.raw());
    for (int i = 0; i < 2000; ++i, ++flips) {
      const size_t at = random() % value.num_bytes();
      const auto bit = static_cast<uint8_t>(1U << random() % 8);
      bytes[at] ^= bit;
      ASSERT_NE(FingerprintOf(value), before) << dtype << ", byte " << at << ", bit " << int{bit};
      bytes[at] ^= bit;
    }
    EXPECT_EQ(FingerprintOf(value), before);
  }
  EXPECT_EQ(flips, 10000);
}

// Changes that a sum of equal terms, or of terms by place alone, would not show.
TEST(FingerprintTest, SwapsAndPairsOfFlipsAreFound) {
  std::mt19937 random(4);
  Tensor value = RandomBytes(DType::kFloat, 2000, random);
  auto* const words = static_cast<uint32_t*>(value.raw());
  const uint64_t before = FingerprintOf(value);
  for (int i = 0; i < 5000; ++i) {
    const size_t a = random() % 2000;
    const size_t b = (a + 1 + random() % 1999) % 2000;
    std::swap(words[a], words[b]);
    EXPECT_NE(FingerprintOf(value), before) << "elements " << a << " and " << b << " swapped";
    std::swap(words[a], words[b]);
    const uint32_t bit = i % 2 == 0 ? 0x80000000 : 1U << i / 2 % 32;
    words[a] ^= bit;
    words[b] ^= bit;
    EXPECT_NE(FingerprintOf(value), before) << "bit " << bit << " of elements " << a << " and " << b;
    words[a] ^= bit;
    words[b] ^= bit;
  }
  EXPECT_NE(ShareOfVariable("a", 1) + ShareOfVariable("b", 2), ShareOfVariable("a", 2) + ShareOfVariable("b", 1))
      << "the values of two variables swapped";
}

}  // namespace
}  // namespace dfrun
