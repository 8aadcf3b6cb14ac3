#include <limits>
#include <utility>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/index/dynamic.h"
#include "kernels/array/index/group_cuda.h"

namespace dfrun {
namespace {

// A row number beyond every index, since indices are int32.
constexpr int64_t kNoRow = int64_t{std::numeric_limits<int32_t>::max()} + 1;

// One more than the highest row that updates are for.
DF_DEVICE_KERNEL void CountRows(cuda::UpdateRuns runs, int64_t* rows) {
  if (cuda::GlobalThreadId() != 0) return;
  const int64_t updates = runs.LowerBound(runs.limit);
  *rows = updates == 0 ? 0 : static_cast<int64_t>(runs.Slice(updates - 1)) + 1;
}

// Marks the last one of a row's updates, which is kept.
DF_DEVICE_KERNEL void MarkLast(cuda::UpdateRuns runs, bool* kept) {
  const int64_t k = cuda::GlobalThreadId();
  if (k < runs.count) kept[runs.order[k]] = runs.Slice(k) < runs.limit && !runs.IsFor(k + 1, runs.Slice(k));
}

template <class E>
DF_DEVICE_KERNEL void WriteKept(const uint64_t* rows, const bool* kept, const E* from, int64_t count, int64_t row,
                                E* to) {
  const int64_t thread = cuda::GlobalThreadId();
  const int64_t i = thread / row;
  if (i < count && kept[i]) to[static_cast<int64_t>(rows[i]) * row + (thread - i * row)] = from[thread];
}

// DynamicStitch. Its number of rows follows from the indices alone, so that the kernel waits for the GPU.
class DynamicStitchKernel : public Kernel {
 public:
  explicit DynamicStitchKernel(KernelSetup& setup) : error_flag_(setup, "an index is negative") {}
  Status Compute(OpContext& ctx) {
    const int n = ctx.num_inputs() / 2;
    DF_ASSIGN(const cuda::UpdateGroups groups, GroupRows(ctx, n));
    const cuda::UpdateRuns runs = groups.runs();
    DF_ASSIGN(Tensor count, ctx.AllocateTemp(DType::kInt64, Shape({1})));
    DF_TRY(cuda::Launch(ctx, 1, &CountRows, runs, count.data<int64_t>()));
    DF_ASSIGN(const Tensor rows, cuda::OnHost(ctx, count, 0, 1));
    const Shape shape = RowsOf(*rows.data<int64_t>(), ctx.input(n).shape(), ctx.input(0).shape().rank());
    DF_TRY(Shape::Create(shape.dims()).status());
    Tensor* merged = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &merged));
    DF_TRY(cuda::EnqueueZeros(ctx, merged->raw(), merged->num_bytes()));  // rows that no index names
    DF_ASSIGN(Tensor kept, ctx.AllocateTemp(DType::kBool, Shape({runs.count})));
    DF_TRY(cuda::Launch(ctx, runs.count, &MarkLast, runs, kept.data<bool>()));
    int64_t first = 0;
    for (int i = 0; i < n; ++i) {
      DF_TRY(WritePart(ctx, ctx.input(n + i), runs.slices + first, kept.data<bool>() + first,
                       ctx.input(i).num_elements(), *merged));
      first += ctx.input(i).num_elements();
    }
    return Status();
  }

 private:
  // The rows of all parts, one part after the other.
  Result<cuda::UpdateGroups> GroupRows(OpContext& ctx, int n) const {
    int64_t total = 0;
    for (int i = 0; i < n; ++i) {
      DF_TRY(CheckStitchedPart(ctx, i, n));
      total += ctx.input(i).num_elements();
    }
    DF_ASSIGN(Tensor rows, ctx.AllocateTemp(DType::kUint64, Shape({total})));
    int64_t first = 0;
    for (int i = 0; i < n; ++i) {
      DF_ASSIGN(const Tensor part,
                cuda::SlicesOfIndices(ctx, ctx.input(i), kNoRow, cuda::BadIndex::kRefused, error_flag_.word()));
      DF_TRY(cuda::EnqueueBytes(ctx, part.raw(), rows.data<uint64_t>() + first, part.num_bytes()));
      first += part.num_elements();
    }
    return cuda::UpdateGroups::BySlice(ctx, std::move(rows), kNoRow);
  }

  static Status WritePart(OpContext& ctx, const Tensor& data, const uint64_t* rows, const bool* kept, int64_t count,
                          Tensor& merged) {
    const int64_t row = RowElements(merged.shape());
    if (row == 0) return Status();
    Status status;
    VisitElementOfSize(DTypeSize(merged.dtype()), [&](auto tag) {
      using E = typename decltype(tag)::type;
      status = cuda::Launch(ctx, count * row, &WriteKept<E>, rows, kept, static_cast<const E*>(data.raw()), count, row,
                            static_cast<E*>(merged.raw()));
    });
    return status;
  }

  const cuda::DeviceErrorFlag error_flag_;
};

// The rows that an order names.
struct OrderedSource {
  const int32_t* order;
  int64_t row;
  DF_DEVICE_FUNCTION int64_t operator()(int64_t element) const {
    const int64_t i = element / row;
    return order[i] * row + (element - i * row);
  }
};

// DynamicPartition. The number of each partition's rows follows from its numbers alone, so that the kernel waits for
// the GPU.
class DynamicPartitionKernel : public Kernel {
 public:
  explicit DynamicPartitionKernel(KernelSetup& setup)
      : error_flag_(setup, "a partition is not in the range of their number") {}
  Status Compute(OpContext& ctx) {
    const Tensor& data = ctx.input(0);
    const Tensor& partitions = ctx.input(1);
    DF_TRY(CheckPartitions(ctx));
    DF_ASSIGN(
        const cuda::UpdateGroups groups,
        cuda::UpdateGroups::ByIndex(ctx, partitions, ctx.num_outputs(), cuda::BadIndex::kRefused, error_flag_.word()));
    DF_ASSIGN(const Tensor on_gpu, groups.Begins(ctx));
    DF_ASSIGN(const Tensor on_host, cuda::OnHost(ctx, on_gpu, 0, on_gpu.num_elements()));
    const int64_t* const begins = on_host.data<int64_t>();
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      Tensor* output = nullptr;
      DF_TRY(
          ctx.AllocateOutput(i, RowsOf(begins[i + 1] - begins[i], data.shape(), partitions.shape().rank()), &output));
      DF_TRY(cuda::Pick(ctx, data.raw(), *output,
                        OrderedSource{groups.order().data<int32_t>() + begins[i], RowElements(output->shape())}));
    }
    return Status();
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL("DynamicStitch", cuda::ByBytes<DynamicStitchKernel>, DF_PLAIN);
CUDA_KERNEL("ParallelDynamicStitch", cuda::ByBytes<DynamicStitchKernel>, DF_PLAIN);
CUDA_KERNEL("DynamicPartition", cuda::ByBytes<DynamicPartitionKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
