// Gemm<T>::Create of every T.
#include <complex>

#include "kernels/device/onednn_units.h"
#include "kernels/math/widen.h"
#include "kernels/matrix/bf16_gemm.h"
#include "kernels/matrix/complex_gemm.h"
#include "kernels/matrix/gemm_plan.h"
#include "kernels/matrix/onednn_gemm.h"

namespace dfrun {
namespace {

// 16-bit operands are widened, and the product is rounded once.
template <class T>
class WidenedGemm final : public Gemm<T> {
 public:
  WidenedGemm(const GemmShape& shape, std::shared_ptr<const Gemm<float>> gemm)
      : shape_(shape), gemm_(std::move(gemm)) {}

  Status Run(const T* a, const T* b, T* c, ThreadPool& threads, Allocator& allocator) const override {
    InlineThreadPool caller;
    ThreadPool& pool = shape_.work() < kSharedWork ? caller : threads;
    DF_ASSIGN(const Tensor wide_a, Widened(a, shape_.m * shape_.k, pool, allocator));
    DF_ASSIGN(const Tensor wide_b, Widened(b, shape_.k * shape_.n, pool, allocator));
    DF_ASSIGN(Tensor wide_c, Tensor::Allocate(allocator, DType::kFloat, Shape({shape_.m * shape_.n})));
    DF_TRY(gemm_->Run(wide_a.data<float>(), wide_b.data<float>(), wide_c.data<float>(), pool, allocator));
    ConvertElements(wide_c.data<float>(), wide_c.num_elements(), c, pool);
    return Status();
  }

 private:
  // Of less, the caller's copies would be waited for by the other threads.
  static constexpr int64_t kSharedWork = int64_t{1} << 20;

  const GemmShape shape_;
  const std::shared_ptr<const Gemm<float>> gemm_;
};

// Rows of C at a time: c[i] += a[i,p] * b[p]. Of int16_t, which wraps.
class PlainGemm final : public Gemm<int16_t> {
 public:
  explicit PlainGemm(const GemmShape& shape) : shape_(shape) {}

  Status Run(const int16_t* a, const int16_t* b, int16_t* c, ThreadPool& pool, Allocator&) const override {
    const int64_t row_work = std::max<int64_t>(1, shape_.k * shape_.n);
    pool.ParallelFor(shape_.m, std::max<int64_t>(1, kBlockWork / row_work), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) Row(i, a, b, c + i * shape_.n);
    });
    return Status();
  }

 private:
  static constexpr int64_t kBlockWork = int64_t{1} << 17;  // 100 us

  void Row(int64_t i, const int16_t* a, const int16_t* b, int16_t* c) const {
    std::fill_n(c, shape_.n, int16_t{0});
    const int64_t b_step = shape_.transpose_b ? shape_.k : 1;
    for (int64_t p = 0; p < shape_.k; ++p) {
      const int16_t factor = a[shape_.transpose_a ? p * shape_.m + i : i * shape_.k + p];
      const int16_t* row = b + (shape_.transpose_b ? p : p * shape_.n);
      for (int64_t j = 0; j < shape_.n; ++j) c[j] = static_cast<int16_t>(c[j] + factor * row[j * b_step]);
    }
  }

  const GemmShape shape_;
};

template <class T>
std::shared_ptr<const Gemm<T>> Blocked(const GemmShape& shape) {
  return std::make_shared<GemmPlan<T>>(shape);
}

}  // namespace

template <>
Result<std::shared_ptr<const Gemm<float>>> Gemm<float>::Create(const GemmShape& shape) {
  return Blocked<float>(shape);
}

template <>
Result<std::shared_ptr<const Gemm<bfloat16>>> Gemm<bfloat16>::Create(const GemmShape& shape) {
  if (shape.work() > 0) {  // neither takes empty operands
    if (auto tiles = MakeBfloat16Gemm(shape, Bfloat16Unit::kTiles)) return tiles;
    // Copies pay from here on: of B, which vectors of pairs need, and of both operands as float, which takes a quarter
    // of the time of oneDNN's products where the machine multiplies no bfloat16.
    constexpr int64_t kLeastUses = 8;
    auto pairs = MakeBfloat16Gemm(shape, Bfloat16Unit::kPairs);
    if (pairs != nullptr && shape.m >= kLeastUses) return pairs;
    if (OneDnnMultipliesBfloat16() || std::min(shape.m, shape.n) < kLeastUses) {
      auto gemm = MakeOneDnnGemm(shape);
      if (gemm.ok()) return gemm;
    }
    if (pairs != nullptr) return pairs;
  }
  DF_ASSIGN(std::shared_ptr<const Gemm<float>> wide, Gemm<float>::Create(shape));
  return std::shared_ptr<const Gemm<bfloat16>>(std::make_shared<WidenedGemm<bfloat16>>(shape, std::move(wide)));
}

template <>
Result<std::shared_ptr<const Gemm<float16>>> Gemm<float16>::Create(const GemmShape& shape) {
  DF_ASSIGN(std::shared_ptr<const Gemm<float>> wide, Gemm<float>::Create(shape));
  return std::shared_ptr<const Gemm<float16>>(std::make_shared<WidenedGemm<float16>>(shape, std::move(wide)));
}

template <>
Result<std::shared_ptr<const Gemm<double>>> Gemm<double>::Create(const GemmShape& shape) {
  return Blocked<double>(shape);
}

template <>
Result<std::shared_ptr<const Gemm<int16_t>>> Gemm<int16_t>::Create(const GemmShape& shape) {
  return std::shared_ptr<const Gemm>(std::make_shared<PlainGemm>(shape));
}

template <>
Result<std::shared_ptr<const Gemm<int32_t>>> Gemm<int32_t>::Create(const GemmShape& shape) {
  return Blocked<int32_t>(shape);
}

template <>
Result<std::shared_ptr<const Gemm<int64_t>>> Gemm<int64_t>::Create(const GemmShape& shape) {
  return Blocked<int64_t>(shape);
}

template <>
Result<std::shared_ptr<const Gemm<std::complex<float>>>> Gemm<std::complex<float>>::Create(const GemmShape& shape) {
  return ComplexGemm<float>::Create(shape);
}

template <>
Result<std::shared_ptr<const Gemm<std::complex<double>>>> Gemm<std::complex<double>>::Create(const GemmShape& shape) {
  return ComplexGemm<double>::Create(shape);
}

}  // namespace dfrun
