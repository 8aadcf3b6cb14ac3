// The conversion of a UCX call's result to a Status.
#ifndef DFRUN_COMM_UCX_PART_UCX_STATUS_H_
#define DFRUN_COMM_UCX_PART_UCX_STATUS_H_

#include <ucs/type/status.h>

#include <string_view>

#include "src/base/status.h"

namespace dfrun::comm {

// Returns OK for UCS_OK; otherwise Unavailable with "UCX could not <what>: <UCX's message>". If UCX lacks memory, it is
// ResourceExhausted with the size of the host's shared memory.
Status UcxStatus(ucs_status_t status, std::string_view what);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_STATUS_H_
