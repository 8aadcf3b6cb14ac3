#include "src/spec/schedule_numbers.h"

namespace dfrun {
namespace {

// The numbers before the boundaries.
constexpr size_t kHead = 7;

}  // namespace

// Steps are below 2^53, so that a double holds them.
std::vector<double> NumbersOf(const ScheduleSpec& schedule) {
  std::vector<double> numbers = {static_cast<double>(static_cast<int>(schedule.kind)),
                                 schedule.initial,
                                 schedule.final,
                                 schedule.factor,
                                 static_cast<double>(schedule.steps),
                                 static_cast<double>(schedule.warmup),
                                 static_cast<double>(schedule.boundaries.size())};
  numbers.insert(numbers.end(), schedule.boundaries.begin(), schedule.boundaries.end());
  numbers.insert(numbers.end(), schedule.values.begin(), schedule.values.end());
  return numbers;
}

Result<ScheduleSpec> ScheduleOf(std::span<const double> numbers) {
  if (numbers.size() < kHead || numbers[0] < 0 || numbers[0] > static_cast<int>(ScheduleSpec::Kind::kCosine))
    return InvalidArgument(numbers.size(), " numbers are no schedule of a learning rate");
  const auto boundaries = static_cast<size_t>(numbers[kHead - 1]);
  if (numbers.size() < kHead + boundaries)
    return InvalidArgument(numbers.size(), " numbers are no schedule with ", boundaries, " boundaries");
  ScheduleSpec schedule;
  schedule.kind = static_cast<ScheduleSpec::Kind>(static_cast<int>(numbers[0]));
  schedule.initial = numbers[1];
  schedule.final = numbers[2];
  schedule.factor = numbers[3];
  schedule.steps = static_cast<int64_t>(numbers[4]);
  schedule.warmup = static_cast<int64_t>(numbers[5]);
  const std::span<const double> rest = numbers.subspan(kHead);
  for (const double boundary : rest.first(boundaries)) schedule.boundaries.push_back(static_cast<int64_t>(boundary));
  schedule.values.assign(rest.begin() + static_cast<std::ptrdiff_t>(boundaries), rest.end());
  return schedule;
}

}  // namespace dfrun
