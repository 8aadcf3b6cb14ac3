// AttentionPlan: the plan by which cuDNN computes attention.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_ATTENTION_PLAN_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_ATTENTION_PLAN_H_

#include <memory>

#include "kernels/device/cuda/library/graph_plan.h"

namespace dfrun::cuda {

// Attention over dense tensors [batch, heads, time, depth] of float16 or bfloat16, computed in float32.
struct AttentionTask {
  bool is_gradient = false;
  int64_t batch = 0;
  int64_t heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t depth = 0;
  int64_t value_depth = 0;
  bool causal = false;  // a query sees the keys up to its own number
  DType dtype = DType::kBfloat16;
  Arithmetic arithmetic = {};
  bool operator==(const AttentionTask&) const = default;
};

struct AttentionPlan {
  // Names of the tensors within a plan. Those of one number are read from the host's memory.
  static constexpr int64_t kQueryId = 1;
  static constexpr int64_t kKeyId = 2;
  static constexpr int64_t kValueId = 3;
  static constexpr int64_t kOutputId = 4;
  static constexpr int64_t kLogSumsId = 5;  // float32 [batch, heads, queries]
  static constexpr int64_t kScaleId = 6;    // float32, one number
  static constexpr int64_t kUnseenId =
      7;  // float32, one number, of a causal task: the score of keys that are not seen, -infinity
  // Tensors that only the plan of a gradient has.
  static constexpr int64_t kGradientsId = 8;
  static constexpr int64_t kAlongId = 9;  // float32 [batch, heads, queries], memory of the plan's
  static constexpr int64_t kOneId = 10;   // float32, one number: 1
  static constexpr int64_t kQueryGradId = 11;
  static constexpr int64_t kKeyGradId = 12;
  static constexpr int64_t kValueGradId = 13;

  // Unimplemented where the library has no such way.
  static Result<std::unique_ptr<const CudnnPlan>> Create(const CudnnTarget& target, const AttentionTask& task);
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_ATTENTION_PLAN_H_
