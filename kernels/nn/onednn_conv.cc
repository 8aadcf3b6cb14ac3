#include "kernels/nn/onednn_conv.h"

#include "src/framework/dtype.h"

#ifdef DFRUN_ONEDNN
#include "kernels/nn/image_blocks.h"
#include "kernels/nn/onednn_conv_primitive.h"

namespace dfrun {
namespace {

template <class T>
constexpr auto kType = std::is_same_v<T, float> ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;

template <class T>
class OneDnnConv final : public Conv<T> {
 public:
  OneDnnConv(ConvKind kind, const ConvShape& shape)
      : kind_(kind),
        s_(shape),
        blocks_(shape.images, kind == ConvKind::kBackpropFilter ? ImagesInFilterBlock(shape) : ImagesInBlock(shape)) {}

  // For the larger blocks and for those with one image less, with filters of the same order.
  Status Make() {
    DF_ASSIGN(larger_, MakeFor(blocks_.largest(), nullptr));
    if (!blocks_.are_equal()) {
      DF_ASSIGN(smaller_, MakeFor(blocks_.largest() - 1, &larger_->filter_order()));
    }
    return Status();
  }

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    if (kind_ == ConvKind::kBackpropFilter) return BackpropFilter(a, b, result, pool, allocator);
    return RunAndFinish(
        a, b, result, s_.images, [](int64_t, int64_t) {}, pool, allocator);
  }

  Status RunAndFinish(const T* a, const T* b, T* result, int64_t /*images*/,
                      FunctionRef<void(int64_t first, int64_t count)> finish, ThreadPool& pool,
                      Allocator& allocator) const override {
    DF_ASSIGN(Tensor ordered, FilterSpace(allocator));
    if (ordered.initialized()) DF_TRY(larger_->ReorderFilter(b, ordered.raw(), pool, allocator));
    const void* filter = ordered.initialized() ? ordered.raw() : b;
    const bool forward = kind_ == ConvKind::kForward;
    const int64_t from = forward ? s_.input_image() : s_.output_image();
    const int64_t to = forward ? s_.output_image() : s_.input_image();
    return ForImageBlocks(s_, pool, [&](int64_t first, int64_t count) {
      DF_TRY(BlockOf(count).Run(a + first * from, filter, result + first * to, allocator));
      finish(first, count);
      return Status();
    });
  }

 private:
  using Primitive = std::unique_ptr<const OneDnnConvPrimitive>;

  Result<Primitive> MakeFor(int64_t images, const dnnl::memory::desc* filter_order) const {
    return CatchOneDnn("a convolution", [&]() -> Primitive {
      return std::make_unique<const OneDnnConvPrimitive>(kind_, s_.WithImages(images), s_, kType<T>, filter_order);
    });
  }
  const OneDnnConvPrimitive& BlockOf(int64_t count) const { return count == blocks_.largest() ? *larger_ : *smaller_; }

  // For a filter in the library's order; not initialised where that is its own.
  Result<Tensor> FilterSpace(Allocator& allocator) const {
    if (!larger_->reorders_filter()) return Tensor();
    return Tensor::Allocate(allocator, DType::kUint8,
                            Shape({static_cast<int64_t>(larger_->filter_order().get_size())}));
  }

  // Partial sums stay in the library's order, and their sum is put in order once.
  Status BackpropFilter(const T* x, const T* dy, T* result, ThreadPool& pool, Allocator& allocator) const {
    DF_ASSIGN(Tensor ordered, FilterSpace(allocator));
    T* sum = ordered.initialized() ? static_cast<T*>(ordered.raw()) : result;
    const auto block = [&](int64_t first, int64_t count, T* partial) {
      return BlockOf(count).Run(x + first * s_.input_image(), dy + first * s_.output_image(), partial, allocator);
    };
    const auto size = static_cast<int64_t>(larger_->filter_order().get_size() / sizeof(T));
    DF_TRY(SumOverImageBlocks<T>(s_, size, sum, pool, allocator, block));
    return ordered.initialized() ? larger_->ReorderFilter(sum, result, pool, allocator) : Status();
  }

  const ConvKind kind_;
  const ConvShape s_;
  const ImageBlocks blocks_;
  Primitive larger_;
  Primitive smaller_;  // null where all blocks are equal
};

}  // namespace

template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind kind, const ConvShape& shape) {
  if (!OneDnnConvPrimitive::Has(shape)) return Unimplemented("oneDNN has no convolution of such sizes");
  auto conv = std::make_shared<OneDnnConv<T>>(kind, shape);
  DF_TRY(conv->Make());
  return std::shared_ptr<const Conv<T>>(std::move(conv));
}

#else
namespace dfrun {

template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind, const ConvShape&) {
  return Unimplemented("this dfrun was built without oneDNN");
}

#endif  // DFRUN_ONEDNN

template Result<std::shared_ptr<const Conv<float>>> MakeOneDnnConv<float>(ConvKind, const ConvShape&);
template Result<std::shared_ptr<const Conv<bfloat16>>> MakeOneDnnConv<bfloat16>(ConvKind, const ConvShape&);

}  // namespace dfrun
