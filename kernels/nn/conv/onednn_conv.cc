#include "kernels/nn/conv/onednn_conv.h"

#include "src/framework/values/dtype.h"

#ifdef DFRUN_ONEDNN
#include "kernels/nn/conv/image_blocks.h"
#include "kernels/nn/conv/onednn_conv_primitive.h"
#include "kernels/nn/conv/row_bands.h"

namespace dfrun {
namespace {

template <class T>
constexpr auto kType = std::is_same_v<T, float> ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;

template <class T>
class OneDnnConv final : public Conv<T> {
 public:
  OneDnnConv(ConvKind kind, const ConvShape& shape, bool flipped) : kind_(kind), s_(shape), flipped_(flipped) {}

  Status Make() {
    if (kind_ == ConvKind::kBackpropFilter) return AddVariant(ImagesInFilterBlock(s_));
    for (int threads = kMaxVariants; threads > 0; --threads) DF_TRY(AddVariant(ImagesInBlockForThreads(s_, threads)));
    return Status();
  }

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    if (kind_ == ConvKind::kBackpropFilter) {
      return BackpropFilter(
          a, [&](int64_t first, int64_t, Tensor&) -> Result<const T*> { return b + first * s_.output_image(); }, result,
          pool, allocator);
    }
    return RunAndFinish(
        a, b, result, /*pixels=*/0, [](int64_t, int64_t) {}, pool, allocator);
  }

  Status RunOnMade(const T* a, FunctionRef<void(int64_t first, int64_t count, T* to)> make, int64_t /*images*/,
                   int64_t image_elements, T* result, ThreadPool& pool, Allocator& allocator) const override {
    const auto made = [&](int64_t first, int64_t count, Tensor& space) -> Result<const T*> {
      DF_ASSIGN(space, Tensor::Allocate(allocator, DTypeOf<T>, Shape({count, image_elements})));
      make(first, count, space.data<T>());
      return space.data<T>();
    };
    return BackpropFilter(a, made, result, pool, allocator);
  }

  Status RunAndFinish(const T* a, const T* b, T* result, int64_t /*pixels*/,
                      FunctionRef<void(int64_t first, int64_t count)> finish, ThreadPool& pool,
                      Allocator& allocator) const override {
    const bool forward = kind_ == ConvKind::kForward;
    const int64_t pixels = forward ? s_.out_pixels() : s_.in_pixels();
    const int64_t to = forward ? s_.output_image() : s_.input_image();
    return ForBlocks(a, b, pool, allocator, [&](int64_t first, int64_t count, auto&& run) {
      DF_TRY(run(result + first * to));
      finish(first * pixels, count * pixels);
      return Status();
    });
  }

  Status RunAndTake(const T* a, const T* b, int64_t /*images*/, int64_t image_elements,
                    FunctionRef<void(int64_t first, int64_t count, const T* values)> take, ThreadPool& pool,
                    Allocator& allocator) const override {
    return ForBlocks(a, b, pool, allocator, [&](int64_t first, int64_t count, auto&& run) -> Status {
      DF_ASSIGN(Tensor space, Tensor::Allocate(allocator, DTypeOf<T>, Shape({count, image_elements})));
      DF_TRY(run(space.data<T>()));
      take(first, count, space.data<T>());
      return Status();
    });
  }

 private:
  using Primitive = std::unique_ptr<const OneDnnConvPrimitive>;
  // The images in blocks, and the primitives for the larger blocks and for those with one image less.
  struct ConvVariant {
    const OneDnnConvPrimitive& BlockOf(int64_t count) const { return count == blocks.largest() ? *larger : *smaller; }
    ImageBlocks blocks;
    Primitive larger;
    Primitive smaller;  // null where all blocks are equal
  };
  static constexpr int kMaxVariants = 3;  // for one thread, for two and for more

