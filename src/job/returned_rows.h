// Rows that backup replicas had taken and no step had used when a checkpoint was written, as it tells of them.
#ifndef DFRUN_SRC_JOB_RETURNED_ROWS_H_
#define DFRUN_SRC_JOB_RETURNED_ROWS_H_

#include <cstdint>
#include <string>

#include "src/base/json/json_value.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The rows in the variable of returned shares: of each share its first row and its number of rows. `rows_of_share` not
// 0: those of shares of that size alone.
int64_t CountReturned(const Tensor& returned, int64_t rows_of_share);

// Notes them in the state of a checkpoint; 0 leaves nothing there.
void SaveReturned(int64_t rows, JsonValue& state);
// Takes what SaveReturned() has noted out of the state, and describes those of the rows that a job does not go on with,
// of which it keeps `kept`; "" where there are none.
std::string TakeReturned(int64_t kept, JsonValue& state);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RETURNED_ROWS_H_
