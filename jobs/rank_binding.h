// Where on its host a rank may run, and what is near it there.
#ifndef DFRUN_JOBS_RANK_BINDING_H_
#define DFRUN_JOBS_RANK_BINDING_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/launcher.h"
#include "src/base/status.h"

namespace dfrun::jobs {

struct RankBinding {
  std::string host;
  std::string processors;         // the hardware threads that it may run on, as "0-3,8"
  int cores = 0;                  // that these belong to
  int host_cores = 0;             // of the host
  std::string numa;               // the NUMA nodes of its processors: "0"
  std::vector<std::string> gpus;  // its cards, by the words of their descriptions
  std::vector<std::string> nics;  // network devices on its NUMA nodes; where the system does not say, all

  // One line of text, for AllGather().
  std::string Serialize() const;
  static Result<RankBinding> Parse(const std::string& line);
};

// Of this process. Unavailable where hwloc fails. `gpus` is left empty.
Result<RankBinding> FindBinding();

// A table with a line for each rank.
std::string BindingTable(const std::vector<RankBinding>& ranks);

// What is amiss, a text each, with what heals it under this launcher: ranks that share cores, ranks of one core where
// there are more, ranks that share a card.
std::vector<std::string> BindingWarnings(const std::vector<RankBinding>& ranks, comm::Launcher launcher);

// The numbers of "0-3,8".
std::set<int> ParseNumbers(std::string_view list);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANK_BINDING_H_
