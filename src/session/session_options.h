// Options of a session and of its steps, known to both Session and its Master.
#ifndef DFRUN_SRC_SESSION_SESSION_OPTIONS_H_
#define DFRUN_SRC_SESSION_SESSION_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/framework/communication/communicator.h"
#include "src/framework/device/memory_limit.h"
#include "src/graph/wire_compression.h"
#include "src/placement/cluster.h"
#include "src/storage/file_access.h"

namespace dfrun {

struct Partition;
struct RunSignature;

struct SessionOptions {
  // The cluster's jobs; empty: every rank is a worker. The same in every session of a runtime.
  std::vector<JobTasks> jobs;
  // Whether passes optimise the graph; false: it is only pruned and placed.
  bool optimize = true;
  // Names of passes (CompileStages(), compile.h) that do not run, to compare; those that a graph needs run all the
  // same.
  std::vector<std::string> without_passes = {};
  // True: a device constraint that no device of the cluster matches does not count, where it would be an error.
  bool soft_placement = false;
  // The compression of edges between ranks, besides those whose source asks for it.
  WireCompression compression = WireCompression::kNone;
  // The files that the graph's ops may open; by default any. A program that runs graphs of others confines them.
  FileRules files;
  // The limits of each device of a type, by rank. The first session of a runtime sets them.
  MemoryLimits memory_limits = {};
  // The scope of a step's error where there are several ranks. kStep: it ends that step alone, on every rank; the
  // session and the steps beside it go on. RunSteps() then asks for one step at a time.
  ErrorScope error_scope = ErrorScope::kSession;
  // True: each step is run as Session::CheckNumerics() runs one, and a finding is its error, kNotFinite. RunSteps()
  // then asks for one step at a time. Steps take longer by one look at each value.
  bool check_numerics = false;
  // Bytes of the values of a node that a check finds which are kept for Session::WriteCapture(); 0: none.
  int64_t keep_bytes = 0;
  // Called with the partitions of each signature that is compiled, before the ranks get them, on the thread that
  // prepares it. Null: nobody asks.
  std::function<void(const RunSignature&, const std::vector<Partition>&)> on_compiled = {};
};

// Steps behind each other that Session::steps_not_finite() counts, up to the last that has run.
struct NotFiniteRow {
  int64_t length = 0;
  int64_t limit = 0;  // steps asked for at once end after so many; 0: no limit

  bool is_full() const { return limit > 0 && length >= limit; }
  void Add(bool is_finite) { length = is_finite ? 0 : length + 1; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_SESSION_OPTIONS_H_
