// state.bin of a run directory: the fingerprints of all variables after each logged step, a record a step.
// src/checkpoint/FORMAT.md has the layout of the file, and what a fingerprint is.
#ifndef DFRUN_SRC_JOB_STATE_LOG_H_
#define DFRUN_SRC_JOB_STATE_LOG_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/file.h"
#include "src/job/job_observer.h"

namespace dfrun {

// The fingerprints after one logged step.
struct StateRecord {
  int64_t step = 0;
  std::vector<uint64_t> of_variables;  // by StateContents::variables
};

struct StateContents {
  std::vector<std::string> variables;  // sorted
  std::vector<StateRecord> records;    // in the order of the steps
};

// Reads a whole file. NotFound where it is missing, DataLoss where it is no such file or a record in it is damaged. A
// last record that was cut short, or does not fit its checksum, is left out: a run that was killed leaves such a one.
Result<StateContents> ReadStateLog(const std::string& path);

// Removes the records of steps beyond `keep_through`, and what is no whole record, from a file that may be missing.
// Other files are left as they are.
Status CutStateLog(const std::string& path, int64_t keep_through);

// Thread safety: one thread.
class StateLog final : public JobObserver {
 public:
  // Opens the file for appending, with the records through `keep_through`, where it is of these variables, whose names
  // are sorted. Else it begins anew, and a file that holds records is kept beside it as state-1.bin, or with the next
  // number that is free. kIo where the name is not that of a regular file.
  static Result<StateLog> Open(const std::string& path, const std::vector<std::string>& variables,
                               int64_t keep_through);

  // Appends a record and gives it to the system.
  Status Append(int64_t step, std::span<const uint64_t> of_variables);

  // A record of the step, where its fingerprints were computed.
  Status OnStep(const JobResults& results) override;
  // Syncs the file: all records are on the disk when it returns.
  Status OnSave(int64_t /*step*/) override { return file_.Sync(); }

 private:
  StateLog(FileDescriptor file, size_t variables) : file_(std::move(file)), variables_(variables) {}

  FileDescriptor file_;
  size_t variables_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_STATE_LOG_H_
