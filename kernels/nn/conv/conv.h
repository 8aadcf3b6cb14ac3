// Conv: one of the three products of a convolution for one shape. Create() takes the first implementation that serves
// the dtype, the kind and the shape (conv_create.cc): for float those for few channels, matrix products one a tap
// (kn2row) and the flipped filter, then oneDNN, then one filter a channel and matrix products over unfolded windows
// (im2col). 16-bit dtypes are widened but where oneDNN multiplies bfloat16 on this CPU; filter gradients always are.
// Work is split over the pool by images, rows or channels.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_H_
#define DFRUN_KERNELS_NN_CONV_CONV_H_

#include <algorithm>
#include <memory>

#include "kernels/nn/conv/conv_kind.h"
#include "kernels/nn/conv/conv_shape.h"
#include "src/base/threads.h"
#include "src/framework/values/allocator.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Images and filters have at least one element. T: float, bfloat16, float16, double, int32_t.
// Thread safety: Create and all const methods from any thread, several at once.
template <class T>
class Conv {
 public:
  virtual ~Conv() = default;
  // Where oneDNN makes no such convolution, dfrun's own is taken, so that no T gives an error. May take milliseconds
  // (oneDNN generates code). Where oneDNN is tried, the calling thread's OpenMP threads become one
  // (UseOneOpenMpThread).
  static Result<std::shared_ptr<const Conv>> Create(ConvKind kind, const ConvShape& shape);
  // Computes the last of the operands, by kind: (input, filter, output); (out_backprop, filter, in_backprop); (input,
  // out_backprop, filter_backprop). It overlaps no other. Scratch memory comes from `allocator`.
  virtual Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const = 0;
  // Runs kForward or kBackpropInput, and calls finish(first, count) for runs of the result's `pixels` pixels, while
  // they are in the cache where possible. Threads of the pool call it; each pixel is in one call.
  virtual Status RunAndFinish(const T* a, const T* b, T* result, int64_t pixels,
                              FunctionRef<void(int64_t first, int64_t count)> finish, ThreadPool& pool,
                              Allocator& allocator) const {
    constexpr int64_t kBlock = 1024;
    DF_TRY(Run(a, b, result, pool, allocator));
    pool.ParallelFor(pixels, kBlock, [&](int64_t begin, int64_t end) { finish(begin, end - begin); });
    return Status();
  }
  // Runs kForward for `images` images of `image_elements` elements each and passes them to take(first, count, values),
  // some at a time, while they are in the cache where possible. They are not stored. Threads of the pool call it; each
  // image is in one call.
  virtual Status RunAndTake(const T* a, const T* b, int64_t images, int64_t image_elements,
                            FunctionRef<void(int64_t first, int64_t count, const T* values)> take, ThreadPool& pool,
                            Allocator& allocator) const {
    DF_ASSIGN(Tensor made, Tensor::Allocate(allocator, DTypeOf<T>, Shape({images, image_elements})));
    DF_TRY(Run(a, b, made.data<T>(), pool, allocator));
    pool.ParallelFor(images, 1, [&](int64_t begin, int64_t end) {
      take(begin, end - begin, made.data<T>() + begin * image_elements);
    });
    return Status();
  }
  // Runs kBackpropFilter with an out_backprop of `images` images of `image_elements` elements each, of which
  // make(first, count, to) writes some; they are read while they are in the cache where possible. Threads of the pool
  // call it; each image is in one call.
  virtual Status RunOnMade(const T* a, FunctionRef<void(int64_t first, int64_t count, T* to)> make, int64_t images,
                           int64_t image_elements, T* result, ThreadPool& pool, Allocator& allocator) const {
    DF_ASSIGN(Tensor made, Tensor::Allocate(allocator, DTypeOf<T>, Shape({images, image_elements})));
    pool.ParallelFor(images, 1, [&](int64_t begin, int64_t end) {
      make(begin, end - begin, made.data<T>() + begin * image_elements);
    });
    return Run(a, made.data<T>(), result, pool, allocator);
  }
};

// The number of images that one thread takes at once, about the same for all blocks. `work`: multiplications worth a
// block.
inline int64_t ImagesInBlock(const ConvShape& shape, double work) {
  const double images = work / shape.image_work() + 1;
  if (images >= static_cast<double>(shape.images)) return shape.images;
  const auto most = static_cast<int64_t>(images);
  const int64_t blocks = (shape.images + most - 1) / most;
  return (shape.images + blocks - 1) / blocks;
}
// Splits a batch into blocks whose sizes differ by one at most, the larger ones first. More than one block are an even
// number, if there are images enough, so that two threads end together.
class ImageBlocks {
 public:
  // `most`: images a block.
  ImageBlocks(int64_t images, int64_t most) : images_(images), count_((images + most - 1) / most) {
    if (count_ > 1 && count_ < images) count_ += count_ % 2;
  }
  int64_t count() const { return count_; }
  int64_t Begin(int64_t block) const { return block * (images_ / count_) + std::min(block, images_ % count_); }
  int64_t largest() const { return Begin(1); }
  bool are_equal() const { return images_ % count_ == 0; }

 private:
  int64_t images_;
  int64_t count_;
};
// 20 us and more on one core.
constexpr double kConvBlockWork = 2e6;
// Images that a block needs so that reading the whole filter is little of its work.
inline int64_t ImagesForFilter(const ConvShape& shape) {
  constexpr double kWorkPerElement = 150;  // multiplications
  return ImagesInBlock(shape, kWorkPerElement * static_cast<double>(shape.filter_size()));
}
// The number of images in a block whose result is images. A large filter takes more, but at most a quarter of the
// batch.
inline int64_t ImagesInBlock(const ConvShape& shape) {
  return std::max(ImagesInBlock(shape, kConvBlockWork), std::min(ImagesForFilter(shape), (shape.images + 3) / 4));
}
// Elements that may be counted on to stay in the second-level cache beside others.
inline constexpr int64_t kCachedElements = int64_t{1} << 17;
// The number of images in a block for `threads` threads. Up to two threads take fewer and larger blocks where the
// filter is beyond the second-level cache, since each block reads it from memory.
inline int64_t ImagesInBlockForThreads(const ConvShape& shape, int threads) {
  const int64_t usual = ImagesInBlock(shape);
  if (threads > 2 || shape.filter_size() < kCachedElements) return usual;
  return std::max(usual, std::min(8 * ImagesForFilter(shape), (shape.images + threads - 1) / threads));
}
// The number of images in a block of the filter's gradient. Each block has a filter gradient of its own, and all are
// summed at the end. At most 16 blocks keep that below a twentieth of the time, or half of that if four blocks remain.
// Blocks are no larger than lets the output's images, which may be made for the block, stay in a core's cache, if that
// keeps the cost below a twentieth too.
inline int64_t ImagesInFilterBlock(const ConvShape& shape) {
  constexpr double kWorkPerElement = 1000;  // multiplications
  const double for_filter = kWorkPerElement * static_cast<double>(shape.filter_size());
  const double work = std::max(2 * kConvBlockWork, for_filter);
  const int64_t sixteenth = (shape.images + 15) / 16;
  const int64_t quarter = (shape.images + 3) / 4;
  const int64_t cached = kCachedElements / std::max<int64_t>(1, shape.output_image());
  const int64_t usual =
      std::max({sixteenth, ImagesInBlock(shape, work), std::min(quarter, ImagesInBlock(shape, 2 * work))});
  return std::max(ImagesInBlock(shape, std::max(kConvBlockWork, for_filter)), std::min(usual, cached));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_H_
