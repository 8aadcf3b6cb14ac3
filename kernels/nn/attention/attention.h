// Attributes and shapes of the attention kernels, with the checks of their inputs, on any device.
#ifndef DFRUN_KERNELS_NN_ATTENTION_ATTENTION_H_
#define DFRUN_KERNELS_NN_ATTENTION_ATTENTION_H_

#include <algorithm>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Sizes of an attention: each pair of a batch and a head is one of its own.
struct AttentionShape {
  int64_t batch = 0;
  int64_t heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t depth = 0;
  int64_t value_depth = 0;
  double scale = 1;     // factor of the scores
  bool causal = false;  // a query sees the keys up to its own number

  bool operator==(const AttentionShape&) const = default;
  int64_t pairs() const { return batch * heads; }
  Shape output() const { return Shape({batch, heads, queries, value_depth}); }
  Shape log_sums() const { return Shape({batch, heads, queries}); }
  // The number of keys that a query sees; these are the first ones.
  DF_HOST_DEVICE int64_t Visible(int64_t query) const { return causal && query + 1 < keys ? query + 1 : keys; }
};

class AttentionAttrs {
 public:
  // `computed`: the type of sums and of their logarithms.
  AttentionAttrs(KernelSetup& setup, DType computed);
  // The shape for the inputs query, key and value, of which the first is input `first`. InvalidArgument where they do
  // not fit.
  Result<AttentionShape> ShapeOf(const OpContext& ctx, int first) const;
  // The shape for the gradient's inputs: gradients, query, key, value, output and log_sums.
  Result<AttentionShape> ShapeOfGradient(const OpContext& ctx) const;

 private:
  const double scale_;  // 0: by the depth
  const bool causal_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_ATTENTION_ATTENTION_H_
