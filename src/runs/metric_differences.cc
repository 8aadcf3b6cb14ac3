#include "src/runs/metric_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "src/runs/metrics_file.h"

namespace dfrun {
namespace {

constexpr std::string_view kState = "state";  // the fingerprint of all variables

// The values of one step, by name.
using StepValues = std::map<std::string, std::string, std::less<>>;

// Reads the lines of a step together: those of the training and of each evaluation.
class StepReader {
 public:
  static Result<StepReader> Open(const std::string& path) {
    DF_ASSIGN(MetricsReader reader, MetricsReader::Open(path));
    StepReader steps(std::move(reader));
    DF_TRY(steps.ReadLine());
    return steps;
  }

  // Reads the next step; false at the end.
  Result<bool> Next() {
    if (!has_line_) return false;
    step_ = line_.step;
    values_.clear();
    while (has_line_ && line_.step == step_) {
      for (const MetricValue& value : line_.values) {
        if (!IsOfMachine(value.name)) values_.insert_or_assign(std::string(value.name), std::string(value.json));
      }
      DF_TRY(ReadLine());
    }
    return true;
  }

  int64_t step() const { return step_; }
  const StepValues& values() const { return values_; }
  const StepTime& time() const { return time_; }

 private:
  explicit StepReader(MetricsReader reader) : reader_(std::move(reader)) {}

  Status ReadLine() {
    const bool had_line = has_line_;
    const int64_t step = line_.step;
    const double wall_s = line_.wall_s;
    DF_ASSIGN(has_line_, reader_.Next(&line_));
    if (!had_line || !has_line_ || line_.step <= step || line_.wall_s <= wall_s) return Status();
    time_.seconds += line_.wall_s - wall_s;
    time_.steps += line_.step - step;
    return Status();
  }

  MetricsReader reader_;
  MetricsLine line_;
  bool has_line_ = false;
  int64_t step_ = 0;
  StepValues values_;
  StepTime time_;
};

// The absolute difference of two numbers whose texts differ.
double Distance(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : std::numeric_limits<double>::infinity();
}

void KeepLargest(double value, const MetricDifference& of, std::optional<LargestDifference>& largest) {
  if (!largest || value > largest->value) largest = LargestDifference{value, of};
}

// Collects the differences of steps.
class Differences {
 public:
  explicit Differences(MetricsComparison& found) : found_(found) {}

  void Take(int64_t step, const StepValues& a, const StepValues& b) {
    ++found_.steps;
    const bool is_first = found_.first.empty();
    for (const auto& [name, text] : a) {
      const auto other = b.find(name);
      if (name == kState) {
        if (other != b.end()) TakeState(step, text == other->second);
      } else if (other == b.end() || text != other->second) {
        TakeOne({step, name, text, other == b.end() ? "" : other->second}, is_first);
      }
    }
    for (const auto& [name, text] : b) {
      if (name != kState && !a.contains(name)) TakeOne({step, name, "", text}, is_first);
    }
  }

 private:
  void TakeState(int64_t step, bool is_equal) {
    ++found_.states;
    if (!is_equal && !found_.first_state) found_.first_state = step;
  }

  void TakeOne(const MetricDifference& difference, bool is_first) {
    if (is_first) found_.first.push_back(difference);
    const std::optional<double> a = NumberOf(difference.a);
    const std::optional<double> b = NumberOf(difference.b);
    if (!a || !b) return;
    const double distance = Distance(*a, *b);
    KeepLargest(distance, difference, found_.absolute);
    const double magnitude = std::max(std::abs(*a), std::abs(*b));
    KeepLargest(std::isfinite(distance) && magnitude > 0 ? distance / magnitude : distance, difference,
                found_.relative);
  }

  MetricsComparison& found_;
};

}  // namespace

Result<MetricsComparison> CompareMetrics(const std::string& a, const std::string& b) {
  DF_ASSIGN(StepReader of_a, StepReader::Open(a));
  DF_ASSIGN(StepReader of_b, StepReader::Open(b));
  MetricsComparison found;
  Differences differences(found);
  DF_ASSIGN(bool has_a, of_a.Next());
  DF_ASSIGN(bool has_b, of_b.Next());
  while (has_a || has_b) {
    const bool takes_a = has_a && (!has_b || of_a.step() <= of_b.step());
    const bool takes_b = has_b && (!has_a || of_b.step() <= of_a.step());
    if (takes_a && takes_b) {
      differences.Take(of_a.step(), of_a.values(), of_b.values());
    } else if (takes_a && !found.first_only_a) {
      found.first_only_a = of_a.step();
    } else if (takes_b && !found.first_only_b) {
      found.first_only_b = of_b.step();
    }
    if (takes_a) {
      DF_ASSIGN(has_a, of_a.Next());
    }
    if (takes_b) {
      DF_ASSIGN(has_b, of_b.Next());
    }
  }
  found.time_a = of_a.time();
  found.time_b = of_b.time();
  return found;
}

}  // namespace dfrun
