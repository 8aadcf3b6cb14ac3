// The files of runs that dfrun itself keeps, and that no op writes.
#ifndef DFRUN_SRC_STORAGE_RUN_FILES_H_
#define DFRUN_SRC_STORAGE_RUN_FILES_H_

#include <string>

namespace dfrun {

// Returns true for the files that a run keeps: below `run_directory`, and below every directory that holds a run.json,
// its record, its spec, its metrics, its states, its traces and its lists of files; everywhere `checkpoints/step-N`, with all that
// is in it. The paths are absolute and without links. Blocks: on the file system.
bool IsKeptByRun(const std::string& path, const std::string& run_directory);
// Returns true for the directory in which the run's own nodes save a step,
// `checkpoints/step-N.tmp-HOST-PROCESS-NUMBER`.
bool IsStepBeingSaved(const std::string& path, const std::string& run_directory);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_RUN_FILES_H_
