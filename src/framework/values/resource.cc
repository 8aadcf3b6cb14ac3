#include "src/framework/values/resource.h"

namespace dfrun {

void ResourceContainers::Reset(const std::string& container) {
  MutexLock lock(mu_);
  std::erase_if(objects_, [&](const auto& entry) { return std::get<0>(entry.first) == container; });
}

}  // namespace dfrun
