#include "src/job/hparams.h"

#include <cmath>

#include "src/base/json/json_reader.h"
#include "src/base/text.h"
#include "src/job/saved_settings.h"

namespace dfrun {
namespace {

// A text as the number or bool that it is.
JsonValue ValueOf(const std::string& text) {
  if (text == "true" || text == "false") return JsonValue::Bool(text == "true");
  const Result<JsonValue> json = ParseJson(text);
  if (json.ok() && json->kind() == JsonValue::Kind::kNumber) return *json;
  return JsonValue::Text(text);
}

void AddTo(const std::string& name, JsonValue value, JsonValue& hparams) {
  if (hparams.Find(name) == nullptr) hparams.Append(name, std::move(value));
}

}  // namespace

JsonValue HParamsOf(const LoadedSpec& spec) {
  const JobSpec& job = spec.job;
  JsonValue hparams = JsonValue::Object();
  for (const auto& [name, text] : job.params) AddTo(name, ValueOf(text), hparams);
  for (const SavedSetting& setting : TrainSettingsOf(spec)) AddTo(setting.name, ValueOf(setting.value), hparams);
  AddTo("seed", JsonValue::Number(StrCat(job.seed)), hparams);
  if (job.run) AddTo("steps", JsonValue::Number(StrCat(job.run->steps)), hparams);
  if (!job.train) return hparams;
  AddTo("steps", JsonValue::Number(StrCat(job.train->steps)), hparams);
  if (job.train->input >= 0) {
    const InputSpec& input = job.inputs[static_cast<size_t>(job.train->input)];
    AddTo("batch", JsonValue::Number(StrCat(input.batch)), hparams);
  }
  return hparams;
}

}  // namespace dfrun
