// The versions of libraries that this process runs with.
#ifndef DFRUN_JOBS_VERSIONS_H_
#define DFRUN_JOBS_VERSIONS_H_

#include <string>
#include <vector>

#include "comm/bootstrap/rank_facts.h"

namespace dfrun::jobs {

std::string Hdf5Version();
std::string OneDnnVersion();

// Returns the facts on which the ranks of a job should agree: these versions, and the arguments that the process was
// started with. Returns none without a launcher.
std::vector<comm::RankFact> OwnFacts();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_VERSIONS_H_
