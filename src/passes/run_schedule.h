// A schedule of a run over all of its partitions: the earliest and the latest times at which its nodes begin and end.
//
// The times follow from the costs of the nodes (src/graph/node_cost.h) and the speeds of their devices
// (src/framework/device/device_speed.h), as if there were always a thread for a node that is ready: operations research
// calls the two schedules ASAP and ALAP. A Recv begins when its Send has its value, and takes the time of the transfer.
// Source: TensorFlow white paper (2015) section 5.2.
#ifndef DFRUN_SRC_PASSES_RUN_SCHEDULE_H_
#define DFRUN_SRC_PASSES_RUN_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/graph/dependency_order.h"
#include "src/graph/graph.h"

namespace dfrun {

// The bytes of a plain value of static shape; nothing of others.
std::optional<int64_t> StaticBytes(DType dtype, const PartialShape& shape);

// The time of a value between two devices, by a network of moderate speed.
double TransferSeconds(int64_t bytes);

// An item is a node of a partition, or a barrier at which the participants of a collective wait for each other. Times
// are seconds since the step began.
// Thread safety: const methods from any thread.
class RunSchedule {
 public:
  struct Node {
    int32_t partition;  // -1: of no node
    NodeId id;
  };

  // Schedules graphs without the primitives of conditionals and loops. The graphs must not change while the schedule is
  // used. Internal where nodes wait for each other.
  static Result<RunSchedule> Create(std::span<Graph* const> partitions);

  int32_t ItemOf(int32_t partition, NodeId id) const { return first_[static_cast<size_t>(partition)] + id; }
  Node NodeOf(int32_t item) const { return nodes_[static_cast<size_t>(item)]; }
  // The Send of a Recv; -1: there is none.
  int32_t SendOf(int32_t recv) const { return sends_[static_cast<size_t>(recv)]; }
  // The items that the item waits for.
  std::span<const int32_t> Before(int32_t item) const;
  // Returns the items in an order in which each comes after those that it waits for.
  const std::vector<int32_t>& order() const { return order_; }

  // The earliest begin and end, in seconds.
  double Begin(int32_t item) const { return end_[static_cast<size_t>(item)] - seconds_[static_cast<size_t>(item)]; }
  double End(int32_t item) const { return end_[static_cast<size_t>(item)]; }
  // The latest begin with which the last item still ends in time.
  double LatestBegin(int32_t item) const {
    return latest_end_[static_cast<size_t>(item)] - seconds_[static_cast<size_t>(item)];
  }

 private:
  RunSchedule() = default;

  void AddItems(std::span<Graph* const> partitions);
  void AddDependencies(std::span<Graph* const> partitions);
  void FindSeconds(std::span<Graph* const> partitions);
  void FindTimes();

  std::vector<int32_t> first_;                   // by partition: the item of its node 0
  std::vector<Node> nodes_;                      // by item
  std::vector<int32_t> sends_;                   // by item
  std::unordered_map<int64_t, int32_t> groups_;  // items of collectives' participants, by group
  Dependencies before_;
  std::vector<int32_t> order_;
  std::vector<double> seconds_;  // by item
  std::vector<double> end_;
  std::vector<double> latest_end_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_RUN_SCHEDULE_H_
