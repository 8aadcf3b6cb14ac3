#include "src/framework/device/step_recorder.h"

#include "src/base/registry.h"

namespace dfrun {
namespace {

Registry<RecordingTraits>& Traits() {
  static Registry<RecordingTraits>& traits = *new Registry<RecordingTraits>();
  return traits;
}

std::string KeyOf(std::string_view device_type, std::string_view op) {
  return StrCat(device_type, "/", op);
}

}  // namespace

const RecordingTraits* FindRecordingTraits(std::string_view device_type, std::string_view op) {
  return Traits().Find(KeyOf(device_type, op));
}

namespace internal {
RecordingTraitsRegistration::RecordingTraitsRegistration(std::string_view device_type, std::string_view op,
                                                         RecordingTraits traits) {
  Traits().Add(KeyOf(device_type, op), traits);
}
}  // namespace internal

}  // namespace dfrun
