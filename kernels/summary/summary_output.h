// Helpers of the kernels of summary ops.
#ifndef DFRUN_KERNELS_SUMMARY_SUMMARY_OUTPUT_H_
#define DFRUN_KERNELS_SUMMARY_SUMMARY_OUTPUT_H_

#include "src/framework/kernel/kernel.h"
#include "src/storage/summary.pb.h"

namespace dfrun {

// Makes the serialised message the scalar output 0.
inline Status SetSummary(OpContext& ctx, const proto::Summary& summary) {
  Tensor* output = nullptr;
  DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
  *output->data<std::string>() = summary.SerializeAsString();
  return Status();
}

// The scalar tag at input 0.
inline Result<std::string> SummaryTag(const OpContext& ctx) {
  if (ctx.input(0).shape().rank() == 0) return ctx.input(0).scalar<std::string>();
  return InvalidArgument(ctx.node().op->name, ": the tag must be a scalar, but has shape ", ctx.input(0).shape());
}

// The serialised SummaryMetadata, a scalar, at input `i`. What is no such message is left out.
inline Result<std::string> SummaryMetadata(const OpContext& ctx, int i) {
  if (ctx.input(i).shape().rank() != 0) {
    return InvalidArgument(ctx.node().op->name, ": the metadata must be a scalar, but has shape ",
                           ctx.input(i).shape());
  }
  proto::Summary::Metadata metadata;
  metadata.ParseFromString(ctx.input(i).scalar<std::string>());
  return metadata.SerializeAsString();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_SUMMARY_OUTPUT_H_
