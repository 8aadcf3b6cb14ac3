// PoolTile: the windows, side by side, of an op whose first input is the argmax of max pooling. An attr gives their
// size.
#ifndef DFRUN_KERNELS_NN_POOL_POOL_TILE_H_
#define DFRUN_KERNELS_NN_POOL_POOL_TILE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/nn/pool/pool_argmax.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

class PoolTile {
 public:
  // `attr`: four sizes, of which the first and the last are 1.
  PoolTile(KernelSetup& setup, const char* attr) : ksize_(setup.attr<std::vector<int64_t>>(attr)) {
    const bool fits = ksize_.size() == 4 && ksize_[0] == 1 && ksize_[3] == 1 && ksize_[1] >= 1 && ksize_[2] >= 1 &&
                      ksize_[1] <= pooling::kMaxTilePixels && ksize_[2] <= pooling::kMaxTilePixels / ksize_[1];
    if (fits) return;
    setup.Fail(InvalidArgument("attr '", attr, "' must be four sizes from 1 on, the first and the last 1, of at most ",
                               pooling::kMaxTilePixels, " pixels"));
  }

  // The pooling that gave `argmax`; InvalidArgument where its gradient has another shape.
  Result<PoolShape> PoolOf(const Tensor& argmax, const Tensor& grad) const {
    const Shape& shape = argmax.shape();
    if (shape.rank() != 4 || !(grad.shape() == shape)) {
      return InvalidArgument("the argmax and the gradient of pooling have one shape of rank 4, but are ", shape,
                             " and ", grad.shape());
    }
    if (shape[1] > INT32_MAX || shape[2] > INT32_MAX) return InvalidArgument("an argmax of shape ", shape);
    PoolShape pool = pooling::TilesOf(shape, ksize_[1], ksize_[2]);
    DF_TRY(Shape::Create(std::array{pool.images, pool.height.input, pool.width.input, pool.channels}).status());
    return pool;
  }

 private:
  const std::vector<int64_t> ksize_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_POOL_TILE_H_
