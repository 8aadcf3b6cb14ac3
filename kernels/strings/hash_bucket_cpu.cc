#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/fingerprint.h"
#include "kernels/strings/string_map.h"

namespace dfrun {
namespace {

class Bucket {
 public:
  explicit Bucket(KernelSetup& setup) : buckets_(static_cast<uint64_t>(setup.attr<int64_t>("num_buckets"))) {
    if (static_cast<int64_t>(buckets_) < 1) setup.Fail(InvalidArgument("num_buckets must be positive"));
  }
  int64_t operator()(const std::string& text) const { return static_cast<int64_t>(Fingerprint64(text) % buckets_); }

 private:
  const uint64_t buckets_;
};

CPU_KERNEL_ANY("StringToHashBucketFast", MapStrings<Bucket>);

}  // namespace
}  // namespace dfrun
