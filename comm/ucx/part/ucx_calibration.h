// Measures from which size on reading a peer's memory is faster than sending.
#ifndef DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
#define DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_

#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/ucx/part/ucx_transport.h"

namespace dfrun::comm {

// How messages are to be read: what the environment variable DFRUN_UCX_READ_FROM says (a number of bytes, or "never"),
// else what is faster, measured between the first two ranks that share a host and between the first two that do not, in
// some 20 ms each at most. `transport` connects the ranks, and `hosts` are theirs. Collective; all ranks get the same.
// Usage error for another text.
Result<UcxReading> ChooseReading(UcxTransport& transport, Bootstrap& bootstrap, const std::vector<std::string>& hosts);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_CALIBRATION_H_
