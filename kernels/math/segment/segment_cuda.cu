// Sums, products and means of segments. Extremes are in segment_extremes_cuda.cu.
#include "kernels/math/segment/segment_cuda.h"

#include "kernels/array/int_values.h"
#include "kernels/array/value_bits.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/segment/row_groups.h"
#include "kernels/math/segment/segment_checks.h"
#include "kernels/math/segment/segment_reducers.h"
#include "kernels/math/segment/segment_weights.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The launch that folds elements T: sums of complex numbers part by part; integers as bits where they wrap around.
template <class R, class T>
struct ReduceOfElements {
  static constexpr cuda::GroupReduce kReduce = &cuda::LaunchGroupReduce<R, T>;
};
template <class R, class T>
requires(kIsComplex<T> && !std::is_same_v<R, red::Prod>) struct ReduceOfElements<R, T> {
  static constexpr cuda::GroupReduce kReduce = &cuda::LaunchGroupReduce<R, typename T::value_type, 2>;
};
template <class T>
requires(kIsComplex<T>) struct ReduceOfElements<red::Prod, T> {
  static constexpr cuda::GroupReduce kReduce = &cuda::LaunchGroupReduce<red::Prod, cuda::GpuType<T>>;
};
template <class R, class T>
requires(std::is_integral_v<T> &&
         (std::is_same_v<R, red::Sum> || std::is_same_v<R, red::Prod>)) struct ReduceOfElements<R, T> {
  static constexpr cuda::GroupReduce kReduce = &cuda::LaunchGroupReduce<R, ValueBits<T>>;
};

template <class R, bool kEmptyIsZero = true>
struct Segment {
  template <class T>
  struct Kernel : cuda::SegmentOnGpu {
    explicit Kernel(KernelSetup& setup) : SegmentOnGpu(setup, ReduceOfElements<R, T>::kReduce, kEmptyIsZero) {}
  };
};

template <class K, class R>
struct Folding {
  template <class T>
  struct Kernel : K {
    explicit Kernel(KernelSetup& setup) : K(setup, ReduceOfElements<R, T>::kReduce) {}
  };
};
template <class R>
using Unsorted = Folding<cuda::UnsortedSegmentOnGpu, R>;
template <class R>
using Sparse = Folding<cuda::SparseSegmentOnGpu, R>;

using SegmentProd = Segment<red::Prod, false>;

CUDA_KERNEL("SegmentSum", Segment<red::Sum>, DF_NUMBERS);
CUDA_KERNEL("SegmentMean", Segment<red::SegmentMean>, DF_NUMBERS);
CUDA_KERNEL("SegmentProd", SegmentProd, DF_NUMBERS);
CUDA_KERNEL("SegmentSumV2", Unsorted<red::Sum>, DF_NUMBERS);
CUDA_KERNEL("SegmentProdV2", Unsorted<red::Prod>, DF_NUMBERS);
CUDA_KERNEL("UnsortedSegmentSum", Unsorted<red::Sum>, DF_NUMBERS);
CUDA_KERNEL("UnsortedSegmentProd", Unsorted<red::Prod>, DF_NUMBERS);
CUDA_KERNEL("SparseSegmentSum", Sparse<red::Sum>, DF_REAL);
CUDA_KERNEL("SparseSegmentMean", Sparse<red::Mean>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentSqrtN", Sparse<red::SqrtN>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentSumWithNumSegments", Sparse<red::Sum>, DF_REAL);
CUDA_KERNEL("SparseSegmentMeanWithNumSegments", Sparse<red::Mean>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentSqrtNWithNumSegments", Sparse<red::SqrtN>, DF_FLOATS);

// Rows of a gradient by the factors of their segments, whose rows begin at `begins`.
template <class T>
DF_DEVICE_KERNEL void WeightRows(const T* rows, const int64_t* begins, SegmentDivisor divisor, int64_t n, int64_t width,
                                 T* weighted) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const int64_t segment = i / width;
  const auto count = static_cast<double>(begins[segment + 1] - begins[segment]);
  using C = ComputeType<T>;
  weighted[i] = static_cast<T>(static_cast<C>(WeightOfRows(divisor, count)) * static_cast<C>(rows[i]));
}

