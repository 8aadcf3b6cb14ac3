#include "src/framework/step/trace_sink.h"

#include <chrono>

namespace dfrun {

int64_t TraceSink::NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace dfrun
