// Attention on a CPU: a block of queries goes over the keys block by block, with the largest score and the sum of
// exponentials so far, so that no matrix of all scores is made. The gradient computes scores anew, once for the queries
// and once for the keys, so that each element of a result is one thread's.
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/gemm/parallel_gemm.h"
#include "kernels/math/functions/elementary.h"
#include "kernels/nn/attention/attention.h"
#include "kernels/nn/float_io.h"
#include "src/base/integers.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The size of a block of scores: queries by keys.
constexpr int64_t kRows = 64;
constexpr int64_t kColumns = 128;

// Calls run(i) for each of `count` parts of the work on the pool. The first error in order comes back.
template <class Run>
Status RunParts(ThreadPool& pool, int64_t count, Run&& run) {
  std::vector<Status> statuses(static_cast<size_t>(count));
  pool.ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) statuses[static_cast<size_t>(i)] = run(i);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  return Status();
}

// Query, key and value of one pair of a batch and a head.
template <class C>
struct PairData {
  const C* q;
  const C* k;
  const C* v;

  PairData Of(const AttentionShape& s, int64_t pair) const {
    return {q + pair * s.queries * s.depth, k + pair * s.keys * s.depth, v + pair * s.keys * s.value_depth};
  }
};

// Products within a part of the work: of one thread.
template <class C>
class Products {
 public:
  explicit Products(Allocator& allocator) : allocator_(allocator) {}
  // C = A B, or where it adds C + A B.
  Status Run(const GemmShape& shape, const C* a, const C* b, C* c, bool adds = false) {
    Epilogue<C> epilogue;
    epilogue.beta = adds ? C(1) : C(0);
    return RunGemm(shape, a, b, c, pool_, allocator_, epilogue);
  }

 private:
  InlineThreadPool pool_;
  Allocator& allocator_;
};

// The results of a block of queries.
template <class C>
class QueryBlock {
 public:
  QueryBlock(const AttentionShape& shape, int64_t first, Allocator& allocator)
      : s_(shape),
        first_(first),
        rows_(std::min(kRows, shape.queries - first)),
        products_(allocator),
        scores_(static_cast<size_t>(kRows * kColumns)),
        largest_(static_cast<size_t>(rows_), -std::numeric_limits<C>::infinity()),
        sums_(static_cast<size_t>(rows_), C(0)) {}

  // `output` and `log_sums` of the pair.
  Status Run(const PairData<C>& pair, C* output, C* log_sums) {
    C* const out = output + first_ * s_.value_depth;
    std::fill_n(out, rows_ * s_.value_depth, C(0));
    const int64_t end = s_.Visible(first_ + rows_ - 1);
    for (int64_t column = 0; column < end; column += kColumns) {
      const int64_t n = std::min(kColumns, end - column);
      DF_TRY(products_.Run({rows_, s_.depth, n, false, true}, pair.q + first_ * s_.depth, pair.k + column * s_.depth,
                           scores_.data()));
      for (int64_t r = 0; r < rows_; ++r) Weigh(r, column, n, out + r * s_.value_depth);
      DF_TRY(products_.Run({rows_, n, s_.value_depth}, scores_.data(), pair.v + column * s_.value_depth, out,
                           /*adds=*/true));
    }
    for (int64_t r = 0; r < rows_; ++r) Finish(r, out + r * s_.value_depth, log_sums + first_ + r);
    return Status();
  }

 private:
  // Turns the scores of a row into exponentials relative to the largest so far, and scales the output so far
  // accordingly.
  void Weigh(int64_t r, int64_t column, int64_t n, C* out) {
    C* const row = scores_.data() + r * n;
    const int64_t visible = std::clamp<int64_t>(s_.Visible(first_ + r) - column, 0, n);
    const C scale = static_cast<C>(s_.scale);
    C largest = largest_[r];
    for (int64_t j = 0; j < visible; ++j) {
      row[j] *= scale;
      largest = row[j] > largest ? row[j] : largest;
    }
    C sum = 0;
    for (int64_t j = 0; j < visible; ++j) {
      row[j] = fn::Exp()(row[j] - largest);
      sum += row[j];
    }
    std::fill(row + visible, row + n, C(0));
    const C keeps = column == 0 ? C(0) : fn::Exp()(largest_[r] - largest);
    for (int64_t d = 0; d < s_.value_depth; ++d) out[d] *= keeps;
    sums_[r] = sums_[r] * keeps + sum;
    largest_[r] = largest;
  }