// The segment of each update in the order of `runs`.
template <class Id>
DF_DEVICE_KERNEL void OrderIds(const Id* ids, cuda::UpdateRuns runs, int64_t* segments) {
  const int64_t k = cuda::GlobalThreadId();
  if (k < runs.count) segments[k] = static_cast<int64_t>(ids[runs.order[k]]);
}

DF_DEVICE_KERNEL void MarkBegins(cuda::UpdateRuns runs, bool* begins) {
  const int64_t k = cuda::GlobalThreadId();
  if (k < runs.count) begins[k] = runs.BeginsAt(k);
}

// The slices that updates at `firsts`, and no others, are the first for; their end is one more.
template <class Index>
DF_DEVICE_KERNEL void WriteSlices(cuda::UpdateRuns runs, const int64_t* firsts, int64_t n, Index* slices,
                                  int64_t* begins) {
  const int64_t i = cuda::GlobalThreadId();
  if (i > n) return;
  begins[i] = i < n ? firsts[i] : runs.LowerBound(runs.limit);
  if (i < n) slices[i] = static_cast<Index>(runs.Slice(firsts[i]));
}

using Weigh = Status (*)(OpContext& ctx, const Tensor& rows, const Tensor& begins, SegmentDivisor divisor,
                         Tensor& weighted);

template <class T>
Status LaunchWeigh(OpContext& ctx, const Tensor& rows, const Tensor& begins, SegmentDivisor divisor, Tensor& weighted) {
  return cuda::Launch(ctx, rows.num_elements(), &WeightRows<T>, rows.data<T>(), begins.data<int64_t>(), divisor,
                      rows.num_elements(), RowWidth(rows.shape(), 1), weighted.data<T>());
}

