// A rank's part of an executable, and the steps of it that are in flight here.
#ifndef DFRUN_SRC_SESSION_LOCAL_EXECUTABLE_H_
#define DFRUN_SRC_SESSION_LOCAL_EXECUTABLE_H_

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/plan/plan.h"
#include "src/framework/communication/communicator.h"
#include "src/graph/graph.h"
#include "src/session/part_list.h"

namespace dfrun {

class StepRun;

// Thread safety: members that are not guarded are set before the first step.
struct LocalExecutable {
  LocalExecutable() = default;
  LocalExecutable(const LocalExecutable&) = delete;
  LocalExecutable& operator=(const LocalExecutable&) = delete;
  ~LocalExecutable() {
    if (list != nullptr) list->Remove(*this);
  }

  std::vector<std::unique_ptr<ExecPlan>> plans;  // one a device; the one that feeds and fetches first
  Communicator* communicator = nullptr;          // null on one rank with one plan: nothing is exchanged
  std::vector<ChannelEndpoint> ends;             // channels to other ranks
  PartList* list = nullptr;                      // the list that holds it, once it is whole
  bool overlaps = false;                         // several steps of it may run at once (step_overlap.h)
  // The graphs of the plans by device, where it was asked to keep them: for captures of nodes (node_capture.h).
  std::vector<std::pair<std::string, Graph>> graphs;

  // A slot serves one step at a time.
  struct Slot {
    std::unique_ptr<StepRendezvous> rendezvous;
    int64_t round = 0;  // round of its last step of scope kStep; 0: none
  };
  // The slot of this number, made on its first use.
  Slot& slot(int32_t number) EXCLUDES(mu);

  std::atomic<int> ending{0};  // steps that went well here, and whose end elsewhere is not over here
  Mutex mu;
  std::deque<Slot> slots GUARDED_BY(mu);
  // The runs, in the order of the requests. Where steps do not overlap the first is running.
  std::deque<std::shared_ptr<StepRun>> line GUARDED_BY(mu);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_LOCAL_EXECUTABLE_H_