  // Finishes a row of the output, which is 0 without keys.
  void Finish(int64_t r, C* out, C* log_sum) const {
    *log_sum = s_.keys == 0 ? -std::numeric_limits<C>::infinity() : largest_[r] + std::log(sums_[r]);
    for (int64_t d = 0; s_.keys > 0 && d < s_.value_depth; ++d) out[d] /= sums_[r];
  }

  const AttentionShape& s_;
  const int64_t first_;
  const int64_t rows_;
  Products<C> products_;
  std::vector<C> scores_;
  std::vector<C> largest_;
  std::vector<C> sums_;
};

template <class T>
class AttentionKernel final : public Kernel {
  using C = ComputeType<T>;

 public:
  explicit AttentionKernel(KernelSetup& setup) : attrs_(setup, DTypeOf<C>) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const AttentionShape s, attrs_.ShapeOf(ctx, 0));
    FloatOutputs<T, 1> outputs(ctx);
    DF_ASSIGN(C* const output, outputs.Add(0, s.output()));
    Tensor* log_sums = nullptr;
    DF_TRY(ctx.AllocateOutput(1, s.log_sums(), &log_sums));
    DF_ASSIGN(const Tensor q, FloatInput<T>(ctx, 0));
    DF_ASSIGN(const Tensor k, FloatInput<T>(ctx, 1));
    DF_ASSIGN(const Tensor v, FloatInput<T>(ctx, 2));
    const PairData<C> data = {q.data<C>(), k.data<C>(), v.data<C>()};
    const int64_t blocks = CeilDiv(s.queries, kRows);
    DF_TRY(RunParts(ctx.pool(), s.pairs() * blocks, [&](int64_t i) {
      const int64_t pair = i / blocks;
      return QueryBlock<C>(s, i % blocks * kRows, ctx.allocator())
          .Run(data.Of(s, pair), output + pair * s.queries * s.value_depth, log_sums->data<C>() + pair * s.queries);
    }));
    return outputs.Finish();
  }

 private:
  const AttentionAttrs attrs_;
};

// The inputs of a pair's gradient: its data, dy, and for each query the logarithm of its sum and the product of dy and
// the output.
template <class C>
struct PairGradients {
  PairData<C> data;
  const C* dy;
  const C* log_sums;
  const C* row_products;
};

// A block of the softmax's elements and of the scores' gradients.
template <class C>
class ScoreBlock {
 public:
  ScoreBlock(const AttentionShape& shape, const PairGradients<C>& pair, Allocator& allocator)
      : s_(shape),
        pair_(pair),
        products_(allocator),
        weights_(static_cast<size_t>(kRows * kColumns)),
        gradients_(static_cast<size_t>(kRows * kColumns)) {}

  // Computes the block of the queries from `first` on and the keys from `column` on.
  Status Compute(int64_t first, int64_t column) {
    first_ = first;
    column_ = column;
    rows_ = std::min(kRows, s_.queries - first);
    n_ = std::min(kColumns, s_.keys - column);
    DF_TRY(products_.Run({rows_, s_.depth, n_, false, true}, q(), k(), weights_.data()));
    DF_TRY(products_.Run({rows_, s_.value_depth, n_, false, true}, dy(), pair_.data.v + column_ * s_.value_depth,
                         gradients_.data()));
    for (int64_t r = 0; r < rows_; ++r) Finish(r);
    return Status();
  }
  Status AddToQuery(C* dq) { return products_.Run({rows_, n_, s_.depth}, gradients_.data(), k(), dq, true); }
  Status AddToKey(C* dk) { return products_.Run({n_, rows_, s_.depth, true, false}, gradients_.data(), q(), dk, true); }
  Status AddToValue(C* dv) {
    return products_.Run({n_, rows_, s_.value_depth, true, false}, weights_.data(), dy(), dv, true);
  }

 private:
  const C* q() const { return pair_.data.q + first_ * s_.depth; }
  const C* k() const { return pair_.data.k + column_ * s_.depth; }
  const C* dy() const { return pair_.dy + first_ * s_.value_depth; }

  void Finish(int64_t r) {
    C* const weights = weights_.data() + r * n_;
    C* const gradients = gradients_.data() + r * n_;
    const int64_t visible = std::clamp<int64_t>(s_.Visible(first_ + r) - column_, 0, n_);
    const C scale = static_cast<C>(s_.scale);
    const C log_sum = pair_.log_sums[first_ + r];
    const C row_product = pair_.row_products[first_ + r];
    for (int64_t j = 0; j < visible; ++j) {
      weights[j] = fn::Exp()(weights[j] * scale - log_sum);
      gradients[j] = weights[j] * (gradients[j] - row_product) * scale;
    }
    std::fill(weights + visible, weights + n_, C(0));
    std::fill(gradients + visible, gradients + n_, C(0));
  }

