#include "src/plan/place_step.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/plan/placed_step.h"
#include "src/plan/search_random.h"

namespace dfrun {
namespace {

constexpr int kNobody = -1;

bool IsBetter(const StepPlacement& a, const StepPlacement& b) {
  return std::pair(a.excess_bytes, a.seconds) < std::pair(b.excess_bytes, b.seconds);
}

// Local search from one start.
class StepSearch {
 public:
  StepSearch(const PlacedGraph& step, const StepPlacement& start, const PlaceStepOptions& options)
      : step_(step), placed_(step.graph, start.device_of), random_(options.seed), options_(options), best_(start) {
    for (const int task : placed_.Describe().path) NotePath(task);
  }

  StepPlacement Run() {
    energy_ = EnergyOf({placed_.seconds(), placed_.excess_bytes()});
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t tried = 0; tried < options_.moves || options_.seconds > 0; ++tried) {
      if (options_.seconds > 0) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        if (passed.count() >= options_.seconds) break;
        heat_ = kFirstHeat * (1 - passed.count() / options_.seconds);
      }
      TryOne();
    }
    return best_;
  }

 private:
  static constexpr double kFirstHeat = 0.02;  // a share of the time of a step
  static constexpr int kPathEvery = 16;       // the path is found anew after so many changes

  // Time that memory which is not there is taken for: any fitting placement is better.
  double EnergyOf(const PlacedStep::Tried& tried) const {
    return tried.excess_bytes > 0 ? best_start_s_ * 1e3 + tried.excess_bytes : tried.seconds;
  }

  const std::vector<int>& DevicesOf(int g) const {
    return step_.device_sets[static_cast<size_t>(step_.groups[static_cast<size_t>(g)].device_set)];
  }
  int DeviceOf(int g) const {
    return placed_.device_of()[static_cast<size_t>(step_.groups[static_cast<size_t>(g)].tasks[0])];
  }

  void NotePath(int task) {
    const int g = step_.group_of[static_cast<size_t>(task)];
    if (g != kNobody && (on_path_.empty() || on_path_.back() != g)) on_path_.push_back(g);
  }

  // Half of the changes begin at the chain of tasks that the step waits for.
  int SomeGroup() {
    const bool on_path = !on_path_.empty() && random_.Below(2) == 0;
    return on_path ? on_path_[static_cast<size_t>(random_.Below(static_cast<int>(on_path_.size())))]
                   : random_.Below(static_cast<int>(step_.groups.size()));
  }

  // A group that gives a task of `g` a value, or takes one; kNobody where the one that is looked at has none.
  int SomeNeighbour(int g) {
    const std::vector<int>& tasks = step_.groups[static_cast<size_t>(g)].tasks;
    const int task = tasks[static_cast<size_t>(random_.Below(static_cast<int>(tasks.size())))];
    const StepGraph& graph = step_.graph;
    const auto inputs = graph.InputsOf(task);
    const int first = graph.first_output[static_cast<size_t>(task)];
    const int outputs = graph.first_output[static_cast<size_t>(task) + 1] - first;
    if (inputs.empty() && outputs == 0) return kNobody;
    const int pick = random_.Below(static_cast<int>(inputs.size()) + outputs);
    int other = kNobody;
    if (pick < static_cast<int>(inputs.size())) {
      other = graph.outputs[static_cast<size_t>(inputs[static_cast<size_t>(pick)])].task;
    } else {
      const auto readers = graph.ReadersOf(first + pick - static_cast<int>(inputs.size()));
      other = readers[static_cast<size_t>(random_.Below(static_cast<int>(readers.size())))];
    }
    const int of = step_.group_of[static_cast<size_t>(other)];
    return of == g ? kNobody : of;
  }

  void Move(int g, int device) {
    for (const int task : step_.groups[static_cast<size_t>(g)].tasks) {
      tasks_.push_back(task);
      devices_.push_back(device);
    }
  }
  bool MayBeOn(int g, int device) const {
    const std::vector<int>& devices = DevicesOf(g);
    return std::binary_search(devices.begin(), devices.end(), device);
  }

