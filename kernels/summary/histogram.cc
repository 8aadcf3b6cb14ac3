#include "kernels/summary/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/framework/values/element_types.h"

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

// Calls visit(double) with each element.
template <class Visit>
void ForEachNumber(const Tensor& values, Visit&& visit) {
  VisitDType<DF_REAL>(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const T& element : values.values<T>()) visit(static_cast<double>(element));
  });
}

size_t BucketOf(double value) {
  return static_cast<size_t>(std::upper_bound(Limits().begin(), Limits().end() - 1, value) - Limits().begin());
}

constexpr int64_t kColumns = 3;  // left edge, right edge, count

}  // namespace

Histogram::Histogram() : min_(Limits().back()), max_(Limits().front()), buckets_(Limits().size(), 0) {}

void Histogram::Add(double value) {
  buckets_[BucketOf(value)] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  count_ += 1;
  sum_ += value;
  sum_of_squares_ += value * value;
}

void Histogram::AddFinite(const Tensor& values) {
  ForEachNumber(values, [&](double value) {
    if (std::isfinite(value)) Add(value);
  });
}

void Histogram::AddBins(const Tensor& bins) {
  const auto* row = bins.data<double>();
  for (int64_t i = 0; i < bins.shape()[0]; ++i, row += kColumns) {
    buckets_[BucketOf(row[0])] += row[2];
    count_ += row[2];
    min_ = std::min(min_, row[0]);
    max_ = std::max(max_, row[1]);
  }
}

Tensor Histogram::Rows(bool with_empty) const {
  std::vector<std::array<double, kColumns>> rows;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] <= 0) continue;
    const double left = i == 0 ? Limits()[0] : Limits()[i - 1];
    if (with_empty && !rows.empty() && rows.back()[1] < left) rows.push_back({rows.back()[1], left, 0});
    rows.push_back({left, Limits()[i], buckets_[i]});
  }
  if (!rows.empty()) {
    rows.front()[0] = min_;
    rows.back()[1] = max_;
  }
  Tensor tensor(DType::kDouble, Shape({static_cast<int64_t>(rows.size()), kColumns}));
  auto* out = tensor.data<double>();
  for (const auto& row : rows) out = std::copy(row.begin(), row.end(), out);
  return tensor;
}

Tensor Histogram::ToBins() const {
  return Rows(/*with_empty=*/false);
}

Tensor Histogram::ToRows() const {
  Tensor rows = Rows(/*with_empty=*/true);
  if (rows.shape()[0] == 1 && min_ == max_) {
    rows.data<double>()[0] -= 0.5;
    rows.data<double>()[1] += 0.5;
  }
  return rows;
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

Status AddHistogram(const std::string& tag, const Tensor& values, proto::Summary& summary) {
  Histogram histogram;
  bool all_finite = true;
  ForEachNumber(values, [&](double value) {
    all_finite = all_finite && std::isfinite(value);
    if (all_finite) histogram.Add(value);
  });
  if (!all_finite) return InvalidArgument("NaN or infinity in the histogram '", tag, "'");
  proto::Summary::Value* value = summary.add_value();
  value->set_tag(tag);
  histogram.ToProto(value->mutable_histo());
  return Status();
}

}  // namespace dfrun
