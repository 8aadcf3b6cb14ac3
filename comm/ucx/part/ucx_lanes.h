// Which networks an endpoint of UCX really uses.
#ifndef DFRUN_COMM_UCX_PART_UCX_LANES_H_
#define DFRUN_COMM_UCX_PART_UCX_LANES_H_

#include <ucp/api/ucp.h>

#include <string>
#include <string_view>

namespace dfrun::comm {

// The lanes by UCX's names, each once: "sysv/memory, posix/memory", "tcp/eth0", "rc_mlx5/mlx5_0:1".
std::string LanesOf(ucp_ep_h endpoint);
// The same of the text of ucp_ep_print_info(), the only call of all versions that tells.
std::string LanesIn(std::string_view info);

// Whether these lanes are memory that processes of a host share, and nothing else.
bool AreSharedMemory(std::string_view lanes);
// Whether one of them reads a peer's memory by itself. Over the others, TCP and datagrams, UCX lets the peer send it:
// that is no faster than a message, and UCX 1.13 may end the process where the peer has ended.
bool CanRead(std::string_view lanes);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_LANES_H_
