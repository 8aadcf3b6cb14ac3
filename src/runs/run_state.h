// Whether a run runs, and how it ended, by the files of its directory alone.
#ifndef DFRUN_SRC_RUNS_RUN_STATE_H_
#define DFRUN_SRC_RUNS_RUN_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/runs/run_start.h"

namespace dfrun {

// kStopped: it ended before its last step because it was asked to, or because its metric got no better. kKilled: its
// record has no end, and nobody works in the directory. kUnknown: it has no record that can be read.
enum class RunState { kRunning, kDone, kStopped, kFailed, kKilled, kUnknown };

// kNoLocks: the file system has none, or this user may not look.
enum class RunLock { kFree, kHeld, kNoLocks };

// A run on another host, or on a file system without locks, that has no end counts as running while one of its files
// was written within so many seconds.
inline constexpr int64_t kHeartbeatS = 600;

// Looks whether a process holds the run directory. It takes the lock in shared form for that moment, which
// RunDirectory::Open() waits for; the lock file is not made, read or written.
RunLock LookAtLock(const std::string& run);

// `start`: the newest record of the run; nothing where there is none that can be read. `seconds_since_write`: the time
// since metrics.jsonl or run.json was written last. `is_here`: rank 0 ran on this host.
RunState StateOf(const std::optional<RunStart>& start, RunLock lock, bool is_here, int64_t seconds_since_write);

// "running", "done", "stopped", "failed (71)", "killed", "unknown".
std::string DescribeState(RunState state, const std::optional<RunStart>& start);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_RUN_STATE_H_