  const AttentionShape& s_;
  const PairGradients<C>& pair_;
  Products<C> products_;
  std::vector<C> weights_;
  std::vector<C> gradients_;
  int64_t first_ = 0;
  int64_t column_ = 0;
  int64_t rows_ = 0;
  int64_t n_ = 0;
};

template <class T>
class AttentionGradKernel final : public Kernel {
  using C = ComputeType<T>;

 public:
  explicit AttentionGradKernel(KernelSetup& setup) : attrs_(setup, DTypeOf<C>) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const AttentionShape s, attrs_.ShapeOfGradient(ctx));
    Tensor in[5];
    for (int i = 0; i < 5; ++i) {
      DF_ASSIGN(in[i], FloatInput<T>(ctx, i));
    }
    FloatOutputs<T, 3> outputs(ctx);
    C* grads[3] = {};
    for (int i = 0; i < 3; ++i) {
      DF_ASSIGN(grads[i], outputs.Add(i, ctx.input(i + 1).shape()));
      std::fill_n(grads[i], ctx.input(i + 1).num_elements(), C(0));
    }
    const C* const dy = in[0].data<C>();
    DF_ASSIGN(const Tensor row_products, RowProducts(ctx, s, dy, in[4].data<C>()));
    const PairData<C> data = {in[1].data<C>(), in[2].data<C>(), in[3].data<C>()};
    const auto pair_of = [&](int64_t pair) {
      return PairGradients<C>{data.Of(s, pair), dy + pair * s.queries * s.value_depth,
                              ctx.input(5).data<C>() + pair * s.queries, row_products.data<C>() + pair * s.queries};
    };
    const int64_t blocks = CeilDiv(s.queries, kRows);
    DF_TRY(RunParts(ctx.pool(), s.pairs() * blocks, [&](int64_t i) {
      const int64_t pair = i / blocks;
      return QueryGradients(s, pair_of(pair), i % blocks * kRows, grads[0] + pair * s.queries * s.depth,
                            ctx.allocator());
    }));
    const int64_t key_blocks = CeilDiv(s.keys, kColumns);
    DF_TRY(RunParts(ctx.pool(), s.pairs() * key_blocks, [&](int64_t i) {
      const int64_t pair = i / key_blocks;
      return KeyGradients(s, pair_of(pair), i % key_blocks * kColumns, grads[1] + pair * s.keys * s.depth,
                          grads[2] + pair * s.keys * s.value_depth, ctx.allocator());
    }));
    return outputs.Finish();
  }

 private:
  static Result<Tensor> RowProducts(OpContext& ctx, const AttentionShape& s, const C* dy, const C* y) {
    DF_ASSIGN(Tensor row_products, ctx.AllocateTemp(DTypeOf<C>, s.log_sums()));
    C* const to = row_products.data<C>();
    ctx.pool().ParallelFor(row_products.num_elements(), kRows, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        C sum = 0;
        for (int64_t d = i * s.value_depth; d < (i + 1) * s.value_depth; ++d) sum += dy[d] * y[d];
        to[i] = sum;
      }
    });
    return row_products;
  }

  static Status QueryGradients(const AttentionShape& s, const PairGradients<C>& pair, int64_t first, C* dq,
                               Allocator& allocator) {
    ScoreBlock<C> block(s, pair, allocator);
    const int64_t end = s.Visible(std::min(first + kRows, s.queries) - 1);
    for (int64_t column = 0; column < end; column += kColumns) {
      DF_TRY(block.Compute(first, column));
      DF_TRY(block.AddToQuery(dq + first * s.depth));
    }
    return Status();
  }

  static Status KeyGradients(const AttentionShape& s, const PairGradients<C>& pair, int64_t column, C* dk, C* dv,
                             Allocator& allocator) {
    ScoreBlock<C> block(s, pair, allocator);
    const int64_t start = s.causal ? column / kRows * kRows : 0;  // queries before it see none of these keys
    for (int64_t first = start; first < s.queries; first += kRows) {
      DF_TRY(block.Compute(first, column));
      DF_TRY(block.AddToKey(dk + column * s.depth));
      DF_TRY(block.AddToValue(dv + column * s.value_depth));
    }
    return Status();
  }

  const AttentionAttrs attrs_;
};

CPU_KERNEL("ScaledDotProductAttention", KernelOf<AttentionKernel>, DF_FLOATS);
CPU_KERNEL("ScaledDotProductAttentionGrad", KernelOf<AttentionGradKernel>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
