// A data set whose samples are records of files. A RecordFormat finds the records, and a RecordDecoder makes tensors of
// them.
#ifndef DFRUN_KERNELS_IO_RECORD_SOURCE_H_
#define DFRUN_KERNELS_IO_RECORD_SOURCE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/io/record_decoder.h"
#include "kernels/io/record_format.h"
#include "src/storage/sample_source.h"

namespace dfrun {

// The keys that every format of records takes beside its own: compression, on_error.
std::vector<SampleOption> RecordOptions(std::vector<SampleOption> own);
// An option's number, whose range the caller checks; `otherwise` where it is not given.
int64_t IntOption(const SampleConfig& config, std::string_view name, int64_t otherwise);
std::string TextOption(const SampleConfig& config, std::string_view name, std::string_view otherwise);
// A list of texts; nothing where it is not given.
std::optional<std::vector<std::string>> TextsOption(const SampleConfig& config, std::string_view name);
// The paths that fit the patterns, sorted within each. NotFound for a pattern that nothing fits.
Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& patterns);
// The compression that the options of `config` name.
Result<Compression> CompressionOf(const SampleConfig& config);

bool SkipsErrors(const SampleConfig& config);

// `files` are expanded.
Result<std::unique_ptr<SampleSource>> MakeRecordSource(const SampleConfig& config, std::vector<std::string> files,
                                                       std::unique_ptr<RecordFormat> format,
                                                       std::unique_ptr<RecordDecoder> decoder);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_RECORD_SOURCE_H_
