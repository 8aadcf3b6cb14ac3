// Statistics of the compression of values between ranks: its savings and its cost on this rank.
#ifndef DFRUN_KERNELS_COMM_WIRE_STATISTICS_H_
#define DFRUN_KERNELS_COMM_WIRE_STATISTICS_H_

#include <cstdint>

namespace dfrun {

struct WireStatistics {
  double bytes = 0;       // bytes of the values
  double wire_bytes = 0;  // bytes that were sent for them
  double dropped = 0;     // the sum of their elements' losses, as magnitudes
  double total = 0;       // the sum of the magnitudes of the elements
};

// Thread safety: both from any thread.
void CountCompressed(const WireStatistics& part);
// The statistics since the last call, which are then 0.
WireStatistics TakeWireStatistics();

}  // namespace dfrun

#endif  // DFRUN_KERNELS_COMM_WIRE_STATISTICS_H_
