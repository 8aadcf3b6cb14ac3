// Discrete Fourier transforms of the innermost dimensions of tensors, on any device.
#ifndef DFRUN_KERNELS_SIGNAL_FOURIER_H_
#define DFRUN_KERNELS_SIGNAL_FOURIER_H_

#include <array>
#include <string_view>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

enum class FourierKind { kComplex, kFromReal, kToReal };

// The transform that an op computes.
struct FourierOp {
  FourierKind kind = FourierKind::kComplex;
  bool inverse = false;  // the exponents are positive, and the result is divided by the number of points
  int rank = 1;

  // The transform that an op's name stands for: FFT, IFFT, RFFT or IRFFT, and 2D or 3D where it is of so many
  // dimensions.
  static FourierOp Of(std::string_view op);
};

// A batch of transforms, not divided by their number of points, of tensors that lie in row-major order without gaps. Of
// the spectra of real numbers there is the half that is not the conjugate of the other.
struct FourierTask {
  FourierOp op;
  std::array<int64_t, 3> sizes{};  // in points, of the first `rank` dimensions
  int64_t batch = 1;

  int64_t last() const { return sizes[static_cast<size_t>(op.rank - 1)]; }
  int64_t points() const;
  // The number of frequencies of the innermost dimension, and of all frequencies of one transform.
  int64_t frequencies() const { return op.kind == FourierKind::kComplex ? last() : last() / 2 + 1; }
  int64_t spectrum() const { return last() == 0 ? 0 : points() / last() * frequencies(); }
  bool operator==(const FourierTask& other) const;
};

// InvalidArgument where real numbers and spectra of these types do not belong together.
Status CheckFourierTypes(DType real, DType complex);

// The base of the devices' kernels.
class FourierBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"fft_length"};
  bool IsExpensive() const override { return true; }

 protected:
  explicit FourierBase(KernelSetup& setup);
  // The transform of input 0, and the shape of its result. InvalidArgument where the input is too small.
  Result<FourierTask> Plan(const OpContext& ctx, Shape& result) const;
  // The copy of the part of a larger input that a transform takes.
  static std::vector<CopyDim> TakenPart(const FourierTask& task, const Shape& input);

 private:
  const FourierOp op_;
};

// The kernels of a device that moves elements by Movement and transforms by Engine<T>, which has, of complex numbers T,
//     Engine(KernelSetup&)
//     static bool WantsCopy(const FourierTask&, const Tensor& x)   // x cannot be used as it lies, or must be kept
//     Status Run(OpContext&, const FourierTask&, Tensor& x, Tensor& y)   // divided where the transform is inverse
template <class Movement, template <class> class Engine>
struct FourierOn {
  template <class T>
  class Kernel : public FourierBase {
   public:
    explicit Kernel(KernelSetup& setup) : FourierBase(setup), engine_(setup) {}
    Status Compute(OpContext& ctx) {
      Tensor x = ctx.input(0);
      Shape shape;
      DF_ASSIGN(const FourierTask task, Plan(ctx, shape));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &y));
      if (y->num_elements() == 0) return Status();
      if (x.num_elements() == 0) return Movement::Fill(ctx, *y, nullptr);
      const int64_t taken = task.batch * (task.op.kind == FourierKind::kFromReal ? task.points() : task.spectrum());
      if (taken != x.num_elements() || Engine<T>::WantsCopy(task, x)) {
        DF_ASSIGN(Tensor part, ctx.AllocateTemp(x.dtype(), Shape({taken})));
        DF_TRY(Movement::Copy(ctx, x.dtype(), x.raw(), part.raw(), TakenPart(task, x.shape())));
        x = part;
      }
      return engine_.Run(ctx, task, x, *y);
    }

   private:
    Engine<T> engine_;
  };
};

// Registers a device's kernels: DF_FOURIER_KERNELS(CUDA_KERNEL_ATTR, Family).
#define DF_FOURIER_KERNELS(REGISTER, family)           \
  REGISTER("FFT", "Tcomplex", family, DF_COMPLEX);     \
  REGISTER("FFT2D", "Tcomplex", family, DF_COMPLEX);   \
  REGISTER("FFT3D", "Tcomplex", family, DF_COMPLEX);   \
  REGISTER("IFFT", "Tcomplex", family, DF_COMPLEX);    \
  REGISTER("IFFT2D", "Tcomplex", family, DF_COMPLEX);  \
  REGISTER("IFFT3D", "Tcomplex", family, DF_COMPLEX);  \
  REGISTER("RFFT", "Tcomplex", family, DF_COMPLEX);    \
  REGISTER("RFFT2D", "Tcomplex", family, DF_COMPLEX);  \
  REGISTER("RFFT3D", "Tcomplex", family, DF_COMPLEX);  \
  REGISTER("IRFFT", "Tcomplex", family, DF_COMPLEX);   \
  REGISTER("IRFFT2D", "Tcomplex", family, DF_COMPLEX); \
  REGISTER("IRFFT3D", "Tcomplex", family, DF_COMPLEX)

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SIGNAL_FOURIER_H_
