#include "src/spec/added_input.h"

#include <memory>
#include <utility>

#include "src/spec/input_nodes.h"

namespace dfrun {

Result<InputSpec> AddInput(InputSpec input, Graph& graph) {
  const SampleFormat* const format = SampleFormats::Find(input.format);
  if (format == nullptr) return Error(Code::kInternal, "there is no format '", input.format, "'");
  DF_ASSIGN(const std::unique_ptr<SampleSource> source, format->open(input.config));
  input.config.files = source->files();
  for (InputTensor& tensor : input.tensors) DF_TRY(source->AddField(tensor.field));
  DF_TRY(CountSamples(*source, input));
  if (input.num_samples == 0) {
    return NoInput(input.record_index.skipped > 0 ? "there are no samples without errors" : "there are no samples");
  }
  if (input.all) input.batch = input.num_samples;
  const std::string base = input.name;
  for (int i = 1; graph.Find(input.name + "/read") >= 0 || graph.Find(input.name + "/position") >= 0; ++i) {
    input.name = StrCat(base, "_", i);
  }
  DF_TRY(AddInputNodes(input, graph));
  return input;
}

InputSpec InputLike(const InputSpec& like, std::vector<std::string> files, const std::vector<bool>& needed) {
  InputSpec input = like;
  input.config.files = std::move(files);
  input.config.layouts.clear();
  input.record_index = {};
  input.with = InputSpec::kNoOther;
  input.tensors.clear();
  for (size_t i = 0; i < like.tensors.size(); ++i) {
    if (!needed[i]) continue;
    input.tensors.push_back(like.tensors[i]);
    input.tensors.back().field.classes.clear();
  }
  return input;
}

}  // namespace dfrun
