// Another form for the lines of the log than text on stderr.
#ifndef DFRUN_SRC_BASE_LOG_WRITER_H_
#define DFRUN_SRC_BASE_LOG_WRITER_H_

#include <string_view>

#include "src/base/log_level.h"

namespace dfrun {


// Writes a message of the log. Called on the thread that logs.
using LogWriter = void (*)(LogLevel level, std::string_view message);

// Lets `writer` write every message from now on. Thread safety: any thread.
void SetLogWriter(LogWriter writer);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_LOG_WRITER_H_
