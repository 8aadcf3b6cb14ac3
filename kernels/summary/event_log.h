// Event files that summary writers of a graph write. dfrun's own event files are the job's.
#ifndef DFRUN_KERNELS_SUMMARY_EVENT_LOG_H_
#define DFRUN_KERNELS_SUMMARY_EVENT_LOG_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/file.h"
#include "src/base/mutex.h"
#include "src/framework/values/resource.h"
#include "src/storage/file_access.h"

namespace dfrun {

// A summary writer: closed until Open(), and again after Close().
// Thread safety: all methods from any thread.
// Blocks: on the file system.
class EventLog final : public Resource {
 public:
  struct Options {
    std::string directory;
    std::string suffix;                       // ends the name of the file
    int64_t max_queue = 10;                   // more events than that are given to the system
    std::chrono::milliseconds flush{120000};  // events that have waited as long, too
  };

  explicit EventLog(std::string name) : name_(std::move(name)) {}
  ~EventLog() override;

  // Makes a new file; an open writer stays as it is.
  Status Open(const FileAccess& access, const Options& options) EXCLUDES(mu_);
  // Adds a serialised Event. FailedPrecondition where the writer is closed.
  Status WriteEvent(std::string_view event) EXCLUDES(mu_);
  // Gives all events to the system.
  Status Flush() EXCLUDES(mu_);
  Status Close() EXCLUDES(mu_);

  std::string DebugString() const override { return "summary writer " + name_; }

 private:
  using Clock = std::chrono::steady_clock;
  Status CheckOpen() const REQUIRES(mu_);
  Status FlushLocked() REQUIRES(mu_);

  const std::string name_;
  Mutex mu_;
  Options options_ GUARDED_BY(mu_);
  FileDescriptor file_ GUARDED_BY(mu_);  // not open: the writer is closed
  std::string buffer_ GUARDED_BY(mu_);
  int64_t waiting_ GUARDED_BY(mu_) = 0;  // events in the buffer
  Clock::time_point flushed_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_EVENT_LOG_H_
