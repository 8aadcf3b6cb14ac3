// The level of a message of the log; docs/logging.md says what each promises.
#ifndef DFRUN_SRC_BASE_LOG_LEVEL_H_
#define DFRUN_SRC_BASE_LOG_LEVEL_H_

#include <cstdint>

namespace dfrun {

enum class LogLevel : uint8_t { kInfo, kWarning, kError };

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_LOG_LEVEL_H_
