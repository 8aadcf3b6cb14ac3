// The engine of scatters: slices of a variable, named by indices, take updates one after the other.
//
//     CPU_KERNEL("ScatterAdd", ScatterRows<fn::Add>, float, double);        // indices name rows
//     CPU_KERNEL("ScatterNdAdd", ScatterSlices<fn::Add>, float, double);    // indices are coordinates
// The functor combines an element and its update. The variable is locked; the order of the updates of an element is
// that of the indices, on any number of threads.
#ifndef DFRUN_KERNELS_STATE_SCATTER_H_
#define DFRUN_KERNELS_STATE_SCATTER_H_

#include "kernels/array/index/coordinates.h"
#include "kernels/math/functions/element.h"
#include "kernels/state/variable_access.h"

namespace dfrun {

// The update itself, as a functor.
struct TakeUpdate {
  template <class T>
  DF_HOST_DEVICE T operator()(const T&, const T& update) const {
    return update;
  }
};

// The meaning of indices. kRows: numbers of rows, so that a row's update has the shape of a row, or one scalar is the
// update of all. kCoordinates: coordinates, in the last dimension of two or more.
enum class ScatterIndices { kRows, kCoordinates };

// The base of the kernels that update slices of a variable, on any device.
class ScatterKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;  // the ref

  ScatterKernel(KernelSetup& setup, ScatterIndices indices)
      : indices_(indices),
        bad_indices_(indices == ScatterIndices::kRows ? BadIndices::kError : ReadBadIndices(setup)) {}
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return true; }

 protected:
  // An update whose shapes fit. The updates are one scalar for all elements, or a slice for each that is named.
  struct Request {
    const Tensor& indices;
    const Tensor& updates;
    CoordinatePlan plan;
    bool one_for_all;
  };
  // InvalidArgument where indices or updates have values that may not be.
  virtual Status Scatter(OpContext& ctx, const Request& request, Variable& variable) const = 0;

  ScatterIndices indices() const { return indices_; }
  BadIndices bad_indices() const { return bad_indices_; }

 private:
  Result<CoordinatePlan> Plan(const Shape& indices, const Shape& updates, const Variable& variable) const;

  const ScatterIndices indices_;
  const BadIndices bad_indices_;
};

// A functor over elements of one type.
struct ScatterLoop {
  size_t element_size;
  // A part of a slice takes its update: n elements, or one for all.
  void (*run)(void* slice, const void* update, int64_t n, bool one_for_all);
  // Why one of n updates may not be; null: all may.
  const char* (*refusal)(const void* updates, int64_t n);
};

class ScatterByLoop : public ScatterKernel {
 public:
  ScatterByLoop(KernelSetup& setup, ScatterIndices indices, const ScatterLoop& loop)
      : ScatterKernel(setup, indices), loop_(loop) {}

 protected:
  Status Scatter(OpContext& ctx, const Request& request, Variable& variable) const override;

 private:
  Result<std::vector<int64_t>> Slices(const Request& request, const Shape& variable) const;

  const ScatterLoop& loop_;
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
  static const char* DeviceErrorFlag(const void* updates, int64_t n) {
    if constexpr (requires(T y) { F::Refuses(y); }) {
      const T* update = static_cast<const T*>(updates);
      for (int64_t i = 0; i < n; ++i) {
        if (F::Refuses(update[i])) return F::kRefusal;
      }
    }
    return nullptr;
  }
  static constexpr ScatterLoop kLoop = {sizeof(T), &Run, &DeviceErrorFlag};
};

template <class F, ScatterIndices kIndices>
struct ScatterInto {
  template <class T>
  struct Kernel : ScatterByLoop {
    explicit Kernel(KernelSetup& setup) : ScatterByLoop(setup, kIndices, ScatterOf<F, T>::kLoop) {}
  };
};
template <class F>
using ScatterRows = ScatterInto<F, ScatterIndices::kRows>;
template <class F>
using ScatterSlices = ScatterInto<F, ScatterIndices::kCoordinates>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_SCATTER_H_
