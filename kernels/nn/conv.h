// The three products of a convolution for one shape: by oneDNN where it has them, else as matrix products over unfolded
// windows. Work is split over the pool by images, at bounds that depend on the shape alone.
#ifndef DFRUN_KERNELS_NN_CONV_H_
#define DFRUN_KERNELS_NN_CONV_H_

#include <memory>

#include "kernels/nn/conv_shape.h"
#include "src/base/threads.h"
#include "src/framework/allocator.h"

namespace dfrun {

enum class ConvKind { kForward, kBackpropInput, kBackpropFilter };

// Images and filters have at least one element. Thread safety: Run from any thread, several at once.
// T: float, bfloat16, float16, double, int32_t.
template <class T>
class Conv {
 public:
  virtual ~Conv() = default;
  // May take milliseconds (oneDNN generates code).
  static Result<std::shared_ptr<const Conv>> Create(ConvKind kind, const ConvShape& shape);
  // By kind: (input, filter, output); (out_backprop, filter, in_backprop); (input, out_backprop, filter_backprop). The
  // last is written and overlaps no other. Scratch memory comes from `allocator`.
  virtual Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const = 0;
  // Of kForward or kBackpropInput with `images` images: the same, and finish(first, count) for blocks of the result's
  // images, while they are in the cache where possible. Called by any thread, for every image once.
  virtual Status RunAndFinish(const T* a, const T* b, T* result, int64_t images,
                              FunctionRef<void(int64_t first, int64_t count)> finish, ThreadPool& pool,
                              Allocator& allocator) const {
    DF_TRY(Run(a, b, result, pool, allocator));
    pool.ParallelFor(images, 1, [&](int64_t begin, int64_t end) { finish(begin, end - begin); });
    return Status();
  }
};

// How many images one thread takes at once. `work`: multiplications worth a block.
inline int64_t ImagesInBlock(const ConvShape& shape, double work) {
  const double images = work / shape.image_work() + 1;
  return images < static_cast<double>(shape.images) ? static_cast<int64_t>(images) : shape.images;
}
// 20 us and more on one core.
constexpr double kConvBlockWork = 2e6;
// A block of the filter's gradient costs a filter of its own, written, and their sum: fewer and larger ones, 16 at
// most, in which that is a twentieth of the time.
inline int64_t ImagesInFilterBlock(const ConvShape& shape) {
  constexpr double kWorkPerElement = 1000;  // multiplications
  const double filter_work = kWorkPerElement * static_cast<double>(shape.filter_size());
  const int64_t sixteenth = (shape.images + 15) / 16;
  const int64_t enough = ImagesInBlock(shape, filter_work > 2 * kConvBlockWork ? filter_work : 2 * kConvBlockWork);
  return sixteenth > enough ? sixteenth : enough;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_H_
