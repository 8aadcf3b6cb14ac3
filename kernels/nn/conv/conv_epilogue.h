// The epilogues of a convolution: operations on a part of its result while that is in the cache.
//
// Finish<T>: Begin() of a run gives an object whose At(first, count) is called for runs of the result's pixels, by any
// thread and for every pixel once, and End() when all are done. One that takes the result, which is no output then, has
// Take(first, count, values) called for its images instead.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_EPILOGUE_H_
#define DFRUN_KERNELS_NN_CONV_CONV_EPILOGUE_H_

#include <utility>
#include <vector>

#include "kernels/math/functions/activations.h"
#include "kernels/math/functions/functors.h"
#include "kernels/nn/conv/conv_fused_ops.h"
#include "kernels/nn/conv/conv_shape.h"
#include "kernels/nn/pool/pool_argmax.h"
#include "kernels/nn/pool/window_setup.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

enum class EpilogueKind { kNone, kChanges, kTakes };

template <class T>
struct NoEpilogue {
  struct Run {
    static void At(int64_t, int64_t) {}
    static void End(ThreadPool&) {}
  };
  static constexpr EpilogueKind kKind = EpilogueKind::kNone;
  explicit NoEpilogue(KernelSetup&) {}
  static Result<Run> Begin(OpContext&, const ConvShape&, T*) { return Run(); }
};

// Attr fused_ops of _FusedConv2D: BiasAdd with input 2, then Relu where it says so. The bits are those of the ops.
// Results have their channels last.
template <class T>
class BiasAndActivation {
 public:
  class Run {
   public:
    Run(const BiasAndActivation& finish, const OpContext& ctx, T* values)
        : finish_(finish), bias_(ctx.input(2).data<T>()), channels_(ctx.input(2).num_elements()), values_(values) {}
    void At(int64_t first, int64_t count) const {
      T* const end = values_ + (first + count) * channels_;
      for (T* pixel = values_ + first * channels_; pixel < end; pixel += channels_) {
        if (finish_.has_relu()) {
          Finish(pixel, bias_, channels_, [](T x) { return Activate(x); });
        } else {
          Finish(pixel, bias_, channels_, [](T x) { return x; });
        }
      }
    }
    static void End(ThreadPool&) {}

   private:
    const BiasAndActivation& finish_;
    const T* const bias_;
    const int64_t channels_;
    T* const values_;
  };
  static constexpr EpilogueKind kKind = EpilogueKind::kChanges;
  bool has_relu() const { return ops_.has_relu(); }

  explicit BiasAndActivation(KernelSetup& setup) : ops_(setup) {}

  Result<Run> Begin(OpContext& ctx, const ConvShape& shape, T* values) const {
    DF_TRY(CheckBias(ctx, shape));
    return Run(*this, ctx, values);
  }
  static Status CheckBias(const OpContext& ctx, const ConvShape& shape) { return FusedConvOps::CheckBias(ctx, shape); }

 private:
  using C = ComputeType<T>;
  static T Activate(T x) { return static_cast<T>(fn::Relu()(static_cast<C>(x))); }

  template <class Activation>
  static void Finish(T* pixel, const T* bias, int64_t channels, Activation activation) {
    DF_INDEPENDENT_ITERATIONS
    for (int64_t c = 0; c < channels; ++c) {
      pixel[c] = activation(static_cast<T>(fn::Add()(static_cast<C>(pixel[c]), static_cast<C>(bias[c]))));
    }
  }

  const FusedConvOps ops_;
};

