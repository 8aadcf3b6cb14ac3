// Data sets of samples, by format: a section of `inputs:` reads one. kernels/io defines the formats; the spec asks them
// for their options and for the content of a file.
//
//   SAMPLE_FORMAT(SampleFormat{.name = "csv", .options = {...}, .open = &OpenCsv});
#ifndef DFRUN_SRC_STORAGE_SAMPLE_SOURCE_H_
#define DFRUN_SRC_STORAGE_SAMPLE_SOURCE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/tensor.h"

namespace dfrun {

// Copying this much takes about as long as a sleeping thread takes to run (20 us).
inline constexpr size_t kShortCopyBytes = size_t{128} << 10;

// The most threads that read a data set on a device, and batches that are read ahead of need.
inline constexpr int64_t kMaxSampleThreads = 256;
inline constexpr int64_t kMaxBatchesAhead = 4096;

// A tensor of every sample.
struct SampleField {
  std::string from;                       // the format's word for its source: a dataset, a column, a feature
  DType dtype = DType::kInvalid;          // kInvalid: as the format finds it
  PartialShape shape;                     // shape of one sample; unknown rank: the format finds it; unknown sizes: the
                                          // largest of the batch, padded
  std::optional<std::string> fallback;    // stands for missing values, and pads; without it 0 or "" pads
  bool is_exact = false;                  // the format chose a dtype that may hold the values: where not, an error
  std::vector<std::string> classes = {};  // names of its numbers from 0 on, if the format knows them
};

using SampleOptions = std::map<std::string, std::string, std::less<>>;

struct SampleConfig {
  std::vector<std::string> files;  // paths, with *, ? and [...]
  SampleOptions options;
  // SampleSource::layouts() of one of these files and fields, if only on another host; empty: nothing is known.
  std::string layouts = {};
};

// An index of the files' records, found by looking through them once: a source of the same files need not do so again.
struct RecordIndex {
  // Records one after the other in a file, of which a source finds all when it needs one.
  struct Piece {
    int64_t file = 0;
    int64_t begin = 0;  // the byte from which on its first record is looked for
    int64_t records = 0;
  };
  std::vector<Piece> pieces;  // in the order of the samples
  std::vector<int64_t>
      left_out;         // records that are no samples for an error, by their numbers over all pieces, ascending
  int64_t skipped = 0;  // records left out, files that cannot be read, and records that follow a damaged length

  int64_t samples() const {
    int64_t records = 0;
    for (const Piece& piece : pieces) records += piece.records;
    return records - static_cast<int64_t>(left_out.size());
  }
};

// The samples of some files in a fixed order, each read by its number.
// Called in this order: AddField()s; Count() or Load(); Gather().
// Thread safety: Gather() from any thread after Load(); otherwise one thread.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  // The files there are, sorted pattern by pattern.
  virtual const std::vector<std::string>& files() const = 0;
  // Gives a dtype and a shape where `field` left them open. An error describes the fault in the field, or in the file.
  virtual Status AddField(SampleField& field) = 0;
  // Looks through the files; logs the first records that it leaves out for an error.
  virtual Result<RecordIndex> Count() = 0;
  // Returns further options, with which sources of the same files and fields on other hosts read the same. Call after
  // the AddField()s.
  virtual SampleOptions Settled() const { return {}; }
  // Returns the places of the samples in the files, in the format's own words, for sources that then need not look.
  // Call after Count().
  virtual std::string layouts() const { return ""; }
  // Makes ready for Gather(): of the samples that another source of these files and fields counted, or without pieces,
  // of those that it finds itself. The number of samples.
  virtual Result<int64_t> Load(const RecordIndex& record_index) = 0;
  // Returns true where Gather() of so many samples takes no longer than a short copy.
  virtual bool IsShortCopy(int64_t samples) const = 0;
  // Returns a tensor [samples.size(), ...] a field. DataLoss where a file has changed since it was counted.
  virtual Result<std::vector<Tensor>> Gather(std::span<const int64_t> samples, Allocator& allocator) = 0;
};

// Makes an error met while reading data one of the job: NoInput where they are missing, unreadable or damaged. Other
// errors stay as they are.
Status AsInputError(const Status& status);

// A key of the format's own. A list of texts is one value of SampleConfig::options, its lines.
struct SampleOption {
  enum class Kind { kInt, kBytes, kBool, kText, kTexts };  // kBytes: an integer, or a number with a unit of bytes
  std::string name;
  Kind kind = Kind::kText;
  bool required = false;
  std::vector<std::string> choices = {};  // for kText; empty: any
};

struct SampleFormat {
  std::string name;  // the key that names the files
  std::vector<SampleOption> options = {};
  // Tensors, by name, where none are asked for: {name, from}.
  std::vector<std::pair<std::string, std::string>> default_fields = {};
  Result<std::unique_ptr<SampleSource>> (*open)(const SampleConfig& config) = nullptr;
};

// Thread safety: registration ends before main(); then any thread.
class SampleFormats {
 public:
  // Returns null if there is none.
  static const SampleFormat* Find(std::string_view name);
  // Sorted by name.
  static std::vector<const SampleFormat*> List();
};

namespace internal {
struct SampleFormatRegistration {
  explicit SampleFormatRegistration(SampleFormat format);
};
}  // namespace internal

#define SAMPLE_FORMAT(...)                                                                               \
  [[maybe_unused]] static const ::dfrun::internal::SampleFormatRegistration DF_CONCAT(df_sample_format_, \
                                                                                      __COUNTER__)(__VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_SAMPLE_SOURCE_H_
