// Statistics of the compression of values between ranks: its savings and its cost on a device.
#ifndef DFRUN_KERNELS_COMM_WIRE_STATISTICS_H_
#define DFRUN_KERNELS_COMM_WIRE_STATISTICS_H_

#include <atomic>
#include <string>

#include "src/framework/device/device.h"
#include "src/framework/values/resource.h"

namespace dfrun {

struct WireStatistics {
  double bytes = 0;       // bytes of the values
  double wire_bytes = 0;  // bytes that were sent for them
  double dropped = 0;     // the sum of their elements' losses, as magnitudes
  double total = 0;       // the sum of the magnitudes of the elements
};

// The counters of one device. Values are compressed on the host's device, so they are a rank's.
// Thread safety: all methods from any thread.
class WireCounters final : public Resource {
 public:
  // The counters of a device, made by the first call for it.
  static Result<RefPtr<WireCounters>> Of(Device& device);

  void Add(const WireStatistics& part);
  // Returns the statistics since the last call, which are then 0.
  WireStatistics Take();
  std::string DebugString() const override { return "counters of compressed values"; }

 private:
  std::atomic<double> bytes_{0};
  std::atomic<double> wire_bytes_{0};
  std::atomic<double> dropped_{0};
  std::atomic<double> total_{0};
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_COMM_WIRE_STATISTICS_H_