// BiasAndActivation, and output 1 is the result's max pooling, with windows from the attrs that PoolWindowsOf() reads.
template <class T>
class BiasActivationAndMaxPool {
 public:
  class Run {
   public:
    Run(typename BiasAndActivation<T>::Run first, const PoolShape& pool, const T* values, T* pooled)
        : first_(first), pool_(pool), values_(values), pooled_(pooled), is_done_(static_cast<size_t>(pool.images)) {}
    // Images that come whole are pooled at once.
    void At(int64_t first, int64_t count) {
      first_.At(first, count);
      const int64_t pixels = pool_.in_pixels();
      if (first % pixels != 0 || count % pixels != 0) return;
      for (int64_t i = first / pixels; i < (first + count) / pixels; ++i) {
        Pool(i);
        is_done_[static_cast<size_t>(i)] = 1;
      }
    }
    void End(ThreadPool& pool) {
      pool.ParallelFor(pool_.images, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (is_done_[static_cast<size_t>(i)] == 0) Pool(i);
        }
      });
    }

   private:
    void Pool(int64_t i) {
      pooling::LargestOfImage(pool_, values_ + i * pool_.input_image(), pooled_ + i * pool_.output_image());
    }

    const typename BiasAndActivation<T>::Run first_;
    const PoolShape pool_;
    const T* const values_;
    T* const pooled_;
    std::vector<uint8_t> is_done_;  // image by image
  };
  static constexpr EpilogueKind kKind = EpilogueKind::kChanges;

  explicit BiasActivationAndMaxPool(KernelSetup& setup)
      : first_(setup), windows_(TakeWindows(setup, PoolWindowsOf(setup.attrs()))) {}

  Result<Run> Begin(OpContext& ctx, const ConvShape& shape, T* values) const {
    DF_ASSIGN(auto first, first_.Begin(ctx, shape, values));
    DF_TRY(windows_.RefuseChannelWindows());
    DF_ASSIGN(const PoolShape pool, PoolShape::Of(windows_, shape.output()));
    Tensor* pooled = nullptr;
    DF_TRY(ctx.AllocateOutput(1, pool.output, &pooled));
    return Run(std::move(first), pool, values, pooled->data<T>());
  }

 private:
  const BiasAndActivation<T> first_;
  const WindowAttrs windows_;
};

// The bias, the activation and the max pooling, with the argmax of each window as output 0 instead of the images, since
// the gradient reads only that. The windows tile the images.
template <class T>
class PoolingWithArgmax {
 public:
  class Run {
   public:
    Run(bool has_relu, PoolShape pool, const float* bias, pooling::Argmax* argmax, float* pooled)
        : has_relu_(has_relu), pool_(std::move(pool)), bias_(bias), argmax_(argmax), pooled_(pooled) {}
    void Take(int64_t first, int64_t count, const float* values) const {
      for (int64_t i = first; i < first + count; ++i, values += pool_.input_image()) {
        if (has_relu_) {
          Image(i, values, [](Vec<float> x) { return x < Vec<float>{} ? Vec<float>{} : x; });
        } else {
          Image(i, values, [](Vec<float> x) { return x; });
        }
      }
    }

   private:
    template <class Activation>
    void Image(int64_t i, const float* values, Activation activation) const {
      const int64_t to = i * pool_.output_image();
      pooling::LargestAndArgmax(pool_, values, bias_, pooled_ + to, argmax_ + to, activation);
    }

    const bool has_relu_;
    const PoolShape pool_;
    const float* const bias_;
    pooling::Argmax* const argmax_;
    float* const pooled_;
  };
  static constexpr EpilogueKind kKind = EpilogueKind::kTakes;

  explicit PoolingWithArgmax(KernelSetup& setup)
      : first_(setup), windows_(TakeWindows(setup, PoolWindowsOf(setup.attrs()))) {}

  Result<Run> Begin(OpContext& ctx, const ConvShape& shape) const {
    DF_TRY(first_.CheckBias(ctx, shape));
    DF_TRY(windows_.RefuseChannelWindows());
    DF_ASSIGN(PoolShape pool, PoolShape::Of(windows_, shape.output()));
    if (!pooling::HasWholeTiles(pool) || pool.height.size * pool.width.size > pooling::kMaxTilePixels) {
      return InvalidArgument("an argmax is of at most ", pooling::kMaxTilePixels,
                             " pixels in windows that tile an image, which those of ", pool.height.size, " x ",
                             pool.width.size, " do not with ", shape.output());
    }
    Tensor* argmax = nullptr;
    Tensor* pooled = nullptr;
    DF_TRY(ctx.AllocateOutput(0, pool.output, &argmax));
    DF_TRY(ctx.AllocateOutput(1, pool.output, &pooled));
    return Run(first_.has_relu(), std::move(pool), ctx.input(2).data<float>(), argmax->data<uint8_t>(),
               pooled->data<float>());
  }

 private:
  const BiasAndActivation<T> first_;
  const WindowAttrs windows_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_EPILOGUE_H_
