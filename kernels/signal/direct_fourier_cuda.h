// Fourier transforms on GPUs by kernels of this project, for hosts without cuFFT.
#ifndef DFRUN_KERNELS_SIGNAL_DIRECT_FOURIER_CUDA_H_
#define DFRUN_KERNELS_SIGNAL_DIRECT_FOURIER_CUDA_H_

#include "kernels/device/cuda/runtime/cuda_kernel.h"
#include "kernels/signal/fourier.h"

namespace dfrun::cuda {

// y of x, of real numbers T, by direct sums in double, a dimension after the other: n operations for each number of a
// line of n. For hosts without the library, and for data that it does not take.
template <class T>
Status DirectFourier(OpContext& ctx, const FourierTask& task, const void* x, void* y);

// Multiplies `count` numbers.
template <class T>
Status ScaleNumbers(OpContext& ctx, T* numbers, int64_t count, T factor);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_SIGNAL_DIRECT_FOURIER_CUDA_H_
