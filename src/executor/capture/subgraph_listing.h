// Lists the subgraphs that a partition records on its device, as lines of text for a report.
#ifndef DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_LISTING_H_
#define DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_LISTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/executor/capture/capture_partition.h"

namespace dfrun {

// PartitionForCapture() of a partition as it comes from the compiler: memory copies are added, and the device keeps the
// gate of its updates itself where it can.
Result<CapturePartition> PartitionForDevice(const Graph& partition, const Device& device,
                                            const KernelRegistry& kernels);

// The subgraphs, then each node of the device's that is not recorded, and why.
std::vector<std::string> ListSubgraphs(const Graph& partition, const CapturePartition& cut, std::string_view device);

// Lists them for a device that need not be present, by the kernels of its type. Empty for a device of the host's type.
Result<std::vector<std::string>> ListSubgraphsOf(const Graph& partition, const std::string& device,
                                                 const KernelRegistry& kernels);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_CAPTURE_SUBGRAPH_LISTING_H_
