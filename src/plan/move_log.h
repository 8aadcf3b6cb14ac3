// Moves of groups that are tried: they are undone together.
//
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_MOVE_LOG_H_
#define DFRUN_SRC_PLAN_MOVE_LOG_H_

#include <utility>
#include <vector>

#include "src/plan/device_loads.h"

namespace dfrun {

class MoveLog {
 public:
  // The loads must outlive the object.
  explicit MoveLog(DeviceLoads& loads) : loads_(loads) {}

  // Moves the group and keeps where it was. A move to its own device is none.
  void Move(int group, int device) {
    const int from = loads_.device(group);
    if (from == device) return;
    loads_.Move(group, device);
    moves_.emplace_back(group, from);
  }
  bool empty() const { return moves_.empty(); }
  // Returns true if each group runs where it is now and no device has more than its memory.
  bool Fits() const {
    for (const auto& [group, from] : moves_) {
      const int at = loads_.device(group);
      if (!loads_.problem().Runs(group, at) || !loads_.Fits(at)) return false;
    }
    return true;
  }
  void Keep() { moves_.clear(); }
  void Undo() {
    for (auto move = moves_.rbegin(); move != moves_.rend(); ++move) loads_.Move(move->first, move->second);
    moves_.clear();
  }

 private:
  DeviceLoads& loads_;
  std::vector<std::pair<int, int>> moves_;  // a group and its device before
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_MOVE_LOG_H_