  // Makes a change: a group goes to a device or to a neighbour's, takes its neighbour along, or changes places with
  // another.
  void Propose() {
    tasks_.clear();
    devices_.clear();
    const int g = SomeGroup();
    const std::vector<int>& devices = DevicesOf(g);
    const int somewhere = devices[static_cast<size_t>(random_.Below(static_cast<int>(devices.size())))];
    const int neighbour = SomeNeighbour(g);
    switch (random_.Below(4)) {
      case 0:
        if (somewhere != DeviceOf(g)) Move(g, somewhere);
        break;
      case 1:
        if (neighbour != kNobody && DeviceOf(neighbour) != DeviceOf(g) && MayBeOn(g, DeviceOf(neighbour)))
          Move(g, DeviceOf(neighbour));
        break;
      case 2:
        if (neighbour == kNobody || somewhere == DeviceOf(g) || !MayBeOn(neighbour, somewhere)) break;
        Move(g, somewhere);
        Move(neighbour, somewhere);
        break;
      default: {
        const int other = SomeGroup();
        if (DeviceOf(other) == DeviceOf(g) || !MayBeOn(g, DeviceOf(other)) || !MayBeOn(other, DeviceOf(g))) break;
        const int there = DeviceOf(other);
        Move(other, DeviceOf(g));
        Move(g, there);
      }
    }
  }

  void TryOne() {
    Propose();
    if (tasks_.empty()) return;
    const double allowed = energy_ - heat_ * best_.seconds * std::log(std::max(random_.Fraction(), 1e-12));
    const bool may_give_up = best_.excess_bytes == 0 && placed_.excess_bytes() == 0;
    const PlacedStep::Tried tried = placed_.Try(tasks_, devices_, may_give_up ? allowed : StepGraph::kNever);
    const double energy = EnergyOf(tried);
    if (energy > allowed || tried.seconds == StepGraph::kNever) {
      placed_.Reject();
      return;
    }
    placed_.Accept();
    energy_ = energy;
    const StepPlacement here = {{}, tried.seconds, tried.excess_bytes, {}};
    if (IsBetter(here, best_)) {
      best_.device_of = placed_.device_of();
      best_.seconds = tried.seconds;
      best_.excess_bytes = tried.excess_bytes;
    }
    if (++accepted_ % kPathEvery != 0) return;
    on_path_.clear();
    for (const int task : placed_.Describe().path) NotePath(task);
  }

  const PlacedGraph& step_;
  PlacedStep placed_;
  SearchRandom random_;
  const PlaceStepOptions& options_;
  StepPlacement best_;
  const double best_start_s_ = best_.seconds;
  double energy_ = 0;
  double heat_ = 0;
  int64_t accepted_ = 0;
  std::vector<int> on_path_;  // groups
  std::vector<int> tasks_;    // tasks of the change
  std::vector<int> devices_;
};

}  // namespace

StepPlacement PlaceStep(const PlacedGraph& step, const PlaceStepOptions& options) {
  std::vector<StepPlacement> starts = StartPlacements(step);
  std::stable_sort(starts.begin(), starts.end(), IsBetter);
  if (step.groups.empty()) return starts[0];
  // The two best starts get half of the changes each.
  constexpr size_t kSearched = 2;
  PlaceStepOptions part = options;
  part.moves = options.moves / static_cast<int64_t>(kSearched);
  part.seconds = options.seconds / static_cast<double>(kSearched);
  StepPlacement best = starts[0];
  for (size_t s = 0; s < std::min(kSearched, starts.size()); ++s) {
    StepPlacement found = StepSearch(step, starts[s], part).Run();
    if (IsBetter(found, best)) best = std::move(found);
  }
  return best;
}

}  // namespace dfrun
