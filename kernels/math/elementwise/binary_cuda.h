// The GPUs' engine of element-wise ops with two inputs that broadcast: CUDA_KERNEL("Mul", cuda::Binary<fn::Mul>,
// float).
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_BINARY_CUDA_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_BINARY_CUDA_H_

#include <memory>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/broadcast_cuda.h"
#include "kernels/math/functions/element_cuda.h"
#include "kernels/math/functions/step_rounded.h"
#include "kernels/math/functions/vector_cuda.h"

namespace dfrun::cuda {

struct BinaryLaunch {
  // z may be x or y. Where a value is refused, a 1 is written to `error_flag`.
  Status (*run)(OpContext& ctx, const BroadcastPlan& plan, const void* x, const void* y, void* z, int32_t* error_flag);
  const char* refusal;  // the text for an operand that the op refuses; null if all are fine
};

class BinaryKernel : public Kernel {
 public:
  // `broadcasts`: false if operands that differ in shape are refused.
  BinaryKernel(KernelSetup& setup, const BinaryLaunch& launch, bool broadcasts = true);
  Status Compute(OpContext& ctx);

 private:
  const BinaryLaunch& launch_;
  const bool broadcasts_;
  const std::unique_ptr<const DeviceErrorFlag> error_flag_;
};

template <class F, class T>
struct BinaryOf {
  using C = typename BinaryComputeTypeOf<F, T>::type;
  using Made = std::invoke_result_t<F, C, C>;
  using Result = std::conditional_t<std::is_same_v<Made, C>, T, Made>;
  static constexpr bool kRefuses = requires(T y) { F::Refuses(y); };