  // Adds a variant whose filters have the same order. Does nothing if there are as many blocks already.
  Status AddVariant(int64_t images_in_block) {
    ConvVariant variant{ImageBlocks(s_.images, images_in_block), nullptr, nullptr};
    if (!variants_.empty() && variants_.back().blocks.count() == variant.blocks.count()) return Status();
    DF_ASSIGN(variant.larger,
              MakeFor(variant.blocks.largest(), variants_.empty() ? nullptr : &usual().larger->filter_order()));
    if (!variant.blocks.are_equal()) {
      DF_ASSIGN(variant.smaller, MakeFor(variant.blocks.largest() - 1, &variant.larger->filter_order()));
    }
    variants_.push_back(std::move(variant));
    return Status();
  }
  const ConvVariant& usual() const { return variants_[0]; }
  // The last that has a block for each thread.
  const ConvVariant& VariantFor(const ThreadPool& pool) const {
    auto variant = variants_.end() - 1;
    while (variant != variants_.begin() && variant->blocks.count() < pool.num_threads()) --variant;
    return *variant;
  }

  // Runs a convolution whose result is images: calls block(first, count, run) for blocks of them, which run(to)
  // computes.
  template <class Block>
  Status ForBlocks(const T* a, const T* b, ThreadPool& pool, Allocator& allocator, Block&& block) const {
    DF_ASSIGN(const Tensor ordered, usual().larger->Ordered(b, pool, allocator));
    const void* filter = ordered.initialized() ? ordered.raw() : b;
    const int64_t from = kind_ == ConvKind::kForward ? s_.input_image() : s_.output_image();
    const ConvVariant& variant = VariantFor(pool);
    return ForImageBlocks(variant.blocks, pool, [&](int64_t first, int64_t count) {
      return block(first, count,
                   [&](T* to) { return variant.BlockOf(count).Run(a + first * from, filter, to, allocator); });
    });
  }

  Result<Primitive> MakeFor(int64_t images, const dnnl::memory::desc* filter_order) const {
    return CatchOneDnn("a convolution", [&]() -> Primitive {
      return std::make_unique<const OneDnnConvPrimitive>(kind_, s_.WithImages(images), kType<T>, filter_order,
                                                         flipped_);
    });
  }

  // Partial sums stay in the library's order, and their sum is put in order once. dy_of(first, count, space): where the
  // output's gradients of these images are, perhaps in memory that `space` is given.
  template <class DyOf>
  Status BackpropFilter(const T* x, DyOf&& dy_of, T* result, ThreadPool& pool, Allocator& allocator) const {
    const OneDnnConvPrimitive& larger = *usual().larger;
    DF_ASSIGN(Tensor ordered, larger.FilterSpace(allocator));
    T* sum = ordered.initialized() ? static_cast<T*>(ordered.raw()) : result;
    const auto block = [&](int64_t first, int64_t count, T* partial) -> Status {
      Tensor space;
      DF_ASSIGN(const T* const dy, dy_of(first, count, space));
      return usual().BlockOf(count).Run(x + first * s_.input_image(), dy, partial, allocator);
    };
    const auto size = static_cast<int64_t>(larger.filter_order().get_size() / sizeof(T));
    DF_TRY(SumOverImageBlocks<T>(s_, size, sum, pool, allocator, block));
    return ordered.initialized() ? larger.ReorderFilter(sum, result, pool, allocator) : Status();
  }

  const ConvKind kind_;
  const ConvShape s_;
  const bool flipped_;
  std::vector<ConvVariant> variants_;  // ever fewer blocks, the usual number first
};

// The forward convolution of images that are much work each, by bands of their rows.
template <class T>
class BandedConv final : public Conv<T> {
 public:
  BandedConv(const ConvShape& shape, const RowBands& bands, bool flipped)
      : s_(shape), bands_(bands), flipped_(flipped) {}

