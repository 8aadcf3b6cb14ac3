// Attention on GPUs. cuDNN computes float16 and bfloat16 where it has a plan. Else some rows of scores at a time, few
// enough to stay in the GPU's cache, are products, then weights, then products again.
#include <algorithm>
#include <limits>

#include "kernels/device/cuda/library/library.h"
#include "kernels/device/cuda/library_call/library_attention.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/zip_cuda.h"
#include "kernels/math/functions/elementary.h"
#include "kernels/math/functions/functors.h"
#include "kernels/matrix/product_cuda.h"
#include "kernels/nn/attention/attention.h"
#include "kernels/nn/float_io_cuda.h"
#include "kernels/nn/larger_score.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Scores of one pair's queries from `query` on, or of all queries of some pairs.
struct ScoreRows {
  int64_t pair = 0;
  int64_t pairs = 0;
  int64_t query = 0;
  int64_t queries = 0;  // number of queries in a pair

  int64_t rows() const { return pairs * queries; }
  // The first of the rows among those of all pairs.
  int64_t First(const AttentionShape& s) const { return pair * s.queries + query; }
  DF_HOST_DEVICE int64_t QueryOf(int64_t row) const { return query + row % queries; }
};

// Calls run(rows) for parts of the scores, in order, each of which takes no more memory than this where it can.
template <class C, class Run>
Status ForScoreRows(const AttentionShape& s, const Run& run) {
  constexpr int64_t kScoreBytes = int64_t{32} << 20;
  const int64_t row_bytes = std::max<int64_t>(1, s.keys) * static_cast<int64_t>(sizeof(C));
  const int64_t rows = std::max<int64_t>(1, kScoreBytes / row_bytes);
  if (s.queries == 0) return Status();
  const int64_t pairs = std::max<int64_t>(1, rows / s.queries);
  for (int64_t pair = 0; pair < s.pairs(); pair += pairs) {
    const int64_t now = std::min(pairs, s.pairs() - pair);
    for (int64_t query = 0; query < s.queries; query += rows) {
      DF_TRY(run(ScoreRows{pair, now, query, std::min(rows, s.queries - query)}));
    }
  }
  return Status();
}

// A block's row of scores becomes the weights of the values.
template <class C>
DF_DEVICE_KERNEL void WeighScores(AttentionShape s, ScoreRows rows, C* scores, C* log_sums) {
  const int64_t row = cuda::GlobalBlockId();
  const int64_t visible = s.Visible(rows.QueryOf(row));
  const C scale = static_cast<C>(s.scale);
  C* const x = scores + row * s.keys;
  C mine = -std::numeric_limits<C>::infinity();
  for (int64_t j = cuda::ThreadInBlock(); j < visible; j += cuda::kBlockThreads) {
    x[j] *= scale;
    mine = x[j] > mine ? x[j] : mine;
  }
  const C largest = cuda::BlockReduce(mine, LargerScore());
  C sum = 0;
  for (int64_t j = cuda::ThreadInBlock(); j < visible; j += cuda::kBlockThreads) {
    x[j] = fn::Exp()(x[j] - largest);
    sum += x[j];
  }
  const C all = cuda::BlockReduce(sum, fn::Add());
  for (int64_t j = cuda::ThreadInBlock(); j < s.keys; j += cuda::kBlockThreads) x[j] = j < visible ? x[j] / all : C(0);
  if (cuda::ThreadInBlock() == 0)
    log_sums[row] = s.keys == 0 ? -std::numeric_limits<C>::infinity() : largest + std::log(all);
}

// The products of rows of gradients and of outputs.
template <class C>
DF_DEVICE_KERNEL void RowProducts(const C* dy, const C* y, C* products, int64_t rows, int64_t columns) {
  const int64_t row = cuda::GlobalThreadId();
  if (row >= rows) return;
  C sum = 0;
  for (int64_t j = row * columns; j < (row + 1) * columns; ++j) sum += dy[j] * y[j];
  products[row] = sum;
}

