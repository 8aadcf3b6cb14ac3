// The binding of a rank: the processors of its host that it may run on, and the devices that are near them.
#ifndef DFRUN_JOBS_RANKS_RANK_BINDING_H_
#define DFRUN_JOBS_RANKS_RANK_BINDING_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/launcher.h"
#include "src/base/status.h"

namespace dfrun::jobs {

struct RankBinding {
  std::string host;
  std::string processors;         // hardware threads that it may run on, as "0-3,8"
  int cores = 0;                  // number of cores that these belong to
  int host_cores = 0;             // number of cores of the host
  std::string numa;               // NUMA nodes of its processors: "0"
  std::vector<std::string> gpus;  // descriptions of its GPUs
  std::vector<std::string> nics;  // network devices on its NUMA nodes; all of them if the system does not tell

  // Serializes to one line of text, for AllGather().
  std::string Serialize() const;
  static Result<RankBinding> Parse(const std::string& line);
};

// Returns the binding of this process, with `gpus` left empty. Unavailable if hwloc fails.
Result<RankBinding> FindBinding();

// Returns a table with a line for each rank.
std::string BindingTable(const std::vector<RankBinding>& ranks);

// Returns a text for each fault, with its remedy under this launcher: ranks that share cores, ranks of one core where
// there are more, ranks that share a GPU.
std::vector<std::string> BindingWarnings(const std::vector<RankBinding>& ranks, comm::Launcher launcher);

// Returns the numbers of a list such as "0-3,8".
std::set<int> ParseNumbers(std::string_view list);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_RANKS_RANK_BINDING_H_
