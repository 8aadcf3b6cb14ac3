#include "jobs/uncaught.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "comm/bootstrap/launcher.h"
#include "src/base/host/host_limits.h"
#include "src/base/status.h"

namespace dfrun::jobs {
namespace {

// Returns the rank from the launcher's environment, before MPI itself can be asked; empty for a process by itself.
const char* RankOrNothing() {
  const char* const rank = comm::RankText();
  return rank == nullptr ? "" : rank;
}

// Reports the error and ends the process. Formats into a buffer on the stack, since there may be no memory.
[[noreturn]] void End(Code code, const char* what, const char* detail, const char* advice) {
  char host[65] = "";
  ::gethostname(host, sizeof host - 1);
  const char* rank = RankOrNothing();
  char text[1024];
  const int length =
      std::snprintf(text, sizeof text, "dfrun: %s%s%s on host %s: %s%s%s\n", *rank != '\0' ? "rank " : "", rank,
                    *rank != '\0' ? "" : "process", host, what, detail, advice);
  const auto bytes = static_cast<size_t>(length) < sizeof text ? static_cast<size_t>(length) : sizeof text - 1;
  const ssize_t written = ::write(STDERR_FILENO, text, bytes);
  ::_exit(written < 0 ? ExitCode(Code::kIo) : ExitCode(code));
}

[[noreturn]] void OnTerminate() {
  const std::exception_ptr thrown = std::current_exception();
  if (thrown == nullptr) End(Code::kInternal, "the C++ runtime ended the program", "", "");
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    const HostLimits& limits = LimitsOfHost();
    End(Code::kResourceExhausted, limits.limits_memory() ? "no memory is left within " : "no memory is left",
        limits.memory_group.c_str(), "; give the job more, start fewer ranks a node, or look at `ulimit -v`");
  } catch (const std::length_error& error) {
    End(Code::kResourceExhausted, "something is larger than any memory: ", error.what(), "");
  } catch (const std::system_error& error) {
    const bool lacks = error.code() == std::errc::resource_unavailable_try_again;
    End(lacks ? Code::kResourceExhausted : Code::kInternal, lacks ? "no thread can be started: " : "", error.what(),
        lacks ? "; start fewer ranks or --threads, or look at `ulimit -u`" : "");
  } catch (const std::exception& error) {
    End(Code::kInternal, "an exception was caught nowhere: ", error.what(), "");
  }
  // An exception that is no std::exception ends the program as std::terminate does by default, which prints its own
  // message.
  std::abort();
}

}  // namespace

void HandleUncaughtExceptions() {
  LimitsOfHost();  // read while there is memory
  std::set_terminate(OnTerminate);
}

}  // namespace dfrun::jobs
