#include "kernels/nn/norm/batch_norm.h"

#include "kernels/nn/channel_sums.h"

namespace dfrun {
namespace {

template <class From, class To>
void Convert(const From* from, To* to, int64_t count, ThreadPool& pool) {
  pool.ParallelFor(count, channels::kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

}  // namespace

BatchNormAttrs::BatchNormAttrs(KernelSetup& setup)
    : epsilon(setup.attr<float>("epsilon")),
      data_format(setup.attr<std::string>("data_format")),
      is_training(setup.attr<bool>("is_training")) {
  const Result<DType> statistics = setup.attrs().GetOr("U", DType::kFloat);
  if (!statistics.ok() || *statistics != DType::kFloat) {
    setup.Fail(Unimplemented("batch normalisation with statistics that are not float32"));
  }
}

Result<ChannelLayout> BatchNormAttrs::Layout(const Shape& images) const {
  if (images.rank() != BatchNormRank(data_format)) {
    return InvalidArgument("batch normalisation in ", data_format, " needs images of rank ", BatchNormRank(data_format),
                           ", but has ", images);
  }
  return ChannelLayout::Of(images, data_format[1] == 'C');
}

int BatchNormRank(const std::string& data_format) {
  return static_cast<int>(data_format.size());
}

Shape GradReserveShape(int rank, bool is_v3, DType images) {
  return rank == 5 || (is_v3 && images == DType::kHalf) ? Shape({0}) : Shape();
}

Status CheckChannels(const OpContext& ctx, const char* name, const Tensor& tensor, int64_t channels) {
  if (tensor.shape() == Shape({channels})) return Status();
  return InvalidArgument(ctx.node().op->name, ": ", name, " has shape ", tensor.shape(), ", but there are ", channels,
                         " channels");
}

Status CheckBatchNorm(const OpContext& ctx, int64_t channels, bool reads_statistics) {
  DF_TRY(CheckChannels(ctx, "scale", ctx.input(1), channels));
  DF_TRY(CheckChannels(ctx, "offset", ctx.input(2), channels));
  if (reads_statistics) {
    DF_TRY(CheckChannels(ctx, "mean", ctx.input(3), channels));
    return CheckChannels(ctx, "variance", ctx.input(4), channels);
  }
  for (int i : {3, 4}) {
    if (ctx.input(i).shape().rank() == 1) continue;
    return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a vector, but has shape ",
                           ctx.input(i).shape());
  }
  return Status();
}

Status CheckBatchNormGrad(const OpContext& ctx, int64_t channels) {
  if (!(ctx.input(0).shape() == ctx.input(1).shape())) {
    return InvalidArgument(ctx.node().op->name, ": y_backprop has shape ", ctx.input(0).shape(), ", but x ",
                           ctx.input(1).shape());
  }
  DF_TRY(CheckChannels(ctx, "scale", ctx.input(2), channels));
  DF_TRY(CheckChannels(ctx, "reserve_space_1", ctx.input(3), channels));
  return CheckChannels(ctx, "reserve_space_2", ctx.input(4), channels);
}

Result<Tensor> WidenedImages(OpContext& ctx, const Tensor& images) {
  if (images.dtype() == DType::kFloat) return images;
  DF_ASSIGN(Tensor wide, ctx.AllocateTemp(DType::kFloat, images.shape()));
  VisitDType<bfloat16, float16>(images.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Convert(images.data<T>(), wide.data<float>(), images.num_elements(), ctx.pool());
  });
  return wide;
}

Status ImageOutput::Allocate(OpContext& ctx, const Shape& shape) {
  DF_TRY(ctx.AllocateOutput(0, shape, &output_));
  if (output_->dtype() == DType::kFloat) {
    wide_ = *output_;
  } else {
    DF_ASSIGN(wide_, ctx.AllocateTemp(DType::kFloat, shape));
  }
  return Status();
}

void ImageOutput::Finish(OpContext& ctx) {
  VisitDType<bfloat16, float16>(output_->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Convert(wide_.data<float>(), output_->data<T>(), output_->num_elements(), ctx.pool());
  });
}

}  // namespace dfrun
