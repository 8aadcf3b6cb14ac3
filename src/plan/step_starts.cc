// The placements from which the local search begins.
#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "src/plan/place_step.h"
#include "src/plan/placed_step.h"

namespace dfrun {
namespace {

constexpr int kUnplaced = -1;

size_t Number(int i) {
  return static_cast<size_t>(i);
}

// Places group by group, in the order in which their first tasks may run.
class StartPlacer {
 public:
  explicit StartPlacer(const PlacedGraph& step)
      : step_(step), graph_(step.graph), order_(TaskOrder()), state_(step.groups.size(), 0), work_(state_) {
    for (size_t g = 0; g < step.groups.size(); ++g) {
      for (const int task : step.groups[g].tasks) {
        state_[g] += graph_.state_bytes[Number(task)];
        work_[g] += Fastest(task, step.device_sets[Number(step.groups[g].device_set)]);
      }
    }
  }

  std::vector<int> OnOneDevice() {
    Clear();
    for (size_t g = 0; g < step_.groups.size(); ++g) Put(static_cast<int>(g), FirstThatFits(static_cast<int>(g)));
    return device_of_;
  }

  // Fills one device after the other up to an equal share of the work, and goes on to the next where a scope ends.
  std::vector<int> ByScopes() {
    Clear();
    double all_s = 0;
    for (const double work_s : work_) all_s += work_s;
    double done_s = 0;
    int last_scope = kUnplaced;
    size_t share = 0;
    for (const int task : order_) {
      const int g = step_.group_of[Number(task)];
      if (g == kUnplaced || is_put_[Number(g)]) continue;
      const std::vector<int>& devices = DevicesOf(g);
      const double part = all_s > 0 ? done_s / all_s : 0;
      const auto due = static_cast<size_t>(part * static_cast<double>(devices.size()));
      if (graph_.scopes[Number(task)] != last_scope) share = std::max(share, due);
      last_scope = graph_.scopes[Number(task)];
      done_s += work_[Number(g)];
      const int wanted = devices[std::min(share, devices.size() - 1)];
      Put(g, Fits(g, wanted) ? wanted : FirstThatFits(g));
    }
    return device_of_;
  }

  // The greedy simulation: each group goes where its first task ends soonest.
  std::vector<int> ByEarliestFinish() {
    Clear();
    Schedule([&](int g, int task) {
      int best = kUnplaced;
      double best_s = StepGraph::kNever;
      for (const int device : Promising(g, task)) {
        const double end_s = ReadyOn(task, device) + graph_.Seconds(task, device);
        if (!Fits(g, device) || end_s >= best_s) continue;
        best = device;
        best_s = end_s;
      }
      return best == kUnplaced ? FirstThatFits(g) : best;
    });
    return device_of_;
  }

  // Each group goes where most of the bytes that its first task reads are, unless that device has its share of work.
  std::vector<int> ByLeastMessages() {
    Clear();
    double all_s = 0;
    for (const double work_s : work_) all_s += work_s;
    Schedule([&](int g, int task) {
      const double most_s = kRoom * all_s / static_cast<double>(DevicesOf(g).size());
      int best = kUnplaced;
      double best_bytes = -1;
      for (const int device : Promising(g, task)) {
        double bytes = 0;
        for (const int input : graph_.InputsOf(task)) {
          if (device_of_[Number(graph_.outputs[Number(input)].task)] == device)
            bytes += graph_.outputs[Number(input)].bytes;
        }
        if (!Fits(g, device) || load_s_[Number(device)] + work_[Number(g)] > most_s || bytes <= best_bytes) continue;
        best = device;
        best_bytes = bytes;
      }
      return best == kUnplaced ? FirstThatFits(g) : best;
    });
    return device_of_;
  }

 private:
  static constexpr double kRoom = 1.1;     // a device takes so many times its share of the work
  static constexpr size_t kMaxOthers = 4;  // devices that are looked at beside those of the inputs

  std::vector<int> TaskOrder() const {
    std::vector<int> waits(Number(graph_.num_tasks()));
    std::queue<int> ready;
    for (int task = 0; task < graph_.num_tasks(); ++task) {
      waits[Number(task)] = static_cast<int>(graph_.InputsOf(task).size());
      if (waits[Number(task)] == 0) ready.push(task);
    }
    std::vector<int> order;
    for (; !ready.empty(); ready.pop()) {
      order.push_back(ready.front());
      for (int o = graph_.first_output[Number(order.back())]; o < graph_.first_output[Number(order.back()) + 1]; ++o) {
        for (const int reader : graph_.ReadersOf(o)) {
          if (--waits[Number(reader)] == 0) ready.push(reader);
        }
      }
    }
    return order;
  }

  double Fastest(int task, const std::vector<int>& devices) const {
    double fastest_s = StepGraph::kNever;
    int last_type = kUnplaced;
    for (const int device : devices) {
      if (graph_.devices[Number(device)].type == std::exchange(last_type, graph_.devices[Number(device)].type))
        continue;
      fastest_s = std::min(fastest_s, graph_.Seconds(task, device));
    }
    return fastest_s;
  }

