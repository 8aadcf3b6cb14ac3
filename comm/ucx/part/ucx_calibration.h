// Measures from which size on reading a peer's memory is faster than sending.
#ifndef DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
#define DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_

#include <cstddef>

#include "comm/ucx/part/ucx_transport.h"
#include "src/base/status.h"

namespace dfrun::comm {

struct UcxMeasured {
  size_t from = 0;       // messages of so many bytes and more are best read; Capabilities::kNever
  bool is_sure = false;  // there was time for enough rounds
};

// Between this rank and `peer`, which calls it too with the other value of `leads`; the result is of use on the rank
// that leads. Takes some 20 ms at most where both ranks have a CPU, and changes the transport's way of reading.
// Unavailable where the peer does not answer.
Result<UcxMeasured> MeasureReading(UcxTransport& transport, int peer, bool leads);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
