// A convolution over blocks of images; the gradient of a filter adds up a partial sum a block, in their order.
#ifndef DFRUN_KERNELS_NN_IMAGE_BLOCKS_H_
#define DFRUN_KERNELS_NN_IMAGE_BLOCKS_H_

#include <algorithm>
#include <vector>

#include "kernels/math/element.h"
#include "kernels/nn/conv.h"
#include "src/framework/tensor.h"

namespace dfrun {

// block(first_image, count, filter) writes the gradient of these images. Returns its first error in the blocks' order.
template <class T>
Status SumOverImageBlocks(const ConvShape& shape, T* filter, ThreadPool& pool, Allocator& allocator,
                          FunctionRef<Status(int64_t first, int64_t count, T* partial)> block) {
  const int64_t images = ImagesInFilterBlock(shape);
  const int64_t blocks = (shape.images + images - 1) / images;
  if (blocks == 1) return block(0, shape.images, filter);
  const int64_t size = shape.filter_size();
  DF_ASSIGN(Tensor partials, Tensor::Allocate(allocator, DTypeOf<T>, Shape({blocks, size})));
  std::vector<Status> statuses(static_cast<size_t>(blocks));
  pool.RunBlocks(blocks, [&](int64_t b) {
    const int64_t first = b * images;
    statuses[static_cast<size_t>(b)] =
        block(first, std::min(images, shape.images - first), partials.data<T>() + b * size);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  for (int64_t i = 0; i < size; ++i) {
    ComputeType<T> sum = 0;
    for (int64_t b = 0; b < blocks; ++b) sum += static_cast<ComputeType<T>>(partials.data<T>()[b * size + i]);
    filter[i] = static_cast<T>(sum);
  }
  return Status();
}

// block(first_image, count) for blocks of the images; its first error in the blocks' order.
inline Status ForImageBlocks(const ConvShape& shape, ThreadPool& pool,
                             FunctionRef<Status(int64_t first, int64_t count)> block) {
  const int64_t images = ImagesInBlock(shape, kConvBlockWork);
  const int64_t blocks = (shape.images + images - 1) / images;
  if (blocks == 1) return block(0, shape.images);
  std::vector<Status> statuses(static_cast<size_t>(blocks));
  pool.RunBlocks(blocks, [&](int64_t b) {
    const int64_t first = b * images;
    statuses[static_cast<size_t>(b)] = block(first, std::min(images, shape.images - first));
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_IMAGE_BLOCKS_H_
