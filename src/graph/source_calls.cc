#include "src/graph/source_calls.h"

#include "src/base/status.h"

namespace dfrun {

ShownLocation ShowLocation(SourceLocation location, std::span<const SourceCall> chain,
                           const std::function<bool(int32_t file)>& is_library,
                           const std::function<std::string(SourceLocation)>& print) {
  ShownLocation shown{location, {}};
  size_t i = 0;
  for (; i < chain.size() && is_library(shown.location.file); ++i) {
    shown.calls += StrCat("; in function '", chain[i].function, "', at ", print(shown.location));
    shown.location = chain[i].location;
  }
  for (; i < chain.size(); ++i)
    shown.calls += StrCat("; in function '", chain[i].function, "', called at ", print(chain[i].location));
  return shown;
}

}  // namespace dfrun
