#include "src/base/stop_request.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace dfrun {
namespace {

constexpr int kSignalBase = 128;

std::atomic<int> g_interrupts{0};  // SIGINTs and SIGQUITs so far: a user at the keyboard

void OnSignal(int signal) {
  const int error = errno;
  if ((signal == SIGINT || signal == SIGQUIT) && g_interrupts.fetch_add(1) > 0) ::_exit(kSignalBase + signal);
  ProcessStop().Make(signal);
  errno = error;
}

}  // namespace

StopRequest::StopRequest() {
  DF_CHECK(::sem_init(&wake_, 0, 0) == 0);
}

StopRequest::~StopRequest() {
  ::sem_destroy(&wake_);
}

void StopRequest::Make(int signal) {
  int none = 0;
  if (signal_.compare_exchange_strong(none, signal)) Wake();
}

void StopRequest::Wait() {
  while (::sem_wait(&wake_) != 0 && errno == EINTR) {
  }
}

void StopRequest::Wake() {
  ::sem_post(&wake_);
}

StopRequest& ProcessStop() {
  static StopRequest& request = *new StopRequest();  // never destroyed: a signal may come at any time
  return request;
}

void CatchStopSignals() {
  ProcessStop();  // made here, not in a handler
  for (const int signal : kStopSignals) {
    struct sigaction action = {};
    DF_CHECK(::sigaction(signal, nullptr, &action) == 0);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = &OnSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    DF_CHECK(::sigaction(signal, &action, nullptr) == 0);
  }
}

std::string_view SignalName(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGHUP:
      return "SIGHUP";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGQUIT:
      return "SIGQUIT";
    default:
      return "a signal";
  }
}

Code StopCode(int signal, bool saves) {
  if (saves && signal != SIGINT) return Code::kRequeue;
  switch (signal) {
    case SIGINT:
      return Code::kInterrupted;
    case SIGUSR1:
      return Code::kUserSignal;
    default:
      return Code::kTerminated;
  }
}

int ExitCodeAfterStop(Code code) {
  const int signal = ProcessStop().signal();
  return code == Code::kTerminated && signal != 0 ? kSignalBase + signal : ExitCode(code);
}

}  // namespace dfrun
