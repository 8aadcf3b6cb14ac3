// Reductions of collectives on the host, by the loops of AddN, Mul, Minimum, Maximum and Div, so that the bits are
// those of a collective that is made of these ops.
#ifndef DFRUN_KERNELS_COMM_REDUCE_H_
#define DFRUN_KERNELS_COMM_REDUCE_H_

#include <algorithm>
#include <cstring>

#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/communication/collective.h"

namespace dfrun {

// Reduces block by block, so that the results stay in the cache.
template <class F, class T, bool kDivides = false>
void Reduce(const void* const* values, int count, void* out, int64_t n) {
  constexpr int64_t kBlock = 8192;
  const T divisor = static_cast<T>(static_cast<float>(count));
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t size = std::min(kBlock, n - at);
    const auto value = [&](int i) { return static_cast<const T*>(values[i]) + at; };
    T* const to = static_cast<T*>(out) + at;
    if (count == 1) std::memcpy(to, value(0), static_cast<size_t>(size) * sizeof(T));
    for (int i = 1; i < count; ++i) cpu::BinaryOf<F, T>::RunBoth(i == 1 ? value(0) : to, value(i), to, size);
    if constexpr (kDivides) cpu::BinaryOf<fn::Div, T>::RunYRepeat(to, &divisor, to, size);
  }
}

template <class T>
Reducer ReducerOf(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd:
      return {reduction, &Reduce<fn::Add, T>};
    case Reduction::kMul:
      return {reduction, &Reduce<fn::Mul, T>};
    case Reduction::kMin:
      return {reduction, &Reduce<fn::Minimum, T>};
    case Reduction::kMax:
      return {reduction, &Reduce<fn::Maximum, T>};
    case Reduction::kMean:
      break;
  }
  return {reduction, &Reduce<fn::Add, T, /*kDivides=*/true>};
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_COMM_REDUCE_H_