// Overwrites n elements of rows of scores and of gradients: scores become weights, and the weights' gradients those of
// the scores before they are scaled and masked. `row_products`: RowProducts() of the rows.
template <class C>
DF_DEVICE_KERNEL void ScoreGradients(AttentionShape s, ScoreRows rows, C* scores, C* gradients, const C* log_sums,
                                     const C* row_products, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const int64_t row = i / s.keys;
  const bool sees = i - row * s.keys < s.Visible(rows.QueryOf(row));
  const C scale = static_cast<C>(s.scale);
  const C weight = sees ? fn::Exp()(scores[i] * scale - log_sums[row]) : C(0);
  scores[i] = weight;
  gradients[i] = sees ? weight * (gradients[i] - row_products[row]) * scale : C(0);
}

template <class C>
struct AddTwo {
  DF_HOST_DEVICE C operator()(C a, C b) const { return a + b; }
};

// The library's attention of a node.
class AttentionByLibrary {
 public:
  AttentionByLibrary(const KernelSetup& setup, bool is_gradient)
      : is_gradient_(is_gradient), arithmetic_(Arithmetic::Of(setup.attrs())) {}

  // False where functions of ours are to do it; else it is enqueued.
  Result<bool> Run(OpContext& ctx, const AttentionShape& s, DType dtype, const cuda::AttentionData& data) {
    if (!IsForLibrary(s, dtype)) return false;
    for (const void* const memory : {data.query, data.key, data.value, data.output, data.log_sums, data.gradients,
                                     data.query_grad, data.key_grad, data.value_grad}) {
      if (!cuda::IsForLibraries(memory)) return false;
    }
    cuda::Gpu& gpu = cuda::GpuOf(ctx);
    gpu.MakeCurrent();
    const cuda::AttentionTask task = {is_gradient_, s.batch,       s.heads,  s.queries, s.keys,
                                      s.depth,      s.value_depth, s.causal, dtype,     arithmetic_};
    const auto plan = cuda::LibraryAttention::Create(task, gpu.index());
    if (plan.status().code() == Code::kUnimplemented) return false;
    DF_TRY(plan.status());
    DF_TRY((*plan)->Run(ctx, data));
    return true;
  }

 private:
  // Rows of 16 bytes, as the library wants them, and enough work to be worth its call.
  static bool IsForLibrary(const AttentionShape& s, DType dtype) {
    constexpr int64_t kRow = 8;
    constexpr double kLibraryWork = 1 << 22;
    if (DTypeSize(dtype) != 2 || s.depth % kRow != 0 || s.value_depth % kRow != 0 || !cuda::Cudnn::Get().ok()) {
      return false;
    }
    const double scores = static_cast<double>(s.pairs()) * static_cast<double>(s.queries) * static_cast<double>(s.keys);
    return scores * static_cast<double>(s.depth + s.value_depth) >= kLibraryWork;
  }

  const bool is_gradient_;
  const Arithmetic arithmetic_;
};

// 16-bit numbers as float in new memory; others as they are.
template <class T>
Result<Tensor> Wide(OpContext& ctx, const Tensor& tensor) {
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    return tensor;
  } else {
    return cuda::AsFloat(ctx, tensor);
  }
}
// The output itself where it has the compute type; else a float buffer in its shape, which Finish() rounds into it.
template <class T>
Result<Tensor> WideOutput(OpContext& ctx, const Tensor& output) {
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    return output;
  } else {
    return ctx.AllocateTemp(DType::kFloat, output.shape());
  }
}
template <class T>
Status Finish(OpContext& ctx, const Tensor& wide, Tensor& output) {
  if constexpr (std::is_same_v<T, ComputeType<T>>) {
    return Status();
  } else {
    return cuda::RoundTo(ctx, wide, output);
  }
}

template <class T>
class GpuAttention final : public Kernel {
  using C = ComputeType<T>;

