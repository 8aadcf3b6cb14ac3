// Gemm<T>::Create of every T.
#include <complex>

#include "kernels/device/onednn_units.h"
#include "kernels/gemm/amx_gemm.h"
#include "kernels/gemm/complex_gemm.h"
#include "kernels/gemm/onednn_gemm.h"
#include "kernels/gemm/parallel_gemm.h"
#include "kernels/math/functions/widen.h"

namespace dfrun {
namespace {

// The operands are widened, and the product is narrowed once: rounded, or as integers wrap.
template <class T, class Wide>
class WidenedGemm final : public Gemm<T> {
 public:
  WidenedGemm(const GemmShape& shape, std::shared_ptr<const Gemm<Wide>> gemm) : shape_(shape), gemm_(std::move(gemm)) {}

  Status Run(const T* a, const T* b, T* c, ThreadPool& threads, Allocator& allocator) const override {
    InlineThreadPool caller;
    ThreadPool& pool = shape_.work() < kSharedWork ? caller : threads;
    DF_ASSIGN(const Tensor wide_a, Widened(a, shape_.m * shape_.k, pool, allocator));
    DF_ASSIGN(const Tensor wide_b, Widened(b, shape_.k * shape_.n, pool, allocator));
    DF_ASSIGN(Tensor wide_c, Allocate(shape_.m * shape_.n, allocator));
    DF_TRY(gemm_->Run(wide_a.data<Wide>(), wide_b.data<Wide>(), wide_c.data<Wide>(), pool, allocator));
    ConvertElements(wide_c.data<Wide>(), wide_c.num_elements(), c, pool);
    return Status();
  }

 private:
  // Smaller products run on the calling thread: the other threads would wait for its copies.
  static constexpr int64_t kSharedWork = int64_t{1} << 20;

  static Result<Tensor> Allocate(int64_t count, Allocator& allocator) {
    return Tensor::Allocate(allocator, DTypeOf<Wide>, Shape({count}));
  }
  static Result<Tensor> Widened(const T* from, int64_t count, ThreadPool& pool, Allocator& allocator) {
    DF_ASSIGN(Tensor wide, Allocate(count, allocator));
    ConvertElements(from, count, wide.data<Wide>(), pool);
    return wide;
  }

  const GemmShape shape_;
  const std::shared_ptr<const Gemm<Wide>> gemm_;
};

template <class T, class Wide>
Result<std::shared_ptr<const Gemm<T>>> MakeWidened(const GemmShape& shape) {
  DF_ASSIGN(std::shared_ptr<const Gemm<Wide>> wide, Gemm<Wide>::Create(shape));
  return std::shared_ptr<const Gemm<T>>(std::make_shared<WidenedGemm<T, Wide>>(shape, std::move(wide)));
}

// Products by the algorithms of this folder, without a library.
template <class T>
class OwnGemm final : public Gemm<T> {
 public:
  explicit OwnGemm(const GemmShape& shape) : shape_(shape) {}

  Status Run(const T* a, const T* b, T* c, ThreadPool& pool, Allocator& allocator) const override {
    return RunGemm(shape_, a, b, c, pool, allocator);
  }

 private:
  const GemmShape shape_;
};

}  // namespace

template <class T>
Result<std::shared_ptr<const Gemm<T>>> Gemm<T>::Create(const GemmShape& shape) {
  return std::shared_ptr<const Gemm<T>>(std::make_shared<OwnGemm<T>>(shape));
}

template class Gemm<float>;
template class Gemm<double>;
template class Gemm<int32_t>;
template class Gemm<int64_t>;

template <>
Result<std::shared_ptr<const Gemm<int16_t>>> Gemm<int16_t>::Create(const GemmShape& shape) {
  return MakeWidened<int16_t, int32_t>(shape);
}

template <>
Result<std::shared_ptr<const Gemm<float16>>> Gemm<float16>::Create(const GemmShape& shape) {
  return MakeWidened<float16, float>(shape);
}

template <>
Result<std::shared_ptr<const Gemm<bfloat16>>> Gemm<bfloat16>::Create(const GemmShape& shape) {
  if (shape.work() > 0) {  // neither takes empty operands
    if (auto tiles = MakeAmxGemm(shape)) return tiles;
    // oneDNN's products on tile registers give rows other bits by their number.
    if (OneDnnUsesTiles()) return MakeWidened<bfloat16, float>(shape);
    // From so many uses of an element on, copies of both operands as float take a quarter of the time of oneDNN's
    // products if the machine multiplies no bfloat16.
    constexpr int64_t kMinUses = 8;
    if (OneDnnMultipliesBfloat16() || std::min(shape.m, shape.n) < kMinUses) {
      auto gemm = MakeOneDnnGemm(shape);
      if (gemm.ok()) return gemm;
    }
  }
  return MakeWidened<bfloat16, float>(shape);
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
