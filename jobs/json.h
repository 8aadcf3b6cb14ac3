// JSON text that the commands write.
#ifndef DFRUN_JOBS_JSON_H_
#define DFRUN_JOBS_JSON_H_

#include <string>

#include "src/base/json/json.h"

namespace dfrun::jobs {

// Returns the shortest text that reads back as the same double; null for infinity and NaN, which JSON cannot express.
std::string JsonNumber(double value);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_JSON_H_
