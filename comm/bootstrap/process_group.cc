#include "comm/bootstrap/process_group.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "comm/bootstrap/build_id.h"
#include "comm/bootstrap/cpu_isa.h"
#include "comm/bootstrap/rank_communicator.h"
#include "comm/bootstrap/transport_registry.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

RankInfo ThisRank() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return {host, BuildId(), CpuIsaLevel()};
}

// The text that is exchanged, one line for each member.
std::string Serialize(const RankInfo& info) {
  return StrCat(info.host, "\n", info.build, "\n", info.cpu_isa_level);
}

Result<RankInfo> ParseRankInfo(const std::string& text, size_t rank) {
  const size_t host_end = text.find('\n');
  const size_t build_end = text.rfind('\n');
  if (host_end == std::string::npos || build_end == host_end) {
    return FailedPrecondition("rank ", rank,
                              " runs another version of dfrun than this rank: start the same program everywhere");
  }
  RankInfo info{text.substr(0, host_end), text.substr(host_end + 1, build_end - host_end - 1), 0};
  info.cpu_isa_level = ParseAs<int>(text.substr(build_end + 1)).value_or(0);
  return info;
}

Status CheckBuilds(const std::vector<RankInfo>& ranks) {
  for (size_t r = 1; r < ranks.size(); ++r) {
    if (ranks[r].build == ranks[0].build) continue;
    return FailedPrecondition("rank ", r, " on ", ranks[r].host, " runs another build of dfrun (", ranks[r].build,
                              ") than rank 0 on ", ranks[0].host, " (", ranks[0].build,
                              "); start the same program everywhere");
  }
  return Status();
}

}  // namespace

Result<std::unique_ptr<ProcessGroup>> ProcessGroup::Join(const BootstrapOptions& options) {
  DF_ASSIGN(std::unique_ptr<Bootstrap> bootstrap, StartBootstrap(options));
  std::unique_ptr<ProcessGroup> group(new ProcessGroup(std::move(bootstrap)));
  DF_TRY(group->Exchange());
  return group;
}

Status ProcessGroup::Exchange() {
  const RankInfo own = ThisRank();
  DF_ASSIGN(const std::vector<std::string> all, bootstrap_->AllGather(Serialize(own)));
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
  DF_ASSIGN(const std::string chosen, ChooseTransport(*bootstrap_, transport));
  DF_ASSIGN(auto transports, Transports().Find(chosen)->connect(*bootstrap_, 2));
  return std::unique_ptr<Communicator>(
      std::make_unique<RankCommunicator>(std::move(transports[0]), std::move(transports[1])));
}

void ProcessGroup::Abort(int exit_code) {
  bootstrap_->Abort(exit_code);
  std::_Exit(exit_code);  // not reached, but a compiler does not know that of a virtual call
}

}  // namespace dfrun::comm
