// SlowProgress: reports progress of work that takes longer than a user waits without a word.
#ifndef DFRUN_KERNELS_IO_SLOW_PROGRESS_H_
#define DFRUN_KERNELS_IO_SLOW_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "src/base/log.h"

namespace dfrun {

// Thread safety: one thread.
class SlowProgress {
 public:
  // "looking at the HDF5 files of ...", of which there are `whole`.
  SlowProgress(std::string what, size_t whole) : what_(std::move(what)), whole_(whole) {}

  // Every kInterval a line.
  void Reach(size_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kInterval;
    DF_LOG(kInfo) << what_ << ": " << done << " of " << whole_;
  }

 private:
  static constexpr std::chrono::seconds kInterval{5};

  const std::string what_;
  const size_t whole_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_SLOW_PROGRESS_H_
