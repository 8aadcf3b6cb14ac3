#include "kernels/array/move/reverse_sequence.h"

#include <algorithm>

namespace dfrun {

ReverseSequenceBase::ReverseSequenceBase(KernelSetup& setup)
    : seq_dim_(setup.attr<int64_t>("seq_dim")), batch_dim_(setup.attr<int64_t>("batch_dim")) {}

Status ReverseSequenceBase::Check(const Shape& x, const Shape& lengths) const {
  if (lengths.rank() != 1) return InvalidArgument("seq_lengths has shape ", lengths, ", but must be a vector");
  const int rank = x.rank();
  if (batch_dim_ < 0 || batch_dim_ >= rank || seq_dim_ < 0 || seq_dim_ >= rank || batch_dim_ == seq_dim_)
    return InvalidArgument("batch_dim ", batch_dim_, " and seq_dim ", seq_dim_, " must be different dimensions of ", x);
  if (lengths[0] == x.dim(static_cast<int>(batch_dim_))) return Status();
  return InvalidArgument("there are ", lengths[0], " seq_lengths, but dimension ", batch_dim_, " of ", x, " is ",
                         x.dim(static_cast<int>(batch_dim_)));
}

Result<SequenceLoops> ReverseSequenceBase::MakeLoops(const Shape& x, const Shape& lengths) const {
  DF_TRY(Check(x, lengths));
  SequenceLoops loops;
  loops.batch_is_first = batch_dim_ < seq_dim_;
  const int first = static_cast<int>(std::min(batch_dim_, seq_dim_));
  const int second = static_cast<int>(std::max(batch_dim_, seq_dim_));
  loops.first = x.dim(first);
  loops.second = x.dim(second);
  for (int d = first + 1; d < second; ++d) loops.b *= x.dim(d);
  for (int d = second + 1; d < x.rank(); ++d) loops.row *= x.dim(d);
  return loops;
}

}  // namespace dfrun
