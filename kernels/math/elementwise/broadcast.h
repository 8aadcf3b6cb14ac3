// Numpy broadcasting as index arithmetic: which element of each operand an element of the output reads.
// Plain functions that a host loop and a device kernel use alike.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_BROADCAST_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_BROADCAST_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "kernels/math/functions/element.h"
#include "src/base/status.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// The output's dimensions, outermost first, without those of size 1 and with neighbours merged that every operand
// walks alike. An operand's stride is in elements, 0 where it repeats. rank >= 1.
struct BroadcastPlan {
  static constexpr int kMaxDims = 8;
  static constexpr int kMaxOperands = 3;

  int rank = 1;
  int operands = 0;
  int64_t count = 1;  // elements of the output
  int64_t dims[kMaxDims] = {1};
  int64_t strides[kMaxOperands][kMaxDims] = {};
};

// InvalidArgument if the shapes do not broadcast; Unimplemented if more than kMaxDims dimensions are left after
// merging.
Status PlanBroadcast(std::initializer_list<const Shape*> operands, BroadcastPlan& plan, Shape& output);

// The element of operand `k` that element `index` of the output reads.
DF_HOST_DEVICE inline int64_t OperandOffset(const BroadcastPlan& plan, int k, int64_t index) {
  int64_t offset = 0;
  for (int d = plan.rank - 1; d >= 0; --d) {
    offset += index % plan.dims[d] * plan.strides[k][d];
    index /= plan.dims[d];
  }
  return offset;
}

// Calls run(output offset, operand offsets, n) for the stretches of elements [begin, end) of the output over which
// every operand has its innermost stride, in order.
template <class Run>
void ForEachRun(const BroadcastPlan& plan, int64_t begin, int64_t end, Run&& run) {
  const int inner = plan.rank - 1;
  int64_t index[BroadcastPlan::kMaxDims];
  int64_t offsets[BroadcastPlan::kMaxOperands] = {};
  int64_t rest = begin;
  for (int d = inner; d >= 0; --d) {
    index[d] = rest % plan.dims[d];
    rest /= plan.dims[d];
    for (int k = 0; k < plan.operands; ++k) offsets[k] += index[d] * plan.strides[k][d];
  }
  while (begin < end) {
    const int64_t n = std::min(plan.dims[inner] - index[inner], end - begin);
    run(begin, static_cast<const int64_t*>(offsets), n);
    begin += n;
    index[inner] += n;
    for (int k = 0; k < plan.operands; ++k) offsets[k] += n * plan.strides[k][inner];
    for (int d = inner; d > 0 && index[d] == plan.dims[d]; --d) {
      index[d] = 0;
      ++index[d - 1];
      for (int k = 0; k < plan.operands; ++k) offsets[k] += plan.strides[k][d - 1] - plan.dims[d] * plan.strides[k][d];
    }
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_BROADCAST_H_
