// A child process that does work which may crash, and answers over a socket.
#ifndef DFRUN_SRC_BASE_HELPER_PROCESS_H_
#define DFRUN_SRC_BASE_HELPER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// The child is started by posix_spawn(), because a fork() is not safe in a process whose memory is registered with a
// network adapter. Its standard input and output are a socket to this process; it has no other file of this process,
// and its standard error is discarded. It has a process group of its own, so that a signal from the terminal does not
// end it.
// Thread safety: one thread at a time.
class HelperProcess {
 public:
  // Runs this very program with these arguments.
  static Result<std::unique_ptr<HelperProcess>> Start(const std::vector<std::string>& args);
  // Ends the child.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // Says that the child has sent nothing for kWordAfter; `is_stopped`: a signal has stopped it, and it waits for
  // SIGCONT.
  using Word = std::function<void(bool is_stopped)>;
  static constexpr std::chrono::seconds kWordAfter{5};

  // Both transfer all `bytes` bytes. Otherwise DataLoss says how the child ended, or that it was ended because it sent
  // nothing for `patience`. After an error there is no child. `word`, which may be empty, is said once.
  Status Write(const void* data, size_t bytes);
  Status Read(void* data, size_t bytes, std::chrono::seconds patience, const Word& word = {});
  pid_t pid() const { return pid_; }

 private:
  HelperProcess(pid_t pid, int channel) : pid_(pid), channel_(channel) {}
  Status WaitForBytes(std::chrono::seconds patience, Word& word);
  bool IsStopped() const;
  // Waits until the child has ended, and returns an error that says how.
  Status Ended();
  void Kill();

  pid_t pid_;          // -1: it has ended
  const int channel_;  // a socket, both ways
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HELPER_PROCESS_H_
