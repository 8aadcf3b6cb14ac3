// What the commands write as JSON.
#ifndef DFRUN_JOBS_JSON_H_
#define DFRUN_JOBS_JSON_H_

#include <string>

#include "src/base/json.h"

namespace dfrun::jobs {

// The shortest text that reads back as the same double; null for what JSON cannot say (infinity, NaN).
std::string JsonNumber(double value);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_JSON_H_