 public:
  explicit GpuAttention(KernelSetup& setup)
      : attrs_(setup, DTypeOf<C>), library_(setup, /*is_gradient=*/false), product_(setup) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const AttentionShape s, attrs_.ShapeOf(ctx, 0));
    Tensor* output = nullptr;
    Tensor* log_sums = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output(), &output));
    DF_TRY(ctx.AllocateOutput(1, s.log_sums(), &log_sums));
    DF_ASSIGN(const bool is_done, library_.Run(ctx, s, DTypeOf<T>,
                                               {static_cast<float>(s.scale), ctx.input(0).raw(), ctx.input(1).raw(),
                                                ctx.input(2).raw(), output->raw(), log_sums->raw()}));
    if (is_done) return Status();
    DF_ASSIGN(const Tensor q, Wide<T>(ctx, ctx.input(0)));
    DF_ASSIGN(const Tensor k, Wide<T>(ctx, ctx.input(1)));
    DF_ASSIGN(const Tensor v, Wide<T>(ctx, ctx.input(2)));
    DF_ASSIGN(Tensor wide, WideOutput<T>(ctx, *output));
    DF_TRY(ForScoreRows<C>(s, [&](const ScoreRows& rows) {
      return ComputeRows(ctx, s, rows, q.data<C>(), k.data<C>(), v.data<C>(), wide.data<C>(), log_sums->data<C>());
    }));
    return Finish<T>(ctx, wide, *output);
  }

 private:
  Status ComputeRows(OpContext& ctx, const AttentionShape& s, const ScoreRows& rows, const C* q, const C* k, const C* v,
                     C* output, C* log_sums) {
    DF_ASSIGN(Tensor memory, ctx.AllocateTemp(DTypeOf<C>, Shape({rows.rows(), s.keys})));
    C* const scores = memory.data<C>();
    const BroadcastPlan pairs = cuda::PairsInOrder(rows.pairs);
    const int64_t first = rows.First(s);
    DF_TRY(product_.Run(ctx, {rows.queries, s.depth, s.keys, false, true}, pairs, q + first * s.depth,
                        k + rows.pair * s.keys * s.depth, scores));
    DF_TRY(cuda::LaunchWithBarriers(ctx, rows.rows(), &WeighScores<C>, s, rows, scores, log_sums + first));
    return product_.Run(ctx, {rows.queries, s.keys, s.value_depth}, pairs, scores,
                        v + rows.pair * s.keys * s.value_depth, output + first * s.value_depth);
  }

  const AttentionAttrs attrs_;
  AttentionByLibrary library_;
  cuda::Product<C> product_;
};

// The inputs of a gradient and the buffers of its results.
template <class C>
struct GradientData {
  const C* dy;
  const C* q;
  const C* k;
  const C* v;
  const C* log_sums;
  const C* row_products;
  C* dq;
  C* dk;
  C* dv;
};

template <class T>
class GpuAttentionGrad final : public Kernel {
  using C = ComputeType<T>;

