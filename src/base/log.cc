#include "src/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <vector>

namespace dfrun {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
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
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    sink->set_level(spdlog::level::warn);
    auto made = std::make_shared<spdlog::logger>("dfrun", sink);
    made->set_pattern("%l: %v");
    return made;
  }();
  return *logger;
}

}  // namespace

Status InitLog(const LogOptions& options) {
  spdlog::logger& logger = Logger();
  const std::string rank = options.rank < 0 ? "" : StrCat("[", options.rank, "] ");
  logger.sinks()[0]->set_level(ToSpdlog(options.stderr_level));
  logger.sinks()[0]->set_pattern(StrCat(rank, "%l: %v"));
  if (!options.file.empty()) {
    try {
      auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
      file->set_level(ToSpdlog(options.level));
      file->set_pattern(StrCat("%Y-%m-%dT%H:%M:%S.%e ", rank, "%l: %v"));
      logger.sinks().push_back(std::move(file));
    } catch (const spdlog::spdlog_ex& e) {
      return IoError("cannot open the log file ", options.file, ": ", e.what());
    }
  }
  logger.set_level(ToSpdlog(std::min(options.level, options.stderr_level)));
  logger.flush_on(spdlog::level::warn);
  return Status();
}

bool LogEnabled(LogLevel level) {
  return Logger().should_log(ToSpdlog(level));
}

LogMessage::~LogMessage() {
  const std::string text = std::move(stream_).str();
  if (level_ == LogLevel::kDebug) {
    Logger().log(spdlog::level::debug, "{}:{}: {}", file_, line_, text);
  } else {
    Logger().log(ToSpdlog(level_), "{}", text);
  }
}

}  // namespace dfrun
