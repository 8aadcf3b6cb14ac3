// The files of a checkpoint, as the ranks write them.
#ifndef DFRUN_SRC_JOB_WRITE_SHARDS_H_
#define DFRUN_SRC_JOB_WRITE_SHARDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/checkpoint/manifest.h"
#include "src/session/session.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Has each rank write what it keeps into the directory, which exists; returns an entry a file. `save`: of JobGraph.
// Blocks: until all have written. Errors are those of the step.
Result<std::vector<ShardEntry>> WriteShards(Session& session, const RunSignature& save, const std::string& directory);

// A lower bound of the state's size in bytes: the elements alone, as far as their number is known, and at least one
// byte for each string.
uint64_t LeastBytesOf(const std::vector<KeptState>& kept);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_WRITE_SHARDS_H_