  DF_HOST_DEVICE static Result Apply(const T& x, const T& y, int32_t* error_flag) {
    if constexpr (kRefuses) {
      if (F::Refuses(y)) {
        *error_flag = 1;
        return Result();
      }
    }
    return static_cast<Result>(F()(static_cast<C>(x), static_cast<C>(y)));
  }
};

// Operands that walk along with the result (step 1) or repeat their one element (step 0).
template <class F, class T>
DF_DEVICE_KERNEL void BinaryElements(const T* x, const T* y, typename BinaryOf<F, T>::Result* z, int64_t n, int x_step,
                                     int y_step, bool is_aligned, int32_t* error_flag) {
  using Of = BinaryOf<F, T>;
  using Result = typename Of::Result;
  constexpr int kWidth = WidthOf(sizeof(T) > sizeof(Result) ? sizeof(T) : sizeof(Result));
  const int64_t first = GlobalThreadId() * kWidth;
  if (is_aligned && first + kWidth <= n) {
    ElementVector<T, kWidth> a;
    ElementVector<T, kWidth> b;
    if (x_step == 1) a = LoadVector<kWidth>(x + first);
    if (y_step == 1) b = LoadVector<kWidth>(y + first);
    ElementVector<Result, kWidth> to;
    for (int k = 0; k < kWidth; ++k) {
      to.at[k] = Of::Apply(x_step == 1 ? a.at[k] : *x, y_step == 1 ? b.at[k] : *y, error_flag);
    }
    StoreVector<kWidth>(z + first, to);
    return;
  }
  for (int64_t i = first; i < n && i < first + kWidth; ++i) z[i] = Of::Apply(x[i * x_step], y[i * y_step], error_flag);
}

// Computes z = f(x, y) with broadcasting. `by_vector`: the elements of a thread lie in one line of the innermost
// dimension, which an operand walks along at a multiple of them, or repeats.
template <class F, class T>
DF_DEVICE_KERNEL void BroadcastElements(const T* x, const T* y, typename BinaryOf<F, T>::Result* z, GpuBroadcast plan,
                                        bool by_vector, int32_t* error_flag) {
  using Of = BinaryOf<F, T>;
  using Result = typename Of::Result;
  constexpr int kWidth = WidthOf(sizeof(T) > sizeof(Result) ? sizeof(T) : sizeof(Result));
  const int64_t first = GlobalThreadId() * kWidth;
  uint32_t offsets[2];
  if (!by_vector) {
    for (int64_t i = first; i < plan.count && i < first + kWidth; ++i) {
      plan.Offsets<2>(static_cast<uint32_t>(i), offsets);
      z[i] = Of::Apply(x[offsets[0]], y[offsets[1]], error_flag);
    }
    return;
  }
  if (first >= plan.count) return;
  plan.Offsets<2>(static_cast<uint32_t>(first), offsets);
  const bool x_walks = plan.strides[0][plan.rank - 1] != 0;
  const bool y_walks = plan.strides[1][plan.rank - 1] != 0;
  ElementVector<T, kWidth> a;
  ElementVector<T, kWidth> b;
  if (x_walks) a = LoadVector<kWidth>(x + offsets[0]);
  if (y_walks) b = LoadVector<kWidth>(y + offsets[1]);
  ElementVector<Result, kWidth> to;
  for (int k = 0; k < kWidth; ++k) {
    to.at[k] = Of::Apply(x_walks ? a.at[k] : x[offsets[0]], y_walks ? b.at[k] : y[offsets[1]], error_flag);
  }
  StoreVector<kWidth>(z + first, to);
}

template <class F, class T>
Status LaunchBinary(OpContext& ctx, const BroadcastPlan& plan, const void* x_data, const void* y_data, void* z_data,
                    int32_t* error_flag) {
  using Result = typename BinaryOf<F, T>::Result;
  const T* const x = static_cast<const T*>(x_data);
  const T* const y = static_cast<const T*>(y_data);
  Result* const z = static_cast<Result*>(z_data);
  if (plan.rank == 1) {
    constexpr int kWidth = WidthOf(sizeof(T) > sizeof(Result) ? sizeof(T) : sizeof(Result));
    const auto x_step = static_cast<int>(plan.strides[0][0]);
    const auto y_step = static_cast<int>(plan.strides[1][0]);
    const bool is_aligned =
        (x_step == 0 || IsVectorAligned(x)) && (y_step == 0 || IsVectorAligned(y)) && IsVectorAligned(z);
    return Launch(ctx, (plan.count + kWidth - 1) / kWidth, &BinaryElements<F, T>, x, y, z, plan.count, x_step, y_step,
                  is_aligned, error_flag);
  }
  return ForPieces(plan, [&](const GpuBroadcast& piece, const PieceOffsets& at) {
    constexpr int kWidth = WidthOf(sizeof(T) > sizeof(Result) ? sizeof(T) : sizeof(Result));
    const T* const piece_x = x + at.operands[0];
    const T* const piece_y = y + at.operands[1];
    Result* const piece_z = z + at.output;
    const bool is_aligned = IsVectorAligned(piece_x) && IsVectorAligned(piece_y) && IsVectorAligned(piece_z);
    return Launch(ctx, (piece.count + kWidth - 1) / kWidth, &BroadcastElements<F, T>, piece_x, piece_y, piece_z, piece,
                  is_aligned && piece.HasVectors(kWidth), error_flag);
  });
}

template <class F, class T>
constexpr BinaryLaunch MakeBinaryLaunch() {
  BinaryLaunch launch = {&LaunchBinary<F, T>, nullptr};
  if constexpr (BinaryOf<F, T>::kRefuses) launch.refusal = F::kRefusal;
  return launch;
}
template <class F, class T>
inline constexpr BinaryLaunch kBinaryLaunch = MakeBinaryLaunch<F, T>();

template <class F>
struct Binary {
  template <class T>
  struct Kernel : BinaryKernel {
    explicit Kernel(KernelSetup& setup) : BinaryKernel(setup, kBinaryLaunch<F, GpuType<T>>) {}
  };
};

// The binary kernel for operands of one shape.
template <class F>
struct SameShape {
  template <class T>
  struct Kernel : BinaryKernel {
    explicit Kernel(KernelSetup& setup) : BinaryKernel(setup, kBinaryLaunch<F, GpuType<T>>, /*broadcasts=*/false) {}
  };
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_BINARY_CUDA_H_
