// Log lines on stderr: "[3] warning: left out: ..." of rank 3.
//
//   DF_LOG(kWarning) << "left out: " << path;
//
// Thread safety: any thread.
#ifndef DFRUN_SRC_BASE_LOG_H_
#define DFRUN_SRC_BASE_LOG_H_

#include <ostream>
#include <sstream>

#include "src/base/log_level.h"

namespace dfrun {

// Begins every line with the rank from now on. Call before other threads log.
void TagLog(int rank);

// A message of the log, which is written when it is destroyed, as PrintableText() makes it.
class LogMessage {
 public:
  explicit LogMessage(LogLevel level) : level_(level) {}
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage();
  std::ostream& stream() { return stream_; }

 private:
  const LogLevel level_;
  std::ostringstream stream_;
};

#define DF_LOG(level) ::dfrun::LogMessage(::dfrun::LogLevel::level).stream()

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_LOG_H_
