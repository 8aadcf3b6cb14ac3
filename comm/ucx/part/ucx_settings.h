// The settings of UCX that come from outside.
#ifndef DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
#define DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_

#include <ucs/type/status.h>

#include <string_view>

#include "comm/ucx/ucx_networks.h"
#include "src/base/status.h"

namespace dfrun::comm {

// Whether a user decides what UCX may use, as UCX itself reads it from the environment and its files.
bool UcxIsSetByUser();

// As UcxStatus(), of what fails where UCX may use nothing that fits: a usage error that names the settings if there are
// any; else it names what this program asks for.
Status UcxStatusBySettings(ucs_status_t status, std::string_view what, const UcxNetworks& asked);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
