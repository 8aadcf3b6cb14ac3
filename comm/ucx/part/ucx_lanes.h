// The lanes, UCX's word for the networks, that an endpoint really uses.
#ifndef DFRUN_COMM_UCX_PART_UCX_LANES_H_
#define DFRUN_COMM_UCX_PART_UCX_LANES_H_

#include <ucp/api/ucp.h>

#include <string>
#include <string_view>

namespace dfrun::comm {

// Returns the endpoint's lanes by UCX's names, each once: "sysv/memory, posix/memory", "tcp/eth0", "rc_mlx5/mlx5_0:1".
std::string LanesOf(ucp_ep_h endpoint);
// Returns the lanes in the text of ucp_ep_print_info(), the only call in all versions that tells them.
std::string LanesIn(std::string_view info);

// Returns whether all of these lanes are memory that processes of a host share.
bool AreSharedMemory(std::string_view lanes);
// Returns whether one of the lanes reads a peer's memory by itself. Over the others, TCP and datagrams, UCX lets the
// peer send it. That is no faster than a message, and UCX 1.13 may end the process if the peer has ended.
bool CanRead(std::string_view lanes);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_LANES_H_
