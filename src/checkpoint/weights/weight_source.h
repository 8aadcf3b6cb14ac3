// Values of variables in files of any program: those that `init_from` takes.
//
// A format of files is a source file that registers itself:
//
//   WEIGHT_FORMAT("npz", {.what = "a NumPy archive", .recognizes = &IsNpz, .open = &OpenNpz});
#ifndef DFRUN_SRC_CHECKPOINT_WEIGHTS_WEIGHT_SOURCE_H_
#define DFRUN_SRC_CHECKPOINT_WEIGHTS_WEIGHT_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/registry.h"
#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// An open source. Files may be anyone's: what they claim is checked against their sizes before memory is taken.
// Thread safety: one thread at a time.
class WeightSource {
 public:
  struct Entry {
    std::string name;                       // "dense/kernel"
    std::vector<std::string> aliases = {};  // further names of it: "dense/kernel:0"
    DType dtype = DType::kInvalid;          // kInvalid: no dtype is like the file's type
    std::string type = {};                  // then how the file calls it
    Shape shape = {};
  };

  virtual ~WeightSource() = default;
  WeightSource(const WeightSource&) = delete;
  WeightSource& operator=(const WeightSource&) = delete;

  // "the NumPy archive a.npz".
  const std::string& what() const { return what_; }
  // In the order of their names.
  const std::vector<Entry>& entries() const { return entries_; }
  // Reads the values of an entry that has a dtype. DataLoss where the file is damaged.
  virtual Result<Tensor> Read(size_t entry) = 0;

 protected:
  explicit WeightSource(std::string what) : what_(std::move(what)) {}
  // Whether so many bytes are the values of a tensor of this plain dtype and shape: asked before memory is taken.
  static bool IsSizeOf(DType dtype, const Shape& shape, uint64_t bytes);

  std::vector<Entry> entries_;

 private:
  const std::string what_;
};

// The first bytes of a file.
struct FileHead {
  std::string path;
  std::string bytes;  // at most kMaxHeadBytes
  bool is_directory = false;
  bool exists = false;
};
inline constexpr size_t kMaxHeadBytes = 4096;

struct WeightFormat {
  std::string what;                          // "a NumPy archive (.npz)"
  bool (*recognizes)(const FileHead& file);  // by the content alone, or by files beside it
  Result<std::unique_ptr<WeightSource>> (*open)(const std::string& path);
};

// Thread safety: as a Registry.
Registry<WeightFormat>& WeightFormats();

// Opens what a path names: a run directory, a checkpoint or a file of one of the formats. NoInput where there is none;
// BadSpec where its content is of no format, which lists the formats; DataLoss where it is damaged.
Result<std::unique_ptr<WeightSource>> OpenWeights(const std::string& path);

namespace internal {
struct WeightFormatRegistration {
  WeightFormatRegistration(std::string name, WeightFormat format) {
    WeightFormats().Add(std::move(name), std::move(format));
  }
};
}  // namespace internal

#define WEIGHT_FORMAT(name, ...)                                                                                       \
  [[maybe_unused]] static const ::dfrun::internal::WeightFormatRegistration DF_CONCAT(df_weight_format_, __COUNTER__)( \
      name, __VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_WEIGHTS_WEIGHT_SOURCE_H_
