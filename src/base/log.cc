#include "src/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "src/base/printable.h"
#include "src/base/terminal.h"

namespace dfrun {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// The one process-wide state of this file: the logger, as spdlog itself keeps it.
spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("dfrun", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%l: %v");
    return made;
  }();
  return *logger;
}

}  // namespace

void TagLog(int rank) {
  Logger().set_pattern("[" + std::to_string(rank) + "] %l: %v");
}

LogMessage::~LogMessage() {
  if (!IsTaken(stderr)) return;
  Logger().log(ToSpdlog(level_), "{}", PrintableText(stream_.str()));
}

}  // namespace dfrun
