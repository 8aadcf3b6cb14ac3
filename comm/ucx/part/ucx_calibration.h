// Measures the message size from which a rendezvous, in which the receiver reads the sender's memory, is faster than a
// send.
#ifndef DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
#define DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_

#include <cstddef>

#include "comm/ucx/part/ucx_transport.h"
#include "src/base/status.h"

namespace dfrun::comm {

struct UcxMeasured {
  size_t from = 0;       // threshold in bytes; Capabilities::kNever: reading is never faster
  bool is_sure = false;  // enough rounds were measured
};

// Measures between this rank and `peer`, which must call this too with the other value of `leads`. Only the leading
// rank's result is of use. Changes the transport's RndvThreshold. Unavailable if the peer does not answer.
// Blocks: for some 20 ms at most if both ranks have a CPU.
Result<UcxMeasured> MeasureRndv(UcxTransport& transport, int peer, bool leads);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
