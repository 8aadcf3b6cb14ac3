// The record of a prediction that is not complete: the rows that are in its temporary file. `--resume` goes on from it.
//
// The file "OUT.partial" holds the rows, "OUT.partial.json" the record. The record is replaced after the rows that it
// counts are on the disk. It names what decides their values: only a command with the same settings may go on.
#ifndef DFRUN_JOBS_PREDICT_ROW_RECORD_H_
#define DFRUN_JOBS_PREDICT_ROW_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun::jobs {

struct RowRecord {
  // Texts that decide the values, by name: "checkpoint", "--fetch".
  std::vector<std::pair<std::string, std::string>> settings;
  int64_t rows = 0;                   // rows of the whole
  int64_t done = 0;                   // rows [0, done) are in the file
  int64_t bytes = 0;                  // length of these rows in the file, where they follow each other
  std::vector<int64_t> offsets = {};  // by fetch: the first byte of its rows, where they have places of their own

  std::string ToJson() const;
};

// Returns nothing where there is no record. DataLoss where there is something else than one.
Result<std::optional<RowRecord>> ReadRowRecord(const std::string& path);
Status WriteRowRecord(const std::string& path, const RowRecord& record);

// Usage error that names the first setting in which the two differ. `file`: of the temporary file, for the message.
Status CheckSameSettings(const std::string& file, const RowRecord& begun, const RowRecord& now);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PREDICT_ROW_RECORD_H_
