#include "src/spec/input_feeds.h"

#include <algorithm>
#include <utility>

#include "src/base/text.h"

namespace dfrun {
namespace {

// The number of classes that a list shows.
constexpr size_t kMaxShown = 20;

// The input and the tensor that an output is.
std::pair<const InputSpec*, const InputTensor*> FindTensor(const std::vector<InputSpec>& inputs, Output output) {
  for (const InputSpec& input : inputs) {
    for (const InputTensor& tensor : input.tensors) {
      if (tensor.value == output) return {&input, &tensor};
    }
  }
  return {};
}

std::string NameOf(const InputSpec& input, const InputTensor& tensor) {
  return StrCat("'", input.name, "/", tensor.name, "'");
}

// Returns OK where one of the two has no classes.
Status CompareClasses(const std::string& name, const std::vector<std::string>& classes, const std::string& wanted_name,
                      const std::vector<std::string>& wanted) {
  if (classes.empty() || wanted.empty() || classes == wanted) return Status();
  const auto differ = std::mismatch(classes.begin(), classes.end(), wanted.begin(), wanted.end());
  return InvalidArgument(name, " numbers the classes ", ListClasses(classes), ", but ", wanted_name, " ",
                         ListClasses(wanted), ", other ones from number ", differ.first - classes.begin(),
                         " on: give both inputs one list, 'classes: [...]'");
}

}  // namespace

std::string ListClasses(const std::vector<std::string>& classes) {
  if (classes.size() <= kMaxShown) return StrCat("[", Join(classes), "]");
  const std::vector<std::string> first(classes.begin(), classes.begin() + kMaxShown);
  return StrCat("[", Join(first), ", ... ", classes.size(), " in all]");
}

Status CheckInPlaceOf(const InputSpec& target, const InputTensor& target_tensor, const InputSpec& source,
                      const InputTensor& source_tensor) {
  const SampleField& wanted = target_tensor.field;
  const SampleField& given = source_tensor.field;
  if (given.dtype != wanted.dtype || !(given.shape == wanted.shape)) {
    return InvalidArgument(NameOf(source, source_tensor), " has samples ", given.dtype, given.shape, ", but those of ",
                           NameOf(target, target_tensor), " are ", wanted.dtype, wanted.shape);
  }
  return CompareClasses(NameOf(source, source_tensor), given.classes, NameOf(target, target_tensor), wanted.classes);
}

Status CheckSameClasses(const std::vector<InputSpec>& inputs, Output target, Output source) {
  const auto [target_input, target_tensor] = FindTensor(inputs, target);
  const auto [source_input, source_tensor] = FindTensor(inputs, source);
  if (target_tensor == nullptr || source_tensor == nullptr) return Status();
  return CompareClasses(NameOf(*source_input, *source_tensor), source_tensor->field.classes,
                        NameOf(*target_input, *target_tensor), target_tensor->field.classes);
}

}  // namespace dfrun
