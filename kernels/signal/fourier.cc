#include "kernels/signal/fourier.h"

#include "kernels/array/int_values.h"

namespace dfrun {
namespace {

// Sizes of the libraries' transforms are of 32 bits, and lines may be padded to four times their length.
constexpr int64_t kMaxPoints = int64_t{1} << 29;

}  // namespace

FourierOp FourierOp::Of(std::string_view op) {
  FourierOp found;
  if (op.ends_with("D")) {
    found.rank = op[op.size() - 2] - '0';
  }
  found.inverse = op.starts_with("I");
  const bool is_real = op.substr(found.inverse ? 1 : 0).starts_with("R");
  if (is_real) found.kind = found.inverse ? FourierKind::kToReal : FourierKind::kFromReal;
  return found;
}

int64_t FourierTask::points() const {
  int64_t points = 1;
  for (int d = 0; d < op.rank; ++d) points *= sizes[static_cast<size_t>(d)];
  return points;
}

bool FourierTask::operator==(const FourierTask& other) const {
  return op.kind == other.op.kind && op.inverse == other.op.inverse && op.rank == other.op.rank &&
         sizes == other.sizes && batch == other.batch;
}

Status CheckFourierTypes(DType real, DType complex) {
  if ((complex == DType::kComplex128) == (real == DType::kDouble)) return Status();
  return InvalidArgument("there is no transform between ", real, " and ", complex);
}

FourierBase::FourierBase(KernelSetup& setup) : op_(FourierOp::Of(setup.node().op->name)) {
  if (op_.kind == FourierKind::kComplex) return;
  setup.Fail(CheckFourierTypes(setup.attr<DType>("Treal"), setup.attr<DType>("Tcomplex")));
}

Result<FourierTask> FourierBase::Plan(const OpContext& ctx, Shape& result) const {
  const Shape& x = ctx.input(0).shape();
  const int outer = x.rank() - op_.rank;
  if (outer < 0)
    return InvalidArgument("the input has shape ", x, ", but at least ", op_.rank, " dimensions are needed");
  std::vector<int64_t> lengths(x.dims().begin() + outer, x.dims().end());
  if (op_.kind != FourierKind::kComplex) {
    DF_ASSIGN(lengths, IntVector(ctx.input(1), "fft_length"));
    if (lengths.size() != static_cast<size_t>(op_.rank)) {
      return InvalidArgument("fft_length has ", lengths.size(), " elements, but must have ", op_.rank);
    }
  }
  FourierTask task{op_};
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  for (int d = 0; d < op_.rank; ++d) {
    const int64_t length = lengths[static_cast<size_t>(d)];
    const int64_t given = x[outer + d];
    const bool is_last = d == op_.rank - 1;
    const int64_t needed = is_last && op_.kind == FourierKind::kToReal ? length / 2 + 1 : length;
    if (length < 0 || length > kMaxPoints) {
      return InvalidArgument("a transform has between 0 and ", kMaxPoints, " points a dimension, not ", length);
    }
    if (given != 0 && given < needed) {
      return InvalidArgument("dimension ", outer + d, " of the input of shape ", x, " is less than the ", needed,
                             " numbers that a transform of ", length, " points takes");
    }
    task.sizes[static_cast<size_t>(d)] = length;
    dims[static_cast<size_t>(outer) + static_cast<size_t>(d)] = length;
  }
  if (op_.kind == FourierKind::kFromReal && dims.back() != 0) dims.back() = task.frequencies();
  for (int d = 0; d < outer; ++d) task.batch *= x[d];
  DF_ASSIGN(result, Shape::Create(dims));
  return task;
}

std::vector<CopyDim> FourierBase::TakenPart(const FourierTask& task, const Shape& input) {
  const int rank = task.op.rank;
  std::vector<CopyDim> dims(static_cast<size_t>(rank + 1));
  int64_t from_stride = 1;
  int64_t to_stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const bool is_half = d == rank - 1 && task.op.kind == FourierKind::kToReal;
    const int64_t size = is_half ? task.frequencies() : task.sizes[static_cast<size_t>(d)];
    dims[static_cast<size_t>(d) + 1] = {size, from_stride, to_stride};
    from_stride *= input[input.rank() - rank + d];
    to_stride *= size;
  }
  dims[0] = {task.batch, from_stride, to_stride};
  return dims;
}

}  // namespace dfrun
