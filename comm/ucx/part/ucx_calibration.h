// Measures from which size on reading a peer's memory is faster than sending.
#ifndef DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
#define DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_

#include <optional>
#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/ucx/part/ucx_transport.h"

namespace dfrun::comm {

// What the environment variable DFRUN_UCX_READ_FROM says: a number of bytes, or "never". Nothing: it is not set. Usage
// error for another text.
Result<std::optional<size_t>> ReadFromOfEnvironment();

// Between the first two ranks that share a host, and between the first two that do not: some 20 ms each at most. All
// ranks call it and get the same; `transport` connects them, and `hosts` are theirs. Collective.
Result<UcxReadFrom> MeasureReadFrom(UcxTransport& transport, Bootstrap& bootstrap,
                                    const std::vector<std::string>& hosts);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
