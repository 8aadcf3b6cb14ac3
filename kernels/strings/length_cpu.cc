#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/string_map.h"
#include "kernels/strings/utf8.h"

namespace dfrun {
namespace {

class Length {
 public:
  explicit Length(KernelSetup& setup) : characters_(CountsCharacters(setup)) {}
  int32_t operator()(const std::string& text) const {
    return static_cast<int32_t>(characters_ ? CountCharacters(text) : static_cast<int64_t>(text.size()));
  }

 private:
  const bool characters_;
};

CPU_KERNEL_ANY("StringLength", MapStrings<Length>);

}  // namespace
}  // namespace dfrun
