// Chooses the implementation of a collective: Sends, Recvs and sums, or a node of each participant and an
// implementation of src/framework/communication/collective_registry.h. No other place decides this.
#ifndef DFRUN_SRC_COLLECTIVES_CHOICE_H_
#define DFRUN_SRC_COLLECTIVES_CHOICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// The user's option.
enum class CollectivesOption {
  kAuto,
  kLowered,       // Sends, Recvs and sums
  kParticipants,  // nodes of participants wherever they can be
};
// "auto", "lowered" or "participants"; else a usage error.
Result<CollectivesOption> ParseCollectivesOption(std::string_view text);

// A collective whose participants bring values of one known shape, in each step.
struct CollectiveRequest {
  int participants = 0;
  int64_t bytes = 0;                 // bytes that each participant brings
  std::vector<std::string> devices;  // full names, by participant; empty before placement
};

// Returns the implementation that its participants' nodes use; empty: Sends, Recvs and sums. Before placement an answer
// that is not empty holds for some devices, and must be asked for again when they are known.
Result<std::string> ChooseCollective(const CollectiveRequest& request, CollectivesOption option);

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_CHOICE_H_
