#include "src/base/report_request.h"

#include <atomic>
#include <csignal>

#include "src/base/status.h"

namespace dfrun {
namespace {

// Global because a signal handler can reach nothing else.
std::atomic<bool> g_is_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

}  // namespace

void CatchReportSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_is_requested.store(true, std::memory_order_relaxed); };
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  DF_CHECK(::sigaction(SIGUSR2, &action, nullptr) == 0);
}

bool TakeReportRequest() {
  return g_is_requested.load(std::memory_order_relaxed) && g_is_requested.exchange(false, std::memory_order_relaxed);
}

}  // namespace dfrun
