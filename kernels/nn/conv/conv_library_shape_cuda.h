// LibraryShapeOf(): the sizes of a convolution in cuDNN's form.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_LIBRARY_SHAPE_CUDA_H_
#define DFRUN_KERNELS_NN_CONV_CONV_LIBRARY_SHAPE_CUDA_H_

#include "kernels/device/cuda/library/conv_plan.h"
#include "kernels/nn/conv/conv_shape.h"

namespace dfrun::cuda {

LibraryConvShape LibraryShapeOf(const ConvShape& shape);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_NN_CONV_CONV_LIBRARY_SHAPE_CUDA_H_
