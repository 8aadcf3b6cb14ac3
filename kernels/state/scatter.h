// The engine of scatters: slices of a variable, named by indices, take updates one after the other.
//
//     CPU_KERNEL("ScatterAdd", ScatterRows<fn::Add>, float, double);        // indices name rows
//     CPU_KERNEL("ScatterNdAdd", ScatterSlices<fn::Add>, float, double);    // indices are coordinates
// The functor combines an element and its update. The variable is locked; the order of the updates of an element is
// that of the indices, on any number of threads.
#ifndef DFRUN_KERNELS_STATE_SCATTER_H_
#define DFRUN_KERNELS_STATE_SCATTER_H_

#include "kernels/array/coordinates.h"
#include "kernels/math/element.h"
#include "kernels/state/variable_access.h"

namespace dfrun {

// A functor over elements of one type.
struct ScatterLoop {
  size_t element_size;
  // A part of a slice takes its update: n elements, or one for all.
  void (*run)(void* slice, const void* update, int64_t n, bool one_for_all);
  // Why one of n updates may not be; null: all may.
  const char* (*refusal)(const void* updates, int64_t n);
};

class ScatterKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;  // the ref

  explicit ScatterKernel(const ScatterLoop& loop) : loop_(loop) {}
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return true; }

 protected:
  // The slices of the variable that the indices name.
  virtual Result<CoordinateSlices> Read(const Tensor& indices, const Tensor& updates,
                                        const Variable& variable) const = 0;
  // True where a scalar is the update of every element.
  virtual bool AllowsScalarUpdates() const = 0;

 private:
  Status CheckUpdates(const Variable& variable, const CoordinateSlices& named, const Tensor& indices,
                      const Tensor& updates) const;
  void Scatter(const CoordinateSlices& named, const Tensor& updates, Tensor& variable, ThreadPool& pool) const;

  const ScatterLoop& loop_;
};

// Indices are numbers of rows; a row's update has the shape of a row, or one scalar is the update of all.
class RowScatterKernel : public ScatterKernel {
 public:
  using ScatterKernel::ScatterKernel;

 protected:
  Result<CoordinateSlices> Read(const Tensor& indices, const Tensor& updates, const Variable& variable) const override;
  bool AllowsScalarUpdates() const override { return true; }
};

// The last dimension of the indices, of two or more, are coordinates.
class SliceScatterKernel : public ScatterKernel {
 public:
  SliceScatterKernel(KernelSetup& setup, const ScatterLoop& loop)
      : ScatterKernel(loop), bad_indices_(ReadBadIndices(setup)) {}

 protected:
  Result<CoordinateSlices> Read(const Tensor& indices, const Tensor& updates, const Variable& variable) const override;
  bool AllowsScalarUpdates() const override { return false; }

 private:
  const BadIndices bad_indices_;
};

template <class F, class T>
struct ScatterOf {
  static void Run(void* slice_data, const void* update_data, int64_t n, bool one_for_all) {
    T* slice = static_cast<T*>(slice_data);
    const T* update = static_cast<const T*>(update_data);
    const int64_t step = one_for_all ? 0 : 1;
    using C = ComputeType<T>;
    DF_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      slice[i] = static_cast<T>(F()(static_cast<C>(slice[i]), static_cast<C>(update[i * step])));
    }
  }
  static const char* Refusal(const void* updates, int64_t n) {
    if constexpr (requires(T y) { F::Refuses(y); }) {
      const T* update = static_cast<const T*>(updates);
      for (int64_t i = 0; i < n; ++i) {
        if (F::Refuses(update[i])) return F::kRefusal;
      }
    }
    return nullptr;
  }
  static constexpr ScatterLoop kLoop = {sizeof(T), &Run, &Refusal};
};

template <class F>
struct ScatterRows {
  template <class T>
  struct Kernel : RowScatterKernel {
    explicit Kernel(KernelSetup&) : RowScatterKernel(ScatterOf<F, T>::kLoop) {}
  };
};

template <class F>
struct ScatterSlices {
  template <class T>
  struct Kernel : SliceScatterKernel {
    explicit Kernel(KernelSetup& setup) : SliceScatterKernel(setup, ScatterOf<F, T>::kLoop) {}
  };
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_SCATTER_H_
