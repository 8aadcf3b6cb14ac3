// Captures of nodes that made a value which is not finite, in the run directory.
#ifndef DFRUN_SRC_JOB_CAPTURE_WRITER_H_
#define DFRUN_SRC_JOB_CAPTURE_WRITER_H_

#include <functional>
#include <optional>
#include <string>

#include "src/session/session.h"
#include "src/training/job_graph.h"

namespace dfrun {

struct CaptureTarget {
  std::string path;                              // path of the file, src/session/node_capture.h; a new capture replaces it
  std::string version;                           // version of dfrun
  std::function<void(const std::string&)> tell;  // a line for a person
};

// Thread safety: one thread, between steps. The arguments outlive it; the job's graph has moved into the session.
class CaptureWriter {
 public:
  CaptureWriter(const JobGraph& parts, Session& session, CaptureTarget target)
      : parts_(parts), session_(session), target_(std::move(target)) {}

  // Has the rank where it was write the node that the last check of step `step` has found, and tells where it is, or as
  // a warning why it is not. `found`: the error of the check. Random nodes go back to where the step began.
  void Write(const Status& found, int64_t step);

 private:
  Result<std::optional<int64_t>> PositionOf(const std::string& node);
  Status TryToWrite(const Status& found, int64_t step);

  const JobGraph& parts_;
  Session& session_;
  const CaptureTarget target_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_CAPTURE_WRITER_H_
