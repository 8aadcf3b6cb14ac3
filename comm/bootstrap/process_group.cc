#include "comm/bootstrap/process_group.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "comm/bootstrap/build_id.h"
#include "comm/bootstrap/cpu_isa.h"
#include "comm/bootstrap/rank_communicator.h"
#include "comm/bootstrap/stage_watch.h"
#include "comm/bootstrap/transport_registry.h"
#include "src/base/host/host_name.h"

namespace dfrun::comm {
namespace {

RankInfo ThisRank(std::vector<RankFact> facts) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {HostName(), BuildId(), CpuIsaLevel(), int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec, std::move(facts)};
}

}  // namespace

Result<std::unique_ptr<ProcessGroup>> ProcessGroup::Join(const BootstrapOptions& options, std::vector<RankFact> facts) {
  DF_ASSIGN(std::unique_ptr<Bootstrap> bootstrap, StartBootstrap(options));
  std::unique_ptr<ProcessGroup> group(new ProcessGroup(std::move(bootstrap)));
  DF_TRY(group->Exchange(std::move(facts)));
  return group;
}

Status ProcessGroup::Exchange(std::vector<RankFact> facts) {
  const StartStage stage("every rank to say what it runs on");
  DF_TRY(bootstrap_->Barrier());  // the ranks read their clocks at about the same time
  const RankInfo own = ThisRank(std::move(facts));
  DF_ASSIGN(const std::vector<std::string> all, bootstrap_->AllGather(own.Serialize()));
  for (size_t r = 0; r < all.size(); ++r) {
    DF_ASSIGN(RankInfo info, ParseRankInfo(all[r], r));
    ranks_.push_back(std::move(info));
  }
  DF_TRY(CheckBuilds(ranks_));
  const auto lowest = std::min_element(ranks_.begin(), ranks_.end(), [](const RankInfo& a, const RankInfo& b) {
    return a.cpu_isa_level < b.cpu_isa_level;
  });
  if (lowest->cpu_isa_level < own.cpu_isa_level) HoldOneDnnTo(lowest->cpu_isa_level);
  return Status();
}

int ProcessGroup::ranks_on_host() const {
  return static_cast<int>(std::count_if(ranks_.begin(), ranks_.end(),
                                        [&](const RankInfo& info) { return info.host == ranks_[rank()].host; }));
}

Result<std::unique_ptr<Communicator>> ProcessGroup::Connect(const std::string& transport) {
  const StartStage stage("every rank to connect its transport");
  DF_ASSIGN(const std::string chosen, ChooseTransport(*bootstrap_, transport));
  DF_ASSIGN(auto transports, Transports().Find(chosen)->connect(*bootstrap_, 2));
  return std::unique_ptr<Communicator>(
      std::make_unique<RankCommunicator>(std::move(transports[0]), std::move(transports[1])));
}

void ProcessGroup::Abort(int exit_code) {
  bootstrap_->Abort(exit_code);
  std::_Exit(exit_code);  // not reached; the compiler does not know that the virtual call does not return
}

}  // namespace dfrun::comm
