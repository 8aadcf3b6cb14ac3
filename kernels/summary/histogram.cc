#include "kernels/summary/histogram.h"

#include <algorithm>
#include <limits>

namespace dfrun {
namespace {

// 1e-12, 1.1e-12, ... up to 1e20 and the largest number; the same below zero; and zero.
std::vector<double> MakeLimits() {
  std::vector<double> positive;
  double limit = 1.0e-12;
  while (limit < 1.0e20) {
    positive.push_back(limit);
    limit *= 1.1;
  }
  positive.push_back(std::numeric_limits<double>::max());
  std::vector<double> limits;
  for (auto it = positive.rbegin(); it != positive.rend(); ++it) limits.push_back(-*it);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

const std::vector<double>& Limits() {
  static const std::vector<double> limits = MakeLimits();
  return limits;
}

}  // namespace

Histogram::Histogram() : min_(Limits().back()), max_(Limits().front()), buckets_(Limits().size(), 0) {}

void Histogram::Add(double value) {
  const auto above = std::upper_bound(Limits().begin(), Limits().end() - 1, value);
  buckets_[static_cast<size_t>(above - Limits().begin())] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  count_ += 1;
  sum_ += value;
  sum_of_squares_ += value * value;
}

void Histogram::ToProto(proto::HistogramProto* message) const {
  message->set_min(min_);
  message->set_max(max_);
  message->set_num(count_);
  message->set_sum(sum_);
  message->set_sum_squares(sum_of_squares_);
  for (size_t i = 0; i < buckets_.size();) {
    size_t last = i;
    while (buckets_[i] <= 0 && last + 1 < buckets_.size() && buckets_[last + 1] <= 0) ++last;
    message->add_bucket_limit(Limits()[last]);
    message->add_bucket(buckets_[last]);
    i = last + 1;
  }
}

}  // namespace dfrun
