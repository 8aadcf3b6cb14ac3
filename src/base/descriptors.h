// The file descriptors of this process, which connections of strangers take too.
#ifndef DFRUN_SRC_BASE_DESCRIPTORS_H_
#define DFRUN_SRC_BASE_DESCRIPTORS_H_

#include <chrono>
#include <optional>
#include <string>

namespace dfrun {

// Raises the limit of open files to what this process may have, 65,536 at most. Helper processes inherit it.
void RaiseDescriptorLimit();

// Looks whether descriptors are used up. Thread safety: one thread at a time.
class DescriptorWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // A sentence, once none was to be had for 5 s and most are connections: how many, and who has most of them. Cheap: it
  // looks once a second.
  std::optional<std::string> Look(Clock::time_point now);

 private:
  Clock::time_point next_look_{};
  std::optional<Clock::time_point> none_since_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_DESCRIPTORS_H_
