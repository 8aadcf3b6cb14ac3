// One HDF5 file of samples: rows of its datasets.
#ifndef DFRUN_KERNELS_IO_HDF5_HDF5_SAMPLE_FILE_H_
#define DFRUN_KERNELS_IO_HDF5_HDF5_SAMPLE_FILE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/io/batch_builder.h"
#include "kernels/io/first_reading.h"
#include "kernels/io/hdf5/hdf5_blocks.h"
#include "kernels/io/hdf5/hdf5_plan.h"
#include "src/base/mapped_file.h"
#include "src/base/mutex.h"
#include "src/storage/hdf5_file.h"

namespace dfrun {

// Called in this order: AddField()s; Load(); Gather().
// Thread safety: Gather() from any thread after Load(); otherwise one thread.
class Hdf5SampleFile {
 public:
  // `known`: the layout of the file as far as it is known. It is ignored for another file, or one that has changed
  // since.
  static Result<std::unique_ptr<Hdf5SampleFile>> Open(const std::string& path, const Hdf5Rules& rules,
                                                      std::shared_ptr<Hdf5Helpers> helpers, const Hdf5Layout& known);

  // An error where it is no HDF5 file.
  Status Look() { return hdf5_->Look(); }

  // Adds a field by the contract of SampleSource::AddField(). The file's elements are converted to the field's dtype,
  // where one is declared.
  Status AddField(SampleField& field);
  // Rows that all fields have.
  int64_t samples() const { return num_samples_; }
  // The positions of the fields' bytes in the file.
  Hdf5Layout layout() const { return hdf5_->layout(); }
  // Makes ready for Gather().
  Status Load(const Hdf5Plan& plan);
  // Makes Gather() compare the data that it reads with the first readings, by field: row 0 is sample `begin` of those.
  // They outlive this.
  using FirstReadings = std::vector<std::unique_ptr<FirstReading>>;
  void CompareWith(const FirstReadings& first, int64_t begin) {
    first_ = &first;
    begin_ = begin;
  }
  // The file's state after Load(): is_open() is true if it stays open; kept_bytes() are the bytes of it that are copied
  // into memory, apart from blocks.
  bool is_open() const { return hdf5_->bytes().fd() >= 0; }
  size_t kept_bytes() const { return kept_bytes_; }
  // True after Load() if some dataset is still to be unpacked.
  bool unpacks_later() const;
  // True where Gather() copies from memory, of `bytes` more bytes a sample.
  bool IsInMemory(size_t& bytes) const;
  // Sample at[i] of the batch, which has the fields added, becomes rows[i].
  Status Gather(std::span<const int64_t> rows, std::span<const int64_t> at, BatchBuilder& batch);

 private:
  struct Column {
    SampleField field;
    DatasetInfo info;
    size_t row_bytes = 0;        // size of a row in the file
    const char* rows = nullptr;  // the whole dataset, mapped or in `kept`
    Tensor kept;
    std::unique_ptr<Hdf5Blocks> blocks;  // held with mu_; of one that is unpacked when it is needed
    std::vector<int64_t> list_ends;      // ends of the lists, in `kept`
    bool converts() const { return field.dtype != info.dtype; }
  };

  Hdf5SampleFile() = default;
  Status Inspect(Column& column);
  Status CheckRows(const Column& column) const;
  static Status Settle(const Column& column, SampleField& field);
  Status LoadColumn(Column& column, const Hdf5Plan& plan);
  void MapDatasets(bool touches);
  Status Keep(Column& column);
  Status KeepLists(Column& column);
  Status GatherStored(Column& column, std::span<const int64_t> rows, std::span<const int64_t> at, char* to);
  Status CompareRows(const Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                     const char* gathered) const;
  Status CopyStored(Column& column, std::span<const int64_t> rows, std::span<const int64_t> at, char* to);
  Status GatherConverted(Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                         const BatchBuilder::Room& to);
  static void GatherStrings(const Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                            std::string* to);
  static Status GatherLists(const Column& column, std::span<const int64_t> rows, std::span<const int64_t> at, size_t f,
                            BatchBuilder& batch);

  const std::string& path() const { return hdf5_->path(); }

  std::unique_ptr<Hdf5File> hdf5_;  // but for its bytes held with mu_ in Gather()
  MappedFile mapped_;               // the file's bytes, where the datasets are not too large
  bool is_touched_ = false;         // all mapped datasets are in memory
  std::vector<Column> columns_;
  int64_t num_samples_ = 0;
  size_t kept_bytes_ = 0;
  const FirstReadings* first_ = nullptr;
  int64_t begin_ = 0;
  Mutex mu_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_HDF5_HDF5_SAMPLE_FILE_H_
