// The implementations of Collective in this program. Each registers itself in its own folder:
//
//   COLLECTIVE("point_to_point", {.priority = 0, .serves = &Serves, .channels = &Channels, .ends = &Ends,
//                                 .make = &Make});
#ifndef DFRUN_SRC_FRAMEWORK_COMMUNICATION_COLLECTIVE_REGISTRY_H_
#define DFRUN_SRC_FRAMEWORK_COMMUNICATION_COLLECTIVE_REGISTRY_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/registry.h"
#include "src/framework/communication/collective.h"
#include "src/framework/communication/communicator.h"
#include "src/framework/device/device.h"

namespace dfrun {

// An implementation of collectives. The master asks all functions but `make` when a graph is compiled: without the
// device, and without its driver.
struct CollectiveDef {
  // Among the implementations that serve all participants, the one of the highest priority is taken.
  int priority = 0;
  bool (*serves)(std::string_view device_type);
  // Returns the number of channels that a collective needs, equal for all participants; 0 where its messages go other
  // ways.
  int32_t (*channels)(const CollectivePlan& plan);
  // Returns this participant's ends of the channels to other ranks. Each channel carries one message a step.
  std::vector<ChannelEndpoint> (*ends)(const CollectivePlan& plan);
  // Makes the participant's end, on the rank of its device, which must outlive it. The call is not collective: other
  // participants make theirs at other times.
  Result<std::unique_ptr<Collective>> (*make)(const CollectivePlan& plan, Device& device);
};

Registry<CollectiveDef>& Collectives();

// The name of the implementation that participants on devices of these types use; empty if none serves all of them.
std::string FindCollective(std::span<const std::string> device_types);
// Returns the implementation that a participant's attr `implementation` names; InvalidArgument if it names none.
Result<const CollectiveDef*> CollectiveOf(const AttrMap& attrs);

struct CollectiveRegistration {
  CollectiveRegistration(const char* name, CollectiveDef def) { Collectives().Add(name, def); }
};
#define COLLECTIVE(name, ...)                                                          \
  static const ::dfrun::CollectiveRegistration DF_CONCAT(df_collective_, __COUNTER__)( \
      name, ::dfrun::CollectiveDef __VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_COMMUNICATION_COLLECTIVE_REGISTRY_H_
