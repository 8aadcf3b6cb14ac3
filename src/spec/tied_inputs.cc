#include "src/spec/tied_inputs.h"

#include <algorithm>

#include "src/spec/schema/schema.h"

namespace dfrun {
namespace {

InputSpec* FindInput(std::string_view name, std::vector<InputSpec>& inputs) {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const InputSpec& i) { return i.name == name; });
  return found == inputs.end() ? nullptr : &*found;
}

bool Tie(InputSpec& input, std::vector<InputSpec>& inputs, const std::vector<std::string>& unread,
         Diagnostics& diagnostics) {
  if (std::find(unread.begin(), unread.end(), input.with) != unread.end()) return false;
  const auto fail = [&](const auto&... args) {
    diagnostics.Error(input.with_location, "input '", input.name, "' ", args...);
    return false;
  };
  const InputSpec* const leader = FindInput(input.with, inputs);
  if (leader == nullptr) {
    std::vector<std::string> names;
    for (const InputSpec& other : inputs) names.push_back(other.name);
    return fail("goes with '", input.with, "', which is no input", DidYouMean(input.with, names));
  }
  if (leader == &input) return fail("goes with itself");
  if (leader->follows()) {
    return fail("goes with '", leader->name, "', which goes with '", leader->with,
                "': name one input that goes with none, by all others");
  }
  if (leader->num_samples != input.num_samples) {
    return fail("has ", input.num_samples, " samples, but '", leader->name, "', which it goes with, ",
                leader->num_samples);
  }
  input.batch = leader->batch;
  input.all = leader->all;
  input.split = leader->split;
  input.shuffle = leader->shuffle;
  input.shuffle_buffer = leader->shuffle_buffer;
  input.batch_location = leader->batch_location;
  return true;
}

std::string Quoted(const InputSpec& input) {
  return StrCat("'", input.name, "'");
}

}  // namespace

const InputSpec& LeaderOf(const InputSpec& input, const std::vector<InputSpec>& inputs) {
  if (!input.follows()) return input;
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const InputSpec& i) { return i.name == input.with; });
  return found == inputs.end() ? input : *found;
}

void TieInputs(std::vector<InputSpec>& inputs, const std::vector<std::string>& unread, Diagnostics& diagnostics) {
  std::vector<std::string> untied;
  for (InputSpec& input : inputs) {
    if (input.follows() && !Tie(input, inputs, unread, diagnostics)) untied.push_back(input.name);
  }
  std::erase_if(inputs, [&](const InputSpec& input) {
    return std::find(untied.begin(), untied.end(), input.name) != untied.end();
  });
}

Status CheckTiesInPlace(const std::vector<InputSpec>& inputs, std::span<const InputInPlace> places,
                        const std::function<bool(const InputSpec&)>& counts) {
  for (const InputInPlace& place : places) {
    if (counts && !counts(*place.target)) continue;
    const InputSpec& leader = LeaderOf(*place.target, inputs);
    for (const InputSpec& member : inputs) {
      if (&member == place.target || &LeaderOf(member, inputs) != &leader) continue;
      if (counts && !counts(member)) continue;
      const auto other =
          std::find_if(places.begin(), places.end(), [&](const InputInPlace& p) { return p.target == &member; });
      const std::string together = StrCat(Quoted(*place.target), " and ", Quoted(member), " go together, and ");
      if (other == places.end()) {
        return InvalidArgument(together, Quoted(*place.source), " takes the place of the first alone: replace both");
      }
      if (&LeaderOf(*other->source, inputs) == &LeaderOf(*place.source, inputs)) continue;
      return InvalidArgument(together, Quoted(*place.source), " and ", Quoted(*other->source),
                             ", which take their places, do not: write `with` in one of these too");
    }
  }
  return Status();
}

}  // namespace dfrun