  // The first band, those in the middle and the last, with filters of the same order.
  Status Make() {
    DF_ASSIGN(first_, MakeFor(0, nullptr));
    const int64_t last = bands_.count() - 1;
    DF_ASSIGN(last_, MakeFor(last, &first_->filter_order()));
    if (last > 1) {
      DF_ASSIGN(inner_, MakeFor(1, &first_->filter_order()));
    }
    return Status();
  }

  Status Run(const T* x, const T* filter, T* y, ThreadPool& pool, Allocator& allocator) const override {
    return RunAndFinish(
        x, filter, y, /*pixels=*/0, [](int64_t, int64_t) {}, pool, allocator);
  }

  Status RunAndFinish(const T* x, const T* filter, T* y, int64_t /*pixels*/,
                      FunctionRef<void(int64_t first, int64_t count)> finish, ThreadPool& pool,
                      Allocator& allocator) const override {
    DF_ASSIGN(const Tensor ordered, first_->Ordered(filter, pool, allocator));
    const void* const taps = ordered.initialized() ? ordered.raw() : filter;
    const int64_t pixels = bands_.rows() * s_.width.output;
    std::vector<Status> statuses(static_cast<size_t>(s_.images * bands_.count()));
    pool.RunBlocks(s_.images * bands_.count(), [&](int64_t block) {
      const int64_t image = block / bands_.count();
      const int64_t band = block % bands_.count();
      statuses[static_cast<size_t>(block)] =
          PrimitiveOf(band).Run(x + image * s_.input_image() + bands_.InputOffset(band), taps,
                                y + image * s_.output_image() + bands_.OutputOffset(band), allocator);
      finish(block * pixels, pixels);
    });
    for (Status& status : statuses) DF_TRY(std::move(status));
    return Status();
  }

 private:
  using Primitive = std::unique_ptr<const OneDnnConvPrimitive>;

  Result<Primitive> MakeFor(int64_t band, const dnnl::memory::desc* filter_order) const {
    return CatchOneDnn("a convolution", [&]() -> Primitive {
      return std::make_unique<const OneDnnConvPrimitive>(ConvKind::kForward, bands_.ShapeOf(band), kType<T>,
                                                         filter_order, flipped_);
    });
  }
  const OneDnnConvPrimitive& PrimitiveOf(int64_t band) const {
    return band == 0 ? *first_ : band + 1 == bands_.count() ? *last_ : *inner_;
  }

  const ConvShape s_;
  const RowBands bands_;
  const bool flipped_;
  Primitive first_;
  Primitive inner_;  // null where there are two
  Primitive last_;
};

// 0.1 ms and more on one core.
constexpr double kBandWork = 2.5e7;

template <class Made, class T>
Result<std::shared_ptr<const Conv<T>>> MakeAll(std::shared_ptr<Made> conv) {
  DF_TRY(conv->Make());
  return std::shared_ptr<const Conv<T>>(std::move(conv));
}

}  // namespace

template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind kind, const ConvShape& shape, bool flipped) {
  if (!OneDnnConvPrimitive::Has(shape)) return Unimplemented("oneDNN has no convolution of such sizes");
  const RowBands bands(shape, kBandWork);
  if (kind == ConvKind::kForward && bands.count() > 1 && ImagesInBlock(shape) == 1) {
    return MakeAll<BandedConv<T>, T>(std::make_shared<BandedConv<T>>(shape, bands, flipped));
  }
  return MakeAll<OneDnnConv<T>, T>(std::make_shared<OneDnnConv<T>>(kind, shape, flipped));
}

#else
namespace dfrun {

template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind, const ConvShape&, bool) {
  return Unimplemented("this dfrun was built without oneDNN");
}

#endif  // DFRUN_ONEDNN

template Result<std::shared_ptr<const Conv<float>>> MakeOneDnnConv<float>(ConvKind, const ConvShape&, bool);
template Result<std::shared_ptr<const Conv<bfloat16>>> MakeOneDnnConv<bfloat16>(ConvKind, const ConvShape&, bool);

}  // namespace dfrun
