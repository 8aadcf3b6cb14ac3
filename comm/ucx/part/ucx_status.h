// Turns what UCX's calls return into a Status.
#ifndef DFRUN_COMM_UCX_PART_UCX_STATUS_H_
#define DFRUN_COMM_UCX_PART_UCX_STATUS_H_

#include <ucs/type/status.h>

#include <string_view>

#include "src/base/status.h"

namespace dfrun::comm {

// OK for UCS_OK; else Unavailable with "UCX could not <what>: <UCX's message>"; where it lacks memory
// ResourceExhausted, with what the host has of memory that processes share.
Status UcxStatus(ucs_status_t status, std::string_view what);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_STATUS_H_
