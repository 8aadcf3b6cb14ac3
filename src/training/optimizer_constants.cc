#include "src/training/optimizer_constants.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/training/narrow_values.h"

namespace dfrun {
namespace {

// A number of `train:` by the name of its key.
struct NamedNumber {
  std::string key;
  double value;
};

double RoundedTo(DType dtype, double value) {
  const Tensor rounded = ScalarOf(dtype, value);
  double result = value;
  VisitDType<float, bfloat16, float16>(dtype, [&](auto tag) {
    result = static_cast<double>(static_cast<float>(*rounded.data<typename decltype(tag)::type>()));
  });
  return result;
}

// Returns "0", "1" or "inf" where rounding to the dtype makes that of another value; "" where the value stays apart
// from them.
std::string TakenFor(DType dtype, double value, bool one_is_special) {
  const double rounded = RoundedTo(dtype, value);
  if (rounded == value) return "";
  if (rounded == 0) return "0";
  if (std::isinf(rounded)) return rounded > 0 ? "inf" : "-inf";
  return one_is_special && rounded == 1 ? "1" : "";
}

std::string Printed(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::vector<NamedNumber> RatesOf(const ScheduleSpec& schedule) {
  std::vector<NamedNumber> rates;
  if (schedule.kind != ScheduleSpec::Kind::kPiecewise) rates.push_back({"learning_rate", schedule.initial});
  if (schedule.kind == ScheduleSpec::Kind::kCosine) rates.push_back({"final", schedule.final});
  for (const double value : schedule.values) rates.push_back({"learning_rate", value});
  return rates;
}

class ConstantsCheck {
 public:
  explicit ConstantsCheck(const JobGraphDraft& draft) : draft_(draft), train_(*draft.spec.train) {}

  Status Check(NodeId variable) const {
    const DType dtype = draft_.job.graph.dtype({variable, 0});
    for (const auto& [key, value] : train_.optimizer.values()) {
      const double* const number = std::get_if<double>(&value);
      if (number != nullptr) DF_TRY(CheckNumber({key, *number}, dtype, true, variable));
    }
    for (const NamedNumber& rate : RatesOf(train_.learning_rate)) DF_TRY(CheckNumber(rate, dtype, false, variable));
    return train_.clip_norm ? CheckNumber({"clip_norm", *train_.clip_norm}, SumDType(dtype), false, variable)
                            : Status();
  }

 private:
  Status CheckNumber(const NamedNumber& number, DType dtype, bool one_is_special, NodeId variable) const {
    const std::string taken_for = TakenFor(dtype, number.value, one_is_special);
    if (taken_for.empty()) return Status();
    const std::string& name = draft_.job.graph.node(variable).name;
    const bool is_narrow = dtype != SumDType(dtype);
    const std::string way_out =
        is_narrow ? StrCat("write the variable as float32 and Cast(", name, ", DstT=", dtype, ") where it is used, or ")
                  : std::string();
    return InvalidArgument(draft_.LocationText(train_.location), "'", number.key, "' of 'train' is ",
                           Printed(number.value), ", which ", dtype, ", in which the variable '", name,
                           "' is trained, rounds to ", taken_for, ": ", way_out, "choose another '", number.key, "'");
  }

  const JobGraphDraft& draft_;
  const TrainSpec& train_;
};

}  // namespace

Status CheckOptimizerConstants(const JobGraphDraft& draft, const Replicas& replicas) {
  const ConstantsCheck check(draft);
  for (const Replicas::Trained& trained : replicas.trained()) DF_TRY(check.Check(trained.variable));
  return Status();
}

}  // namespace dfrun