 public:
  explicit GpuAttentionGrad(KernelSetup& setup)
      : attrs_(setup, DTypeOf<C>), library_(setup, /*is_gradient=*/true), product_(setup) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const AttentionShape s, attrs_.ShapeOfGradient(ctx));
    Tensor* outputs[3] = {};
    for (int i = 0; i < 3; ++i) DF_TRY(ctx.AllocateOutput(i, ctx.input(i + 1).shape(), &outputs[i]));
    DF_ASSIGN(const bool is_done,
              library_.Run(ctx, s, DTypeOf<T>,
                           {static_cast<float>(s.scale), ctx.input(1).raw(), ctx.input(2).raw(), ctx.input(3).raw(),
                            ctx.input(4).raw(), ctx.input(5).raw(), ctx.input(0).raw(), outputs[0]->raw(),
                            outputs[1]->raw(), outputs[2]->raw()}));
    if (is_done) return Status();
    Tensor in[5];
    for (int i = 0; i < 5; ++i) {
      DF_ASSIGN(in[i], Wide<T>(ctx, ctx.input(i)));
    }
    Tensor grads[3];
    for (int i = 0; i < 3; ++i) {
      DF_ASSIGN(grads[i], WideOutput<T>(ctx, *outputs[i]));
    }
    DF_ASSIGN(Tensor row_products, ctx.AllocateTemp(DTypeOf<C>, s.log_sums()));
    const int64_t rows = s.pairs() * s.queries;
    DF_TRY(cuda::Launch(ctx, rows, &RowProducts<C>, in[0].data<C>(), in[4].data<C>(), row_products.data<C>(), rows,
                        s.value_depth));
    const GradientData<C> data = {in[0].data<C>(),    in[1].data<C>(),        in[2].data<C>(),
                                  in[3].data<C>(),    ctx.input(5).data<C>(), row_products.data<C>(),
                                  grads[0].data<C>(), grads[1].data<C>(),     grads[2].data<C>()};
    for (int i = 1; i < 3 && s.queries == 0; ++i) {
      DF_TRY(cuda::EnqueueZeros(ctx, grads[i].raw(), grads[i].num_bytes()));
    }
    DF_TRY(ForScoreRows<C>(s, [&](const ScoreRows& part) { return ComputeRows(ctx, s, part, data); }));
    for (int i = 0; i < 3; ++i) DF_TRY(Finish<T>(ctx, grads[i], *outputs[i]));
    return Status();
  }

 private:
  Status ComputeRows(OpContext& ctx, const AttentionShape& s, const ScoreRows& rows, const GradientData<C>& data) {
    const int64_t n = rows.rows() * s.keys;
    DF_ASSIGN(Tensor of_scores, ctx.AllocateTemp(DTypeOf<C>, Shape({n})));
    DF_ASSIGN(Tensor of_gradients, ctx.AllocateTemp(DTypeOf<C>, Shape({n})));
    C* const weights = of_scores.data<C>();
    C* const gradients = of_gradients.data<C>();
    const BroadcastPlan pairs = cuda::PairsInOrder(rows.pairs);
    const int64_t first = rows.First(s);
    const C* const q = data.q + first * s.depth;
    const C* const dy = data.dy + first * s.value_depth;
    const C* const k = data.k + rows.pair * s.keys * s.depth;
    DF_TRY(product_.Run(ctx, {rows.queries, s.depth, s.keys, false, true}, pairs, q, k, weights));
    DF_TRY(product_.Run(ctx, {rows.queries, s.value_depth, s.keys, false, true}, pairs, dy,
                        data.v + rows.pair * s.keys * s.value_depth, gradients));
    DF_TRY(cuda::Launch(ctx, n, &ScoreGradients<C>, s, rows, weights, gradients, data.log_sums + first,
                        data.row_products + first, n));
    DF_TRY(product_.Run(ctx, {rows.queries, s.keys, s.depth}, pairs, gradients, k, data.dq + first * s.depth));
    DF_TRY(AddOfKeys(ctx, s, rows, gradients, q, s.depth, data.dk));
    return AddOfKeys(ctx, s, rows, weights, dy, s.value_depth, data.dv);
  }

  // Sums over the queries: of the first rows of a pair they are written, of later ones added.
  Status AddOfKeys(OpContext& ctx, const AttentionShape& s, const ScoreRows& rows, const C* factors, const C* by,
                   int64_t columns, C* results) {
    C* const to = results + rows.pair * s.keys * columns;
    const int64_t n = rows.pairs * s.keys * columns;
    const GemmShape shape = {s.keys, rows.queries, columns, true, false};
    const BroadcastPlan pairs = cuda::PairsInOrder(rows.pairs);
    if (rows.query == 0) return product_.Run(ctx, shape, pairs, factors, by, to);
    DF_ASSIGN(Tensor part, ctx.AllocateTemp(DTypeOf<C>, Shape({n})));
    DF_TRY(product_.Run(ctx, shape, pairs, factors, by, part.data<C>()));
    return cuda::LaunchZip(ctx, static_cast<const C*>(to), static_cast<const C*>(part.data<C>()), to, n, AddTwo<C>());
  }

  const AttentionAttrs attrs_;
  AttentionByLibrary library_;
  cuda::Product<C> product_;
};

CUDA_KERNEL("ScaledDotProductAttention", KernelOf<GpuAttention>, DF_FLOATS);
CUDA_KERNEL("ScaledDotProductAttentionGrad", KernelOf<GpuAttentionGrad>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
