// Any bytes as an Example message: the parser that takes features from its bytes accepts nothing that the full parser
// does not, and with what that one makes of the rest accepts all that it does.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/parsing/example_wire.h"
#include "src/storage/example.pb.h"

namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

const std::array<std::string, 2> kKeys = {"image", "label"};

// Checks that the feature has as many values as the full parser finds. Copies each into memory of exactly its size.
void CheckFeature(const dfrun::WireFeature& found, const dfrun::proto::Feature& parsed) {
  const auto values = static_cast<size_t>(found.values);
  if (found.dtype == dfrun::DType::kString) {
    std::vector<std::string> strings(values);
    dfrun::CopyStrings(found, strings.data());
    Check(found.values == parsed.bytes_list().value_size(), "another number of strings");
  } else if (found.dtype == dfrun::DType::kFloat) {
    std::vector<float> floats(values);
    dfrun::CopyFloats(found, floats.data());
    Check(found.values == parsed.float_list().value_size(), "another number of floats");
  } else if (found.dtype == dfrun::DType::kInt64) {
    std::vector<int64_t> numbers(values);
    dfrun::CopyInt64s(found, numbers.data());
    const auto& list = parsed.int64_list().value();
    Check(std::vector<int64_t>(list.begin(), list.end()) == numbers, "other numbers");
  } else {
    Check(parsed.kind_case() == dfrun::proto::Feature::KIND_NOT_SET, "a feature was not found");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  dfrun::proto::Example example;
  const bool is_good = example.ParseFromArray(data, static_cast<int>(size));
  std::array<dfrun::WireFeature, kKeys.size()> found;
  std::string canonical;
  const bool is_read =
      dfrun::FindWireFeatures(message, kKeys, found) ||
      (dfrun::CanonicalExample(message, canonical) && dfrun::FindWireFeatures(canonical, kKeys, found));
  Check(is_read == is_good, is_good ? "a good message was refused" : "a damaged message was accepted");
  if (!is_good) return 0;
  const auto& features = example.features().feature();
  for (size_t k = 0; k < kKeys.size(); ++k) {
    const auto at = features.find(kKeys[k]);
    CheckFeature(found[k], at == features.end() ? dfrun::proto::Feature() : at->second);
  }
  return 0;
}
