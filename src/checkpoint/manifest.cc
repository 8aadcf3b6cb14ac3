#include "src/checkpoint/manifest.h"

namespace dfrun {
namespace {

constexpr const char* kSkipped = "skipped";  // a name in Manifest::state

}  // namespace

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

bool IsFurtherFileName(std::string_view name) {
  return name.starts_with("tf.") && name.find('/') == std::string_view::npos;
}

int64_t Manifest::skipped_steps() const {
  const JsonValue* const skipped = state.Find(kSkipped);
  const Result<int64_t> steps = skipped == nullptr ? 0 : skipped->GetInt("steps");
  return steps.ok() ? *steps : 0;
}

void Manifest::set_skipped_steps(int64_t steps) {
  if (steps == 0) return state.Remove(kSkipped);
  state.Set(kSkipped, JsonValue::Object().Set("steps", JsonValue::Int(steps)));
}

}  // namespace dfrun
