// A child process that does for this one what may crash, and is asked over a socket.
#ifndef DFRUN_SRC_BASE_HELPER_PROCESS_H_
#define DFRUN_SRC_BASE_HELPER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// Started by posix_spawn(), since a fork() of a process whose memory a network card knows is not safe. Its standard
// input and output are a socket to this process; it has no other file of this process, and its standard error goes
// nowhere. It is in a process group of its own, so that a signal from the terminal does not end it.
// Thread safety: one thread at a time.
class HelperProcess {
 public:
  // Runs this very program with these arguments.
  static Result<std::unique_ptr<HelperProcess>> Start(const std::vector<std::string>& args);
  // Ends the child.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // All `bytes` bytes to or from the child; DataLoss that says how the child ended, or that it was ended since nothing
  // came from it for `patience`. After an error the child is gone.
  Status Write(const void* data, size_t bytes);
  Status Read(void* data, size_t bytes, std::chrono::seconds patience);

 private:
  HelperProcess(pid_t pid, int channel) : pid_(pid), channel_(channel) {}
  Status WaitForBytes(std::chrono::seconds patience);
  // Waits for the child's end, and says what it was.
  Status Ended();
  void Kill();

  pid_t pid_;          // -1: it has ended
  const int channel_;  // a socket, both ways
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HELPER_PROCESS_H_
