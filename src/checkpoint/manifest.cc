#include "src/checkpoint/manifest.h"

namespace dfrun {

const SavedVariable* Manifest::Find(const std::string& variable, size_t* shard) const {
  for (size_t s = 0; s < shards.size(); ++s) {
    for (const SavedVariable& v : shards[s].variables) {
      if (v.name == variable) {
        *shard = s;
        return &v;
      }
    }
  }
  return nullptr;
}

}  // namespace dfrun
