#include "kernels/nn/attention/attention.h"

#include <cmath>

namespace dfrun {

AttentionAttrs::AttentionAttrs(KernelSetup& setup, DType computed)
    : scale_(setup.attr<float>("scale")), causal_(setup.attr<bool>("causal")) {
  const DType log_sums = setup.attr<DType>("U");
  if (log_sums != computed) {
    setup.Fail(Unimplemented("the logarithms of sums, attr 'U', are ", computed, " here, not ", log_sums));
  }
}

Result<AttentionShape> AttentionAttrs::ShapeOf(const OpContext& ctx, int first) const {
  const Shape& q = ctx.input(first).shape();
  const Shape& k = ctx.input(first + 1).shape();
  const Shape& v = ctx.input(first + 2).shape();
  const bool fits = q.rank() == 4 && k.rank() == 4 && v.rank() == 4 && q[0] == k[0] && k[0] == v[0] && q[1] == k[1] &&
                    k[1] == v[1] && q[3] == k[3] && k[2] == v[2];
  if (!fits) {
    return InvalidArgument(
        "attention needs a query [batch, heads, queries, depth], a key [batch, heads, keys, depth] "
        "and a value [batch, heads, keys, value depth], but has ",
        q, ", ", k, " and ", v);
  }
  AttentionShape s = {q[0], q[1], q[2], k[2], q[3], v[3], scale_, causal_};
  if (scale_ == 0) s.scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(s.depth, 1)));
  return s;
}

Result<AttentionShape> AttentionAttrs::ShapeOfGradient(const OpContext& ctx) const {
  DF_ASSIGN(const AttentionShape s, ShapeOf(ctx, 1));
  for (int i : {0, 4}) {
    if (ctx.input(i).shape() == s.output()) continue;
    return InvalidArgument("input ", i, " of the gradient of attention has shape ", ctx.input(i).shape(), ", not ",
                           s.output());
  }
  if (ctx.input(5).shape() == s.log_sums()) return s;
  return InvalidArgument("log_sums has shape ", ctx.input(5).shape(), ", not ", s.log_sums());
}

}  // namespace dfrun
