// The events of one run of TensorBoard: a directory with event files.
#ifndef DFRUN_SRC_EVENTS_EVENT_WRITER_H_
#define DFRUN_SRC_EVENTS_EVENT_WRITER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "src/events/event_file.h"

namespace dfrun {

// Writes events into a new file, which is made with the first of them. Where the file system refuses a write, the
// events at hand are dropped, and so are those of the next half minute; then a new file is begun.
// Thread safety: one thread.
class EventWriter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kPause{30};

  explicit EventWriter(std::string directory) : directory_(std::move(directory)) {}

  // Adds an event of this step; `wall_time` in seconds since 1970.
  void AddStart(int64_t step, double wall_time);  // the first step that a start of the run makes
  void AddSummary(int64_t step, double wall_time, std::string summary);
  void AddGraph(int64_t step, double wall_time, std::string graph_def);
  void AddRunMetadata(int64_t step, double wall_time, const std::string& tag, std::string run_metadata);
  // Adds a serialised Event.
  void AddEvent(std::string_view event);
  // Gives the events to the system. Returns the error of the first write that fails, once.
  Status Flush();

  const std::string& directory() const { return directory_; }
  // Events that were dropped.
  int64_t dropped() const { return dropped_; }

 private:
  void Drop(const Status& why);

  std::string directory_;
  std::optional<EventFile> file_;
  int64_t waiting_ = 0;  // events since the last Flush()
  int64_t dropped_ = 0;
  std::optional<Clock::time_point> resume_;  // when a new file may be made after an error
  Status error_;                             // the first one, until Flush() returns it
  bool has_failed_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_EVENT_WRITER_H_
