// Log lines tagged with the rank. The message is built only when its level is on.
//
//   DF_LOG(kInfo) << "restored " << n << " variables";
//
// Thread safety: any thread. The sinks are set once, at start, by InitLog().
#ifndef DFRUN_SRC_BASE_LOG_H_
#define DFRUN_SRC_BASE_LOG_H_

#include <sstream>
#include <string>

#include "src/base/status.h"

namespace dfrun {

enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

struct LogOptions {
  int rank = -1;                     // -1: no tag
  LogLevel level = LogLevel::kInfo;  // of the file
  LogLevel stderr_level = LogLevel::kWarning;
  std::string file;  // empty: no file
};

// Before this, warnings and errors go to stderr.
Status InitLog(const LogOptions& options);

bool LogEnabled(LogLevel level);

class LogMessage {
 public:
  LogMessage(LogLevel level, const char* file, int line) : level_(level), file_(file), line_(line) {}
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage();
  std::ostream& stream() { return stream_; }

 private:
  LogLevel level_;
  const char* file_;
  int line_;
  std::ostringstream stream_;
};

#define DF_LOG(level)                                   \
  if (!::dfrun::LogEnabled(::dfrun::LogLevel::level)) { \
  } else                                                \
    ::dfrun::LogMessage(::dfrun::LogLevel::level, __FILE__, __LINE__).stream()

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_LOG_H_
