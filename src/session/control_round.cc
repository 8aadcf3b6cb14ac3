#include "src/session/control_round.h"

#include <utility>

#include "src/executor/step/worker_pool.h"
#include "src/session/control/control_plane.h"

namespace dfrun {

ControlRound::ControlRound(Runtime& runtime)
    : pool_(runtime.pool()), control_(*runtime.control()), number_(control_.NewRound({&ControlRound::End, this})) {}

Status ControlRound::Finish(const RankStatus& own) {
  control_.Done(number_, own);
  pool_.HelpUntil([&] { return ended() || !control_.network_status().ok(); });
  if (!ended() && control_.ForgetRound(number_)) return control_.network_status();
  pool_.HelpUntil([&] { return ended(); });
  return status_;
}

void ControlRound::End(void* arg, Status status) {
  auto* round = static_cast<ControlRound*>(arg);
  WorkerPool& pool = round->pool_;  // Finish() may return as soon as it sees the end
  round->status_ = std::move(status);
  round->ended_.store(true, std::memory_order_release);
  pool.Notify();
}

}  // namespace dfrun
