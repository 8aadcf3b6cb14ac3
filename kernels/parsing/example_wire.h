// Features in the bytes of an Example message, taken without making an object of the message.
#ifndef DFRUN_KERNELS_PARSING_EXAMPLE_WIRE_H_
#define DFRUN_KERNELS_PARSING_EXAMPLE_WIRE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/dtype.h"

namespace dfrun {

// The values of a feature, all of them checked.
struct WireFeature {
  DType dtype = DType::kInvalid;  // kString, kFloat or kInt64; kInvalid: the message has no such feature
  int64_t values = 0;
  std::string_view list;  // the message of the list, within the bytes that were looked at
};

// Finds the feature of every key; `found` has as many entries as there are keys. False where the bytes are no Example
// message, and where they are one that is written in an unusual way, though it may be a good one: see
// CanonicalExample(). What this accepts, the full parser accepts, and takes for the same.
// Source: the protocol buffer encoding; src/storage/example.proto.
[[nodiscard]] bool FindWireFeatures(std::string_view message, std::span<const std::string> keys,
                                    std::span<WireFeature> found);

// The message in the form that FindWireFeatures() accepts: parsed by the full parser and written without unknown
// fields. False where the bytes are no Example message.
[[nodiscard]] bool CanonicalExample(std::string_view message, std::string& canonical);

// A feature of every step of a SequenceExample.
struct WireFeatureList {
  bool is_there = false;
  std::vector<WireFeature> steps;  // a step without the feature has dtype kInvalid and no values
};
// Finds the feature lists of a SequenceExample, as FindWireFeatures() finds the features of an Example. The context of
// a SequenceExample is an Example for FindWireFeatures().
[[nodiscard]] bool FindWireFeatureLists(std::string_view message, std::span<const std::string> keys,
                                        std::span<WireFeatureList> found);
[[nodiscard]] bool CanonicalSequenceExample(std::string_view message, std::string& canonical);

// The names of the features of an Example or a SequenceExample, sorted; those that can be read in bytes that are none.
std::vector<std::string> FeatureNames(std::string_view message);

// All values, to `to`, which has room for them. For features of the dtype that it is named for.
void CopyFloats(const WireFeature& feature, float* to);
void CopyInt64s(const WireFeature& feature, int64_t* to);
void CopyStrings(const WireFeature& feature, std::string* to);
// The value of a feature of one string.
std::string_view OnlyString(const WireFeature& feature);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_PARSING_EXAMPLE_WIRE_H_
