// A RankStatus in a control message.
#ifndef DFRUN_SRC_SESSION_CONTROL_CONTROL_ERROR_H_
#define DFRUN_SRC_SESSION_CONTROL_CONTROL_ERROR_H_

#include "src/session/control/control.pb.h"
#include "src/session/control/rank_status.h"

namespace dfrun {

void ToProto(const RankStatus& status, control::Error* proto);
RankStatus FromProto(const control::Error& proto);
// The status with the time now.
RankStatus StatusNow(Status status);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_CONTROL_ERROR_H_
