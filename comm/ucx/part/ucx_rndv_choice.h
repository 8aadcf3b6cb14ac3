// The choice of the rendezvous thresholds: the sizes from which receivers read messages themselves.
#ifndef DFRUN_COMM_UCX_PART_UCX_RNDV_CHOICE_H_
#define DFRUN_COMM_UCX_PART_UCX_RNDV_CHOICE_H_

#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/ucx/part/ucx_transport.h"

namespace dfrun::comm {

// Returns the thresholds. The environment variable DFRUN_UCX_READ_FROM (a number of bytes, or "never") decides; without
// it, the user's file as rank 0 finds it (comm/ucx/calibration_cache.h); without an entry there, a measurement between
// the first two ranks that share a host and between the first two that do not, which is then kept in the file. Rank 0
// logs which it was. `transport` connects the ranks, and `hosts` are their hosts by rank. Collective; all ranks get the
// same result. Usage error for another text in the environment; a file that cannot be used is ignored.
Result<RndvThreshold> ChooseRndvThreshold(UcxTransport& transport, Bootstrap& bootstrap,
                                          const std::vector<std::string>& hosts);

// Describes what a start would use, for `dfrun info`.
std::string DescribeRndvChoice();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_RNDV_CHOICE_H_
