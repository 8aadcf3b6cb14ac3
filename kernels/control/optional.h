// Optional: the element of a variant that has a value or none.
#ifndef DFRUN_KERNELS_CONTROL_OPTIONAL_H_
#define DFRUN_KERNELS_CONTROL_OPTIONAL_H_

#include <string>
#include <vector>

#include "kernels/control/deferred_release.h"
#include "src/framework/values/variant.h"

namespace dfrun {

// Immutable once it is in a Variant.
struct Optional final : VariantValue {
  Optional() = default;
  Optional(const Optional&) = default;
  ~Optional() override { ReleaseWithoutRecursion(components); }
  std::string DebugString() const override {
    return components.empty() ? "an Optional without a value" : StrCat("an Optional of ", components.size(), " values");
  }
  std::vector<Tensor> components;  // owned; none: it holds nothing
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_OPTIONAL_H_
