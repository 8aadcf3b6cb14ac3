// Formats whose samples are the bytes of records: text lines and whole files.
#include "kernels/io/formats/raw_decoder.h"

namespace dfrun {
namespace {

Result<std::unique_ptr<SampleSource>> OpenText(const SampleConfig& config) {
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  return MakeRecordSource(config, std::move(files), TextLines(IntOption(config, "skip_lines", 0)),
                          MakeRawDecoder("line"));
}

Result<std::unique_ptr<SampleSource>> OpenWholeFiles(const SampleConfig& config) {
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  return MakeRecordSource(config, std::move(files), WholeFiles(), MakeRawDecoder("contents"));
}

SAMPLE_FORMAT(SampleFormat{.name = "text",
                           .options = RecordOptions({{.name = "skip_lines", .kind = SampleOption::Kind::kInt}}),
                           .default_fields = {{"line", "line"}},
                           .open = &OpenText});
SAMPLE_FORMAT(SampleFormat{.name = "whole_file",
                           .options = RecordOptions({}),
                           .default_fields = {{"contents", "contents"}, {"path", "path"}},
                           .open = &OpenWholeFiles});

}  // namespace
}  // namespace dfrun
