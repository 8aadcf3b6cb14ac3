#include "src/plan/segment_split.h"

#include <algorithm>
#include <limits>

#include "src/plan/device_loads.h"

namespace dfrun {
namespace {

constexpr double kNoSplit = std::numeric_limits<double>::infinity();

// A dynamic program: the best cost of the first groups of the order on so many accelerators and so many cores.
class SegmentSplit {
 public:
  SegmentSplit(const PlacementProblem& problem, PlacementObjective objective, const std::vector<int>& order)
      : problem_(problem),
        sums_(objective == PlacementObjective::kLatency),
        order_(order),
        accelerators_(problem.devices().accelerators),
        cpus_(problem.num_devices(objective) - accelerators_),
        states_((accelerators_ + 1) * (cpus_ + 1)),
        best_((order.size() + 1) * states_, kNoSplit),
        segment_start_(best_.size(), 0),
        on_cpu_(best_.size(), false) {}

  std::optional<Placement> Solve() {
    for (int s = 0; s < states_; ++s) best_[s] = 0;
    for (int end = 1; end <= num_groups(); ++end) {
      EndOnCpu(end);
      EndOnAccelerator(end);
    }
    const auto last = best_.end() - states_;
    const auto best = std::min_element(last, best_.end());
    if (*best == kNoSplit) return std::nullopt;
    return Trace(static_cast<int>(best - last));
  }

 private:
  int num_groups() const { return static_cast<int>(order_.size()); }
  size_t At(int end, int state) const { return static_cast<size_t>(end) * states_ + state; }
  // A state is a number of accelerators and of cores that may be used.
  int State(int accelerators, int cpus) const { return accelerators * (cpus_ + 1) + cpus; }
  double Join(double before, double load) const { return sums_ ? before + load : std::max(before, load); }

  void Offer(int end, int state, double cost, int start, bool on_cpu) {
    const size_t at = At(end, state);
    if (cost >= best_[at]) return;
    best_[at] = cost;
    segment_start_[at] = start;
    on_cpu_[at] = on_cpu;
  }

  // Where costs add up, cores are never used up, and a segment on a CPU has one group.
  void EndOnCpu(int end) {
    if (cpus_ == 0) return;
    double load = 0;
    for (int start = end - 1; start >= 0; --start) {
      load += problem_.groups()[order_[start]].cpu_time;
      for (int a = 0; a <= accelerators_; ++a) {
        for (int c = 1; c <= cpus_; ++c) {
          const double before = best_[At(start, State(a, sums_ ? c : c - 1))];
          Offer(end, State(a, c), Join(before, load), start, true);
        }
      }
      if (sums_) return;
    }
  }

  void EndOnAccelerator(int end) {
    if (accelerators_ == 0) return;
    // Device 1 stands for everything outside of the segment.
    DeviceLoads loads(problem_, Placement(problem_.num_groups(), 1), 2);
    for (int start = end - 1; start >= 0; --start) {
      if (!problem_.groups()[order_[start]].runs_on_accelerator) return;
      loads.Move(order_[start], 0);
      if (!loads.Fits(0)) return;
      for (int a = 1; a <= accelerators_; ++a) {
        for (int c = 0; c <= cpus_; ++c) {
          Offer(end, State(a, c), Join(best_[At(start, State(a - 1, c))], loads.load(0)), start, false);
        }
      }
    }
  }

  Placement Trace(int state) const {
    Placement placement(problem_.num_groups());
    int accelerators = state / (cpus_ + 1);
    int cpus = state % (cpus_ + 1);
    for (int end = num_groups(); end > 0;) {
      const size_t at = At(end, State(accelerators, cpus));
      const bool on_cpu = on_cpu_[at];
      const int device = on_cpu ? accelerators_ + cpus - 1 : accelerators - 1;
      for (int i = segment_start_[at]; i < end; ++i) placement[order_[i]] = device;
      if (!on_cpu) --accelerators;
      if (on_cpu && !sums_) --cpus;
      end = segment_start_[at];
    }
    return placement;
  }

  const PlacementProblem& problem_;
  const bool sums_;
  const std::vector<int>& order_;
  const int accelerators_;
  const int cpus_;
  const int states_;
  std::vector<double> best_;  // by end and state
  std::vector<int> segment_start_;
  std::vector<bool> on_cpu_;
};

}  // namespace

std::optional<Placement> SplitOrder(const PlacementProblem& problem, PlacementObjective objective,
                                    const std::vector<int>& order) {
  return SegmentSplit(problem, objective, order).Solve();
}

}  // namespace dfrun
