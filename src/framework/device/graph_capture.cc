#include "src/framework/device/graph_capture.h"

#include "src/base/registry.h"

namespace dfrun {
namespace {

Registry<CaptureTraits>& Traits() {
  static Registry<CaptureTraits>& traits = *new Registry<CaptureTraits>();
  return traits;
}

std::string KeyOf(std::string_view device_type, std::string_view op) {
  return StrCat(device_type, "/", op);
}

}  // namespace

const CaptureTraits* FindCaptureTraits(std::string_view device_type, std::string_view op) {
  return Traits().Find(KeyOf(device_type, op));
}

namespace internal {
CaptureTraitsRegistration::CaptureTraitsRegistration(std::string_view device_type, std::string_view op,
                                                     CaptureTraits traits) {
  Traits().Add(KeyOf(device_type, op), traits);
}
}  // namespace internal

}  // namespace dfrun
