#include "src/runs/curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "src/runs/metrics_file.h"

namespace dfrun {
namespace {

// The positions of the points of a stretch that are kept.
class Stretch {
 public:
  void Take(const Curve& curve, size_t at) {
    const double value = curve[at].value;
    if (!std::isfinite(value)) {
      kept_gap_ = at;
      has_gap_ = true;
      return;
    }
    if (!has_value_ || value < curve[least_].value) least_ = at;
    if (!has_value_ || value > curve[most_].value) most_ = at;
    has_value_ = true;
  }

  void AddTo(std::set<size_t>& kept) const {
    if (has_gap_) kept.insert(kept_gap_);
    if (has_value_) kept.insert({least_, most_});
  }

 private:
  bool has_gap_ = false;
  bool has_value_ = false;
  size_t kept_gap_ = 0;
  size_t least_ = 0;
  size_t most_ = 0;
};

}  // namespace

Result<std::map<std::string, Curve>> ReadCurves(const std::string& run) {
  DF_ASSIGN(MetricsReader reader, MetricsReader::Open(run + "/metrics.jsonl"));
  std::map<std::string, Curve> curves;
  MetricsLine line;
  while (true) {
    DF_ASSIGN(const bool is_line, reader.Next(&line));
    if (!is_line) return curves;
    for (const MetricValue& metric : line.values) {
      const std::optional<double> value = NumberOf(metric.json);
      if (value) curves[std::string(metric.name)].push_back({line.step, *value});
    }
  }
}

Curve ThinOut(const Curve& curve, size_t most) {
  if (curve.size() <= most) return curve;
  const auto first = static_cast<double>(curve.front().step);
  const double length = std::max(static_cast<double>(curve.back().step) - first, 1.0);
  std::vector<Stretch> stretches(std::max<size_t>(most / 2, 1));
  for (size_t i = 0; i < curve.size(); ++i) {
    const double share = std::clamp((static_cast<double>(curve[i].step) - first) / length, 0.0, 1.0);
    const auto at = static_cast<size_t>(share * static_cast<double>(stretches.size()));
    stretches[std::min(at, stretches.size() - 1)].Take(curve, i);
  }
  std::set<size_t> kept = {0, curve.size() - 1};
  for (const Stretch& stretch : stretches) stretch.AddTo(kept);
  Curve thin;
  for (const size_t at : kept) thin.push_back(curve[at]);
  return thin;
}

}  // namespace dfrun
