#include "src/plan/local_search.h"

#include <algorithm>
#include <cmath>

#include "src/plan/device_loads.h"
#include "src/plan/move_log.h"
#include "src/plan/search_energy.h"
#include "src/plan/search_random.h"

namespace dfrun {
namespace {

constexpr int64_t kMovesBetweenResets = 8192;
constexpr int kMaxCluster = 24;

class LocalSearch {
 public:
  LocalSearch(const PlacementProblem& problem, PlacementObjective objective, const GroupGraph& graph,
              const Placement& start, const LocalSearchOptions& options)
      : problem_(problem),
        graph_(graph),
        options_(options),
        loads_(problem, start, problem.num_devices(objective)),
        log_(loads_),
        meter_(objective),
        random_(options.seed),
        in_cluster_(problem.num_groups()),
        energy_(meter_.Energy(loads_)),
        best_(start),
        best_cost_(meter_.Cost(loads_)) {}

  Placement Run() {
    if (loads_.num_devices() < 2 || problem_.num_groups() == 0) return best_;
    const int64_t annealed = options_.moves * 9 / 10;
    const double first = options_.first_temperature * best_cost_;
    const double last = options_.last_temperature * best_cost_;
    for (int64_t i = 0; i < annealed; ++i) {
      if (i % kMovesBetweenResets == 0) Reset(loads_.placement());
      Try(first * std::pow(last / first, static_cast<double>(i) / static_cast<double>(annealed)));
    }
    Reset(best_);
    for (int64_t i = annealed; i < options_.moves; ++i) Try(0);
    return best_;
  }

 private:
  void Reset(const Placement& placement) {
    loads_.Reset(Placement(placement));
    energy_ = meter_.Energy(loads_);
  }

  // Makes a random move, and keeps it by Metropolis' rule.
  void Try(double temperature) {
    Propose();
    if (log_.empty()) return;
    if (!log_.Fits()) return log_.Undo();
    const double energy = meter_.Energy(loads_);
    const double rise = energy - energy_;
    if (!(rise <= 0 || (temperature > 0 && random_.Fraction() < std::exp(-rise / temperature)))) return log_.Undo();
    log_.Keep();
    energy_ = energy;
    if (energy >= best_cost_ * 2) return;
    const double cost = meter_.Cost(loads_);
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_ = loads_.placement();
  }

  void Propose() {
    const int kind = random_.Below(100);
    const int group = random_.Below(problem_.num_groups());
    if (kind < 50) {
      log_.Move(group, NeighbourDevice(group));
    } else if (kind < 65) {
      log_.Move(group, random_.Below(loads_.num_devices()));
    } else if (kind < 85) {
      Swap(group);
    } else {
      MoveCluster(group);
    }
  }

  // Returns the device of a random neighbour.
  int NeighbourDevice(int group) {
    const std::vector<int>& neighbours = graph_.neighbours(group);
    if (neighbours.empty()) return random_.Below(loads_.num_devices());
    return loads_.device(neighbours[random_.Below(static_cast<int>(neighbours.size()))]);
  }

  void Swap(int group) {
    const int other = random_.Below(problem_.num_groups());
    const int from = loads_.device(group);
    log_.Move(group, loads_.device(other));
    log_.Move(other, from);
  }

  // Moves the group with connected ones of its device to the device of a neighbour, or to any.
  void MoveCluster(int group) {
    const int from = loads_.device(group);
    const int size = 2 + random_.Below(kMaxCluster - 1);
    cluster_.assign(1, group);
    in_cluster_[group] = true;
    for (size_t at = 0; at < cluster_.size() && cluster_.size() < static_cast<size_t>(size); ++at) {
      for (const int next : graph_.neighbours(cluster_[at])) {
        if (in_cluster_[next] || loads_.device(next) != from || cluster_.size() >= static_cast<size_t>(size)) continue;
        in_cluster_[next] = true;
        cluster_.push_back(next);
      }
    }
    const int edge = cluster_[random_.Below(static_cast<int>(cluster_.size()))];
    const int to = random_.Below(4) == 0 ? random_.Below(loads_.num_devices()) : NeighbourDevice(edge);
    for (const int member : cluster_) {
      log_.Move(member, to);
      in_cluster_[member] = false;
    }
  }

  const PlacementProblem& problem_;
  const GroupGraph& graph_;
  const LocalSearchOptions& options_;
  DeviceLoads loads_;
  MoveLog log_;
  SearchEnergy meter_;
  SearchRandom random_;
  std::vector<int> cluster_;
  std::vector<bool> in_cluster_;
  double energy_;
  Placement best_;
  double best_cost_;
};

}  // namespace

Placement ImprovePlacement(const PlacementProblem& problem, PlacementObjective objective, const GroupGraph& graph,
                           const Placement& start, const LocalSearchOptions& options) {
  return LocalSearch(problem, objective, graph, start, options).Run();
}

}  // namespace dfrun
