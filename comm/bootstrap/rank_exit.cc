#include "comm/bootstrap/rank_exit.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "src/base/json/log_line.h"
#include "src/base/status.h"

namespace dfrun::comm {

void SayAsRank(std::string_view rank, const std::string& text) {
  std::signal(SIGPIPE, SIG_IGN);
  WriteLine(stderr, LogLevel::kError, StrCat("dfrun: rank ", rank, ": "), text);
}

void ExitAfter(std::chrono::seconds wait, int exit_code) {
  std::thread([wait, exit_code] {
    std::this_thread::sleep_for(wait);
    std::_Exit(exit_code);
  }).detach();
}

}  // namespace dfrun::comm
