// Distributions over classes [0, range) from which candidates are drawn.
//
// A distribution has
//     explicit D(int64_t range);
//     int64_t Draw(CandidateNumbers& numbers) const;
//     float Probability(int64_t value) const;
// Source: TensorFlow's range_sampler, simple_philox and exact_uniform_int; the same numbers.
#ifndef DFRUN_KERNELS_RANDOM_CANDIDATES_H_
#define DFRUN_KERNELS_RANDOM_CANDIDATES_H_

#include <cmath>
#include <cstdint>

#include "kernels/random/distributions.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The numbers that candidates are made of.
class CandidateNumbers {
 public:
  explicit CandidateNumbers(const Philox& generator) : numbers_(generator) {}

  double Unit() {
    const uint32_t high = numbers_.Next();
    return dist::UnitDouble(high, numbers_.Next());
  }
  // A number in [0, n) without bias; n is at least 1.
  uint64_t Below(uint64_t n) {
    return Unbiased<uint64_t>(n, [&] {
      const uint64_t low = numbers_.Next();
      return low | uint64_t{numbers_.Next()} << 32;
    });
  }
  uint32_t Below32(uint32_t n) {
    return Unbiased<uint32_t>(n, [&] { return numbers_.Next(); });
  }

 private:
  // Numbers below the remainder of 2^bits by n are drawn again: they would favour small results.
  template <class U, class Draw>
  static U Unbiased(U n, const Draw& draw) {
    if ((n & (n - 1)) == 0) return draw() & (n - 1);
    const U remainder = static_cast<U>(~U{0} % n + 1);
    U drawn = draw();
    while (drawn < remainder) drawn = draw();
    return drawn % n;
  }

  PhiloxNumbers numbers_;
};

class UniformCandidates {
 public:
  explicit UniformCandidates(int64_t range)
      : range_(static_cast<uint64_t>(range)), probability_(static_cast<float>(1.0 / static_cast<double>(range))) {}
  int64_t Draw(CandidateNumbers& numbers) const { return static_cast<int64_t>(numbers.Below(range_)); }
  float Probability(int64_t) const { return probability_; }

 private:
  uint64_t range_;
  float probability_;
};

// P(value) = log((value + 2) / (value + 1)) / log(range + 1): of classes in the order of their frequency.
class LogUniformCandidates {
 public:
  explicit LogUniformCandidates(int64_t range) : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t Draw(CandidateNumbers& numbers) const {
    // Rounding may lead beyond the range.
    return (static_cast<int64_t>(std::exp(numbers.Unit() * log_range_)) - 1) % range_;
  }
  float Probability(int64_t value) const {
    const auto v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_range_);
  }

 private:
  int64_t range_;
  double log_range_;
};

// Draws in proportion to the number of times that a class was seen, plus one.
// Thread safety: const methods from any thread while none adds.
class UnigramCandidates {
 public:
  // The total weight stays below this.
  static constexpr int64_t kMaxWeight = INT32_MAX;

  // `range` is at most kMaxWeight. ResourceExhausted if there is no memory for it.
  static Result<UnigramCandidates> Create(Allocator& allocator, int64_t range);
  // The distribution with these weights, an int32 vector, each at least 1, of a total of at most kMaxWeight; else
  // DataLoss.
  static Result<UnigramCandidates> FromWeights(Allocator& allocator, const Tensor& weights);
  const Tensor& weights() const { return weights_; }
  int64_t Draw(CandidateNumbers& numbers) const { return ClassAt(numbers.Below32(static_cast<uint32_t>(total_))); }
  float Probability(int64_t value) const {
    return static_cast<float>(weights_.data<int32_t>()[value]) / static_cast<float>(total_);
  }
  // Notes that `value` was seen; not where the total weight has reached its most.
  void Add(int64_t value);

 private:
  UnigramCandidates(Tensor weights, Tensor sums);
  void SumWeights();
  // The class at this offset in the classes laid end to end, each as long as its weight.
  int64_t ClassAt(int64_t offset) const;
  int64_t range() const { return weights_.num_elements(); }

  Tensor weights_;
  Tensor sums_;  // a binary indexed tree: element i is the sum of the (i & -i) classes up to the i-th
  int64_t total_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_RANDOM_CANDIDATES_H_
