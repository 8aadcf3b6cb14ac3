// How a session is made, and what its steps may be asked to do: what Session and its Master both know.
#ifndef DFRUN_SRC_SESSION_SESSION_OPTIONS_H_
#define DFRUN_SRC_SESSION_SESSION_OPTIONS_H_

#include <string>
#include <vector>

#include "src/framework/communicator.h"
#include "src/framework/file_access.h"
#include "src/framework/memory_limit.h"
#include "src/graph/wire_compression.h"
#include "src/placement/cluster.h"

namespace dfrun {

struct SessionOptions {
  // The cluster's jobs; empty: every rank is a worker. The same in every session of a runtime.
  std::vector<JobTasks> jobs;
  // False: prune and place only.
  bool optimize = true;
  // Names of passes (CompileStages(), compile.h) that do not run, to compare; those that a graph needs run all the
  // same.
  std::vector<std::string> without_passes = {};
  // True: a device constraint that no device of the cluster matches does not count, where it would be an error.
  bool soft_placement = false;
  // Which edges travel compressed beside those whose source says so.
  WireCompression compression = WireCompression::kNone;
  // Which files the graph's ops may open; by default any. Who runs graphs of others confines them.
  FileRules files;
  // Of each device of a type, by rank. The first session of a runtime says it.
  MemoryLimits memory_limits = {};
  // What an error of a step ends where there are several ranks. kStep: that step alone, on every rank; the session and
  // the steps beside it go on. RunSteps() then asks for one step at a time.
  ErrorScope error_scope = ErrorScope::kSession;
};

// Steps behind each other that Session::steps_not_finite() counts, up to the last that has run.
struct NotFiniteRow {
  int64_t length = 0;
  int64_t limit = 0;  // of steps that were asked for at once none is run after so many; 0: all are

  bool is_full() const { return limit > 0 && length >= limit; }
  void Add(bool is_finite) { length = is_finite ? 0 : length + 1; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_SESSION_OPTIONS_H_
