// The form of what a process says: lines of text, or, for programs that collect logs, JSON objects: {"time":
// "2026-11-29T15:15:34.123Z", "level": "warning", "rank": 3, "host": "node7", "message": "left out: ..."}.
//
// Thread safety: any thread.
#ifndef DFRUN_SRC_BASE_JSON_LOG_LINE_H_
#define DFRUN_SRC_BASE_JSON_LOG_LINE_H_

#include <cstdio>
#include <string>
#include <string_view>

#include "src/base/log.h"

namespace dfrun {

// Makes every line, of the log (log.h) and of WriteLine(), an object from now on.
void LogAsJson();
bool LogsAsJson();
// Sets the rank that objects name; without it they name none.
void SetRankOfLog(int rank);

// Returns an object, as a line, with the time, the level, the rank, the host, and `members`, JSON text: "\"step\": 3".
std::string LogObject(LogLevel level, std::string_view members);
// Writes a line that a command says beside the log's: `prefix` and the text, as PrintableText() makes it, or an object
// with the text as its message. Drops it where nobody reads `out` and the process was asked to stop (terminal.h).
void WriteLine(std::FILE* out, LogLevel level, std::string_view prefix, std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_JSON_LOG_LINE_H_
