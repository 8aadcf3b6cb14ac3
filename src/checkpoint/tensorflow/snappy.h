// Unpacks a block of the Snappy format. https://github.com/google/snappy/blob/main/format_description.txt
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_SNAPPY_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_SNAPPY_H_

#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// DataLoss where the block is damaged, or would unpack to more than `limit` bytes.
Result<std::string> UnpackSnappy(std::string_view packed, size_t limit);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_SNAPPY_H_
