// What the commands write as JSON.
#ifndef DFRUN_JOBS_JSON_H_
#define DFRUN_JOBS_JSON_H_

#include <string>
#include <string_view>

#include "src/base/json.h"
#include "src/base/status.h"

namespace dfrun::jobs {

// The shortest text that reads back as the same double; null for what JSON cannot say (infinity, NaN).
std::string JsonNumber(double value);

// Whether a file of this name could be written, as far as is known before: results of hours are not to be lost to a
// misspelt directory.
Status CheckWritable(const std::string& path);

// Replaces the file.
Status WriteTextFile(const std::string& path, std::string_view text);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_JSON_H_
