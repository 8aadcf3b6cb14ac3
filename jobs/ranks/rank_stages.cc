#include "jobs/ranks/rank_stages.h"

#include "src/base/status.h"

namespace dfrun::jobs {
namespace {

using comm::StageWatch;

}  // namespace

RankStages::RankStages(int64_t timeout_s) {
  StageWatch& watch = StageWatch::OfProcess();
  watch.SetTimeout(StageWatch::Seconds(static_cast<double>(timeout_s)));
  watch.Enter(comm::Stage{.what = "every rank to start"});
}

// Waits for the other ranks of this host. If the wait times out, this process ends with an error: a launcher waits for
// a stopped rank unless another rank does so.
RankStages::~RankStages() {
  StageWatch& watch = StageWatch::OfProcess();
  if (exit_code_) {
    const int code = *exit_code_ == 0 ? ExitCode(Code::kUnavailable) : *exit_code_;
    watch.Enter(comm::Stage{.what = "the other ranks of this host to end", .is_end = true, .exit_code = code});
    watch.AwaitRanksOfHost();
  }
  watch.Enter(std::nullopt);
}

void RankStages::Started() {
  StageWatch::OfProcess().Enter(std::nullopt);
}

void RankStages::Ending(int exit_code, comm::Bootstrap& bootstrap) {
  if (bootstrap.size() == 1) return;
  exit_code_ = exit_code;
  StageWatch::OfProcess().Enter(comm::Stage{.what = "MPI_Finalize, to which every rank must come",
                                            .is_end = true,
                                            .exit_code = exit_code,
                                            .abort_all = [&bootstrap](int code) { bootstrap.Abort(code); }});
}

}  // namespace dfrun::jobs