  void Clear() {
    device_of_ = step_.device_of;
    is_put_.assign(step_.groups.size(), false);
    load_s_.assign(graph_.devices.size(), 0);
    held_.assign(graph_.devices.size(), 0);
    end_s_.assign(Number(graph_.num_tasks()), 0);
    free_s_.assign(graph_.devices.size(), 0);
    by_load_.clear();
    for (size_t d = 0; d < graph_.devices.size(); ++d) by_load_.emplace(0.0, static_cast<int>(d));
    for (int task = 0; task < graph_.num_tasks(); ++task) {
      if (step_.group_of[Number(task)] == kUnplaced)
        held_[Number(device_of_[Number(task)])] += graph_.state_bytes[Number(task)];
    }
  }

  const std::vector<int>& DevicesOf(int g) const {
    return step_.device_sets[Number(step_.groups[Number(g)].device_set)];
  }

  // Whether the device has room for the group's state.
  bool Fits(int g, int device) const {
    const auto limit = static_cast<double>(graph_.devices[Number(device)].memory_bytes);
    return limit == 0 || held_[Number(device)] + state_[Number(g)] <= limit;
  }

  int FirstThatFits(int g) const {
    const std::vector<int>& devices = DevicesOf(g);
    const auto fitting = std::find_if(devices.begin(), devices.end(), [&](int device) { return Fits(g, device); });
    return fitting == devices.end() ? devices[0] : *fitting;
  }

  void Put(int g, int device) {
    is_put_[Number(g)] = true;
    for (const int task : step_.groups[Number(g)].tasks) device_of_[Number(task)] = device;
    held_[Number(device)] += state_[Number(g)];
    by_load_.erase({load_s_[Number(device)], device});
    load_s_[Number(device)] += work_[Number(g)];
    by_load_.emplace(load_s_[Number(device)], device);
  }

  // The devices of the inputs, and those with the least work so far.
  std::vector<int> Promising(int g, int task) const {
    const std::vector<int>& devices = DevicesOf(g);
    std::vector<int> some;
    const auto add = [&](int device) {
      const bool may = std::binary_search(devices.begin(), devices.end(), device);
      if (may && std::find(some.begin(), some.end(), device) == some.end()) some.push_back(device);
    };
    for (const int input : graph_.InputsOf(task)) add(device_of_[Number(graph_.outputs[Number(input)].task)]);
    size_t looked = 0;
    for (auto least = by_load_.begin(); least != by_load_.end() && looked < kMaxOthers; ++least, ++looked)
      add(least->second);
    return some;
  }

  // When the device could begin the task.
  double ReadyOn(int task, int device) const {
    double ready_s = free_s_[Number(device)];
    for (const int input : graph_.InputsOf(task)) {
      const StepOutput& of = graph_.outputs[Number(input)];
      const int from = device_of_[Number(of.task)];
      double there_s = end_s_[Number(of.task)];
      if (from != device && !of.is_local) {
        const PairSpeed& speed = graph_.SpeedOf(graph_.PairOf(from, device));
        there_s += graph_.send_s + graph_.receive_s + speed.latency_s + of.bytes / speed.bytes_per_s;
      }
      ready_s = std::max(ready_s, there_s);
    }
    return ready_s;
  }

  // Runs the tasks in their order; `choose` gives a group its device when the first of its tasks comes.
  void Schedule(const std::function<int(int group, int task)>& choose) {
    for (const int task : order_) {
      const int g = step_.group_of[Number(task)];
      if (g != kUnplaced && !is_put_[Number(g)]) Put(g, choose(g, task));
      const int device = device_of_[Number(task)];
      end_s_[Number(task)] = ReadyOn(task, device) + graph_.Seconds(task, device);
      free_s_[Number(device)] = end_s_[Number(task)];
    }
  }

  const PlacedGraph& step_;
  const StepGraph& graph_;
  const std::vector<int> order_;
  std::vector<double> state_;  // by group: bytes
  std::vector<double> work_;   // by group: seconds
  std::vector<int> device_of_;
  std::vector<bool> is_put_;
  std::vector<double> load_s_;
  std::vector<double> held_;
  std::vector<double> end_s_;
  std::vector<double> free_s_;
  std::set<std::pair<double, int>> by_load_;
};

}  // namespace

std::vector<StepPlacement> StartPlacements(const PlacedGraph& step) {
  std::vector<StepPlacement> starts = {{step.device_of, 0, 0, "rules"}};
  if (!step.groups.empty()) {
    StartPlacer placer(step);
    starts.push_back({placer.OnOneDevice(), 0, 0, "one device"});
    starts.push_back({placer.ByScopes(), 0, 0, "scopes"});
    starts.push_back({placer.ByEarliestFinish(), 0, 0, "earliest finish"});
    starts.push_back({placer.ByLeastMessages(), 0, 0, "least messages"});
  }
  for (StepPlacement& start : starts) {
    const PlacedStep placed(step.graph, start.device_of);
    start.seconds = placed.seconds();
    start.excess_bytes = placed.excess_bytes();
  }
  return starts;
}

}  // namespace dfrun
