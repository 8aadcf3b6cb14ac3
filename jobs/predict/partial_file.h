// The temporary file of a prediction, with the record of the rows in it (row_record.h). It outlives the process, so
// that `--resume` goes on with it, and takes the place of the output when all rows are there.
#ifndef DFRUN_JOBS_PREDICT_PARTIAL_FILE_H_
#define DFRUN_JOBS_PREDICT_PARTIAL_FILE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "jobs/output_file.h"
#include "jobs/predict/row_record.h"
#include "src/base/file.h"

namespace dfrun::jobs {

// One process at a time uses a file; a second one gets an error.
// Thread safety: one thread.
class PartialFile {
 public:
  enum class Mode { kNew, kResume, kForce };

  // Returns the absolute path of the temporary file of the output `out`.
  static std::string PathFor(const std::string& out);

  // Takes over what an earlier command has left, or begins anew where there is nothing: `record` has the settings and
  // the number of rows. Usage error where rows are there and `mode` is kNew, or where they are of other settings.
  static Result<PartialFile> Open(OutputFile target, Mode mode, RowRecord record);

  // The number of rows that are known to be on the disk; 0: a file that is not resumed is made by Make().
  int64_t done() const { return record_.done; }
  bool is_resumed() const { return is_resumed_; }
  RowRecord& record() { return record_; }
  const std::string& path() const { return path_; }  // absolute
  const FileDescriptor& file() const { return file_; }

  // Lets `make` make the file of this name, and opens it. Not called for a file that is resumed.
  Status Make(const std::function<Status(const std::string& path)>& make);
  // Notes how many rows are on the disk by now.
  Status Note(int64_t done, int64_t bytes);
  // Puts the file into place and removes the record.
  Status Commit();
  // Removes both files: their content has been written elsewhere, or is worth nothing.
  void Remove();
  // Adds to an error what is left of the work and how to go on; removes what is worth nothing.
  Status Leave(const Status& error);

 private:
  explicit PartialFile(OutputFile target) : target_(std::move(target)) {}

  Status Lock();

  OutputFile target_;
  std::string path_;
  std::string record_path_;
  RowRecord record_;
  FileDescriptor file_;
  bool is_resumed_ = false;
  bool is_made_ = false;  // there is a file of this command
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PREDICT_PARTIAL_FILE_H_
