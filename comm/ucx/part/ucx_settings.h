// The settings of UCX that come from outside.
#ifndef DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
#define DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_

#include <ucs/type/status.h>

#include <string_view>

#include "comm/ucx/ucx_networks.h"
#include "src/base/status.h"

namespace dfrun::comm {

// Returns whether the user decides what UCX may use, as UCX itself reads it from the environment and its files.
bool UcxIsSetByUser();

// Returns UcxStatus() for a call that fails if UCX may use no network that fits. If the environment has settings of
// UCX, it is a usage error that names them; else the error names `asked`, what this program asked UCX for.
Status UcxStatusBySettings(ucs_status_t status, std::string_view what, const UcxNetworks& asked);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
