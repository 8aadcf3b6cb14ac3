// A convolution over blocks of images; the gradient of a filter adds up a partial sum a block, in their order.
#ifndef DFRUN_KERNELS_NN_CONV_IMAGE_BLOCKS_H_
#define DFRUN_KERNELS_NN_CONV_IMAGE_BLOCKS_H_

#include <algorithm>
#include <vector>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/functors.h"
#include "kernels/nn/conv/conv.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// sums[i] = the sum over blocks of partials[block * size + i], in their order.
template <class T>
void AddPartials(const T* partials, int64_t blocks, int64_t size, T* sums, ThreadPool& pool) {
  constexpr int64_t kStrip = 1024;  // stays in the cache
  pool.ParallelFor(size, 16 * kStrip, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kStrip) {
      ComputeType<T> strip[kStrip] = {};
      const int64_t width = std::min(kStrip, end - i);
      for (int64_t b = 0; b < blocks; ++b) {
        const T* partial = partials + b * size + i;
        for (int64_t j = 0; j < width; ++j) strip[j] = fn::Add()(strip[j], static_cast<ComputeType<T>>(partial[j]));
      }
      for (int64_t j = 0; j < width; ++j) sums[i + j] = static_cast<T>(strip[j]);
    }
  });
}

// block(first_image, count, filter) writes the gradient of these images, `size` elements. Returns its first error in
// the blocks' order.
template <class T>
Status SumOverImageBlocks(const ConvShape& shape, int64_t size, T* filter, ThreadPool& pool, Allocator& allocator,
                          FunctionRef<Status(int64_t first, int64_t count, T* partial)> block) {
  const ImageBlocks blocks(shape.images, ImagesInFilterBlock(shape));
  if (blocks.count() == 1) return block(0, shape.images, filter);
  DF_ASSIGN(Tensor partials, Tensor::Allocate(allocator, DTypeOf<T>, Shape({blocks.count(), size})));
  std::vector<Status> statuses(static_cast<size_t>(blocks.count()));
  pool.RunBlocks(blocks.count(), [&](int64_t b) {
    const int64_t first = blocks.Begin(b);
    statuses[static_cast<size_t>(b)] = block(first, blocks.Begin(b + 1) - first, partials.data<T>() + b * size);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  AddPartials(partials.data<T>(), blocks.count(), size, filter, pool);
  return Status();
}

// block(first_image, count) for each; its first error in the blocks' order.
inline Status ForImageBlocks(const ImageBlocks& blocks, ThreadPool& pool,
                             FunctionRef<Status(int64_t first, int64_t count)> block) {
  if (blocks.count() == 1) return block(0, blocks.largest());
  std::vector<Status> statuses(static_cast<size_t>(blocks.count()));
  pool.RunBlocks(blocks.count(), [&](int64_t b) {
    const int64_t first = blocks.Begin(b);
    statuses[static_cast<size_t>(b)] = block(first, blocks.Begin(b + 1) - first);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  return Status();
}

// Splits the images into blocks of the size that ImagesInBlock() gives.
inline Status ForImageBlocks(const ConvShape& shape, ThreadPool& pool,
                             FunctionRef<Status(int64_t first, int64_t count)> block) {
  return ForImageBlocks(ImageBlocks(shape.images, ImagesInBlock(shape)), pool, block);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_IMAGE_BLOCKS_H_
