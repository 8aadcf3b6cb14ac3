// Attention of the emulated GPU's library: plain sums of float64, enqueued as the library enqueues its plans. It
// stands for kernels/device/cuda/library/attention_plan.cc, kernels/device/cuda/library_call/library_attention.cc.
#include "kernels/device/cuda/library_call/library_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/device/cuda/runtime/cuda_kernel.h"
#include "src/framework/values/element_types.h"
#include "tests/gpu/emulated_memory.h"
#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda {
namespace {

// One pair of a batch and a head.
template <class T>
class PairSums {
 public:
  PairSums(const AttentionTask& task, const AttentionData& data, int64_t pair)
      : t_(task), data_(data), pair_(pair), weights_(static_cast<size_t>(task.queries * task.keys)) {}

  void Forward() {
    T* const output = At<T>(data_.output, t_.queries * t_.value_depth);
    float* const log_sums = At<float>(data_.log_sums, t_.queries);
    for (int64_t i = 0; i < t_.queries; ++i) {
      double largest = -INFINITY;
      for (int64_t j = 0; j < Visible(i); ++j) largest = std::max(largest, Score(i, j));
      double sum = 0;
      for (int64_t j = 0; j < Visible(i); ++j) sum += std::exp(Score(i, j) - largest);
      log_sums[i] = static_cast<float>(largest + std::log(sum));
    }
    ComputeWeights();
    for (int64_t i = 0; i < t_.queries; ++i) {
      for (int64_t d = 0; d < t_.value_depth; ++d) {
        double y = 0;
        for (int64_t j = 0; j < t_.keys; ++j) y += Weight(i, j) * Number(Value(), j * t_.value_depth + d);
        output[i * t_.value_depth + d] = static_cast<T>(y);
      }
    }
  }

  void Gradient() {
    ComputeWeights();
    std::vector<double> slopes(weights_.size());
    for (int64_t i = 0; i < t_.queries; ++i) {
      const double along = Dot(Dy() + i * t_.value_depth, Y() + i * t_.value_depth, t_.value_depth);
      for (int64_t j = 0; j < t_.keys; ++j) {
        const double dweight = Dot(Dy() + i * t_.value_depth, Value() + j * t_.value_depth, t_.value_depth);
        slopes[i * t_.keys + j] = Weight(i, j) * (dweight - along) * static_cast<double>(data_.scale);
      }
    }
    const auto slope = [&](int64_t i, int64_t j) { return slopes[i * t_.keys + j]; };
    Sum(At<T>(data_.query_grad, t_.queries * t_.depth), t_.queries, t_.keys, t_.depth, Key(), slope);
    Sum(At<T>(data_.key_grad, t_.keys * t_.depth), t_.keys, t_.queries, t_.depth, Query(),
        [&](int64_t j, int64_t i) { return slope(i, j); });
    Sum(At<T>(data_.value_grad, t_.keys * t_.value_depth), t_.keys, t_.queries, t_.value_depth, Dy(),
        [&](int64_t j, int64_t i) { return Weight(i, j); });
  }

 private:
  template <class E>
  E* At(const void* memory, int64_t elements) const {
    return static_cast<E*>(const_cast<void*>(memory)) + pair_ * elements;
  }
  const T* Query() const { return At<T>(data_.query, t_.queries * t_.depth); }
  const T* Key() const { return At<T>(data_.key, t_.keys * t_.depth); }
  const T* Value() const { return At<T>(data_.value, t_.keys * t_.value_depth); }
  const T* Y() const { return At<T>(data_.output, t_.queries * t_.value_depth); }
  const T* Dy() const { return At<T>(data_.gradients, t_.queries * t_.value_depth); }

  int64_t Visible(int64_t query) const { return t_.causal ? std::min(query + 1, t_.keys) : t_.keys; }
  static double Number(const T* from, int64_t i) { return static_cast<double>(from[i]); }
  static double Dot(const T* a, const T* b, int64_t n) {
    double sum = 0;
    for (int64_t d = 0; d < n; ++d) sum += Number(a, d) * Number(b, d);
    return sum;
  }
  double Score(int64_t i, int64_t j) const {
    return Dot(Query() + i * t_.depth, Key() + j * t_.depth, t_.depth) * static_cast<double>(data_.scale);
  }
  double Weight(int64_t i, int64_t j) const { return weights_[i * t_.keys + j]; }
  void ComputeWeights() {
    const float* const log_sums = At<float>(data_.log_sums, t_.queries);
    for (int64_t i = 0; i < t_.queries; ++i) {
      for (int64_t j = 0; j < Visible(i); ++j) {
        weights_[i * t_.keys + j] = std::exp(Score(i, j) - static_cast<double>(log_sums[i]));
      }
    }
  }
  // Rows of sums of `terms` rows of `by`, each with its factor.
  template <class Factor>
  static void Sum(T* to, int64_t rows, int64_t terms, int64_t columns, const T* by, const Factor& factor) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t d = 0; d < columns; ++d) {
        double sum = 0;
        for (int64_t i = 0; i < terms; ++i) sum += factor(r, i) * Number(by, i * columns + d);
        to[r * columns + d] = static_cast<T>(sum);
      }
    }
  }

  const AttentionTask& t_;
  const AttentionData& data_;
  const int64_t pair_;
  std::vector<double> weights_;  // 0 where a query does not see the key
};

class EmulatedAttention final : public LibraryAttention {
 public:
  explicit EmulatedAttention(const AttentionTask& task) : task_(task) {}

  Status Run(OpContext& ctx, const AttentionData& data) const override {
    AttentionData reach = data;
    for (const void** memory : {&reach.query, &reach.key, &reach.value, &reach.output, &reach.log_sums,
                                &reach.gradients, &reach.query_grad, &reach.key_grad, &reach.value_grad}) {
      *memory = emulated::Reach(*memory);
    }
    return EnqueueLibraryCall(ctx, 0, [&](cudaStream_t stream) {
      emulated::Enqueue(stream, [task = task_, reach] {
        VisitDType<bfloat16, float16>(task.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          for (int64_t pair = 0; pair < task.batch * task.heads; ++pair) {
            PairSums<T> sums(task, reach, pair);
            task.is_gradient ? sums.Gradient() : sums.Forward();
          }
        });
      });
      return Status();
    });
  }

 private:
  const AttentionTask task_;
};

}  // namespace

Result<std::shared_ptr<const LibraryAttention>> LibraryAttention::Create(const AttentionTask& task, int) {
  if (!Cudnn::Get().ok()) return Cudnn::Get().status();
  return std::shared_ptr<const LibraryAttention>(std::make_shared<const EmulatedAttention>(task));
}

}  // namespace dfrun::cuda
