#include "src/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <string>

#include "src/base/log_writer.h"
#include "src/base/printable.h"
#include "src/base/terminal.h"

namespace dfrun {
namespace {

std::atomic<LogWriter> g_writer{nullptr};  // null: the logger

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

// The logger, as spdlog itself keeps it.
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

void SetLogWriter(LogWriter writer) {
  g_writer.store(writer, std::memory_order_release);
}

LogMessage::~LogMessage() {
  if (!IsTaken(stderr)) return;
  if (const LogWriter writer = g_writer.load(std::memory_order_acquire)) {
    writer(level_, stream_.str());
  } else {
    Logger().log(ToSpdlog(level_), "{}", PrintableText(stream_.str()));
  }
}

}  // namespace dfrun