// Inputs: grad, indices, segment_ids, the rows of the differentiated tensor. With a second output, only the rows that
// were picked are made, and their indices; how many there are the kernel waits for.
class SparseSegmentGradOnGpu : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"output_dim0", "dense_output_dim0"};
  SparseSegmentGradOnGpu(KernelSetup& setup, cuda::GroupReduce sum, Weigh weigh, SegmentDivisor divisor)
      : sum_(sum),
        weigh_(weigh),
        divisor_(divisor),
        is_sparse_(setup.node().outputs.size() == 2),
        error_flag_(setup, "an index is not below the number of rows, or a segment id not below that of the gradient") {
  }

  Status Compute(OpContext& ctx) {
    const Tensor& grad = ctx.input(0);
    DF_ASSIGN(const int64_t rows, IntScalar(ctx.input(3), "the number of rows"));
    DF_TRY(CheckSparseSegmentGrad(ctx, rows));
    const Tensor none = ctx.input(1).SliceRows(0, 0);
    const Tensor& indices = rows == 0 ? none : ctx.input(1);  // with no rows, any indices are fine
    DF_ASSIGN(const cuda::UpdateGroups picked,
              cuda::UpdateGroups::ByIndex(ctx, indices, rows, cuda::BadIndex::kRefused, error_flag_.word()));
    Tensor begins;
    if (is_sparse_) {
      DF_ASSIGN(begins, WritePicked(ctx, picked));
    } else {
      DF_ASSIGN(begins, picked.Begins(ctx));
    }
    const int64_t made = begins.num_elements() - 1;
    DF_ASSIGN(const Shape shape, RowsShape(made, grad.shape(), 1));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (rows == 0) return Status();
    const Tensor& ids = ctx.input(2);
    DF_ASSIGN(const Tensor weighted, Weighted(ctx, grad, ids));
    DF_ASSIGN(const Tensor segments, InOrder(ctx, ids, picked));
    return sum_(ctx,
                {begins.data<int64_t>(), nullptr, segments.data<int64_t>(), grad.shape().dim(0), made,
                 RowWidth(grad.shape(), 1), true},
                weighted.raw(), y->raw());
  }

 private:
  // Writes the indices that there are, in order, to output 1; where the updates of each begin, and their end.
  static Result<Tensor> WritePicked(OpContext& ctx, const cuda::UpdateGroups& picked) {
    const cuda::UpdateRuns runs = picked.runs();
    DF_ASSIGN(Tensor flags, ctx.AllocateTemp(DType::kBool, Shape({runs.count})));
    DF_TRY(cuda::Launch(ctx, runs.count, &MarkBegins, runs, flags.data<bool>()));
    DF_ASSIGN(const Tensor firsts, cuda::FindSet(ctx, flags.data<bool>(), runs.count));
    const int64_t n = firsts.num_elements();
    Tensor* unique = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({n}), &unique));
    DF_ASSIGN(Tensor begins, ctx.AllocateTemp(DType::kInt64, Shape({n + 1})));
    Status status;
    VisitDType<int32_t, int64_t>(unique->dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      status = cuda::Launch(ctx, n + 1, &WriteSlices<Index>, runs, firsts.data<int64_t>(), n, unique->data<Index>(),
                            begins.data<int64_t>());
    });
    DF_TRY(status);
    return begins;
  }

  Result<Tensor> Weighted(OpContext& ctx, const Tensor& grad, const Tensor& ids) const {
    DF_ASSIGN(const cuda::UpdateGroups by_segment,
              cuda::UpdateGroups::ByIndex(ctx, ids, grad.shape().dim(0), cuda::BadIndex::kRefused, error_flag_.word()));
    if (divisor_ == SegmentDivisor::kOne) return grad;
    DF_ASSIGN(const Tensor begins, by_segment.Begins(ctx));
    DF_ASSIGN(Tensor weighted, ctx.AllocateTemp(grad.dtype(), grad.shape()));
    DF_TRY(weigh_(ctx, grad, begins, divisor_, weighted));
    return weighted;
  }

  static Result<Tensor> InOrder(OpContext& ctx, const Tensor& ids, const cuda::UpdateGroups& picked) {
    const cuda::UpdateRuns runs = picked.runs();
    DF_ASSIGN(Tensor segments, ctx.AllocateTemp(DType::kInt64, Shape({runs.count})));
    Status status;
    VisitDType<int32_t, int64_t>(ids.dtype(), [&](auto tag) {
      using Id = typename decltype(tag)::type;
      status = cuda::Launch(ctx, runs.count, &OrderIds<Id>, ids.data<Id>(), runs, segments.data<int64_t>());
    });
    DF_TRY(status);
    return segments;
  }

  const cuda::GroupReduce sum_;
  const Weigh weigh_;
  const SegmentDivisor divisor_;
  const bool is_sparse_;
  const cuda::DeviceErrorFlag error_flag_;
};

template <SegmentDivisor kDivisor>
struct SparseSegmentGrad {
  template <class T>
  struct Kernel : SparseSegmentGradOnGpu {
    explicit Kernel(KernelSetup& setup)
        : SparseSegmentGradOnGpu(setup, ReduceOfElements<red::Sum, T>::kReduce, &LaunchWeigh<T>, kDivisor) {}
  };
};

CUDA_KERNEL("SparseSegmentSumGrad", SparseSegmentGrad<SegmentDivisor::kOne>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentMeanGrad", SparseSegmentGrad<SegmentDivisor::kRows>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentSqrtNGrad", SparseSegmentGrad<SegmentDivisor::kRootOfRows>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentSumGradV2", SparseSegmentGrad<SegmentDivisor::kOne>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentMeanGradV2", SparseSegmentGrad<SegmentDivisor::kRows>, DF_FLOATS);
CUDA_KERNEL("SparseSegmentSqrtNGradV2", SparseSegmentGrad<SegmentDivisor::kRootOfRows>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
