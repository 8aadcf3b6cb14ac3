// The settings of UCX in the environment, for messages.
#ifndef DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
#define DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_

#include <ucs/type/status.h>

#include <string_view>

#include "src/base/status.h"

namespace dfrun::comm {

// As UcxStatus(), of what fails where UCX may use nothing that fits: a usage error that names the settings if there are
// any.
Status UcxStatusBySettings(ucs_status_t status, std::string_view what);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
