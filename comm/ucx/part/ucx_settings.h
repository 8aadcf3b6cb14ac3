// UCX's settings in the environment, for error messages.
#ifndef DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
#define DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_

#include <ucs/type/status.h>

#include <string_view>

#include "src/base/status.h"

namespace dfrun::comm {

// Returns UcxStatus() for a call that fails if UCX may use no network that fits. If the environment has settings of
// UCX, it is a usage error that names them.
Status UcxStatusBySettings(ucs_status_t status, std::string_view what);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_SETTINGS_H_
