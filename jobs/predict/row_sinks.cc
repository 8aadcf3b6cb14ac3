#include "jobs/predict/row_sinks.h"

#include <utility>

#include "jobs/eval/output_arrays.h"
#include "src/storage/hdf5_library.h"

namespace dfrun::jobs {
namespace {

Result<std::vector<ArrayInfo>> WholeArrays(const std::vector<PredictedRows>& fetches, int64_t rows) {
  std::vector<ArrayInfo> arrays;
  for (const PredictedRows& fetch : fetches) {
    std::vector<int64_t> sizes = {rows};
    sizes.insert(sizes.end(), fetch.shape.dims().begin(), fetch.shape.dims().end());
    Result<Shape> shape = Shape::Create(sizes);
    if (!shape.ok()) return shape.status().Annotate(StrCat("the rows of '", fetch.name, "'"));
    arrays.push_back({fetch.name, fetch.dtype, *std::move(shape)});
  }
  return arrays;
}

// Checks that values have a row a sample, of the shape that the graph says.
Status CheckRows(const std::vector<PredictedRows>& fetches, int64_t first, int64_t samples,
                 std::span<const Tensor> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<int64_t> sizes = {samples};
    const PartialShape& row = fetches[i].shape;
    if (row.known_rank()) sizes.insert(sizes.end(), row.dims().begin(), row.dims().end());
    const Shape& shape = values[i].shape();
    const bool fits =
        row.known_rank() ? PartialShape(sizes).IsCompatibleWith(shape) : shape.rank() > 0 && shape[0] == samples;
    if (fits) continue;
    return Error(Code::kBadSpec, "'", fetches[i].name, "' has the shape ", shape, " for the ", samples,
                 " samples from ", first, " on: it is no row a sample");
  }
  return Status();
}

class PlacedRows final : public RowSink {
 public:
  PlacedRows(const SinkRequest& request, PartialFile& file)
      : fetches_(request.fetches), rows_(request.rows), file_(file) {}

  Status Begin() override {
    if (file_.is_resumed()) return CheckSize();
    DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
    return file_.Make([&](const std::string& path) { return MakeFile(*library, path); });
  }
  std::vector<RowsInFile> Places() const override {
    std::vector<RowsInFile> places;
    for (const int64_t offset : file_.record().offsets) places.push_back({file_.path(), offset});
    return places;
  }
  Status Take(int64_t first, int64_t samples, std::span<const Tensor> values) override {
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t written = values[i].scalar<int64_t>();
      if (written == samples) continue;
      return Error(Code::kBadSpec, "'", fetches_[i].name, "' has ", written, " rows for the ", samples,
                   " samples from ", first, " on: it is no row a sample");
    }
    return Status();
  }
  Status Finish() override { return file_.Commit(); }

 private:
  Status MakeFile(const Hdf5Library& library, const std::string& path) {
    DF_ASSIGN(const std::unique_ptr<Hdf5Writer> file, library.Create(path));
    DF_TRY(MarkHdf5(*file));
    DF_ASSIGN(const std::vector<ArrayInfo> arrays, WholeArrays(fetches_, rows_));
    for (const ArrayInfo& array : arrays) {
      // The library gives the dataset its place; it needs only the dtype and shape of the value.
      const Tensor header = Tensor::Borrowed(array.dtype, array.shape, nullptr);
      const Result<DatasetInfo> added = file->Write("/" + array.name, header, /*write_bytes=*/false);
      DF_TRY(added.status().Annotate("writing the fetch '" + array.name + "'"));
      file_.record().offsets.push_back(static_cast<int64_t>(added->offset));
    }
    return file->Close();
  }

  Status CheckSize() const {
    DF_ASSIGN(const std::vector<ArrayInfo> arrays, WholeArrays(fetches_, rows_));
    DF_ASSIGN(const uint64_t bytes, file_.file().Size());
    const std::vector<int64_t>& offsets = file_.record().offsets;
    bool fits = offsets.size() == arrays.size();
    for (size_t i = 0; fits && i < arrays.size(); ++i) {
      const auto size = static_cast<uint64_t>(arrays[i].shape.num_elements()) * DTypeSize(arrays[i].dtype);
      fits = static_cast<uint64_t>(offsets[i]) + size <= bytes;
    }
    if (fits) return Status();
    return Error(Code::kDataLoss, file_.path(), " is not as its record says; --force begins anew");
  }

  const std::vector<PredictedRows>& fetches_;
  const int64_t rows_;
  PartialFile& file_;
};

class CsvRows final : public RowSink {
 public:
  CsvRows(const SinkRequest& request, PartialFile& file)
      : fetches_(request.fetches), rows_(request.rows), path_(request.path), file_(file) {}

  Status Begin() override {
    bytes_ = file_.record().bytes;
    if (file_.is_resumed()) return Status();
    DF_ASSIGN(const std::vector<ArrayInfo> arrays, WholeArrays(fetches_, rows_));
    DF_ASSIGN(const std::string header, CsvHeader(arrays, path_ != nullptr));
    DF_TRY(file_.Make([](const std::string&) { return Status(); }));
    return Append(header);
  }
  Status Take(int64_t first, int64_t samples, std::span<const Tensor> values) override {
    DF_TRY(CheckRows(fetches_, first, samples, values));
    return Append(CsvLines(first, values, path_));
  }
  int64_t bytes() const override { return bytes_; }
  Status Finish() override { return file_.Commit(); }

 private:
  Status Append(const std::string& text) {
    DF_TRY(file_.file().WriteAt(static_cast<uint64_t>(bytes_), text.data(), text.size()));
    bytes_ += static_cast<int64_t>(text.size());
    return Status();
  }

  const std::vector<PredictedRows>& fetches_;
  const int64_t rows_;
  const PathOfSample path_;
  PartialFile& file_;
  int64_t bytes_ = 0;
};

class StoredRows final : public RowSink {
 public:
  explicit StoredRows(const SinkRequest& request)
      : fetches_(request.fetches), rows_(request.rows), out_(request.target) {}

  Status Begin() override {
    DF_ASSIGN(const std::vector<ArrayInfo> arrays, WholeArrays(fetches_, rows_));
    return out_.Begin(arrays);
  }
  Status Take(int64_t first, int64_t samples, std::span<const Tensor> values) override {
    DF_TRY(CheckRows(fetches_, first, samples, values));
    for (size_t i = 0; i < values.size(); ++i) DF_TRY(out_.Append(i, values[i]));
    return Status();
  }
  Status Finish() override { return out_.End(); }

 private:
  const std::vector<PredictedRows>& fetches_;
  const int64_t rows_;
  OutputArrays out_;
};

}  // namespace

std::unique_ptr<RowSink> MakePlacedRows(const SinkRequest& request, PartialFile& file) {
  return std::make_unique<PlacedRows>(request, file);
}

std::unique_ptr<RowSink> MakeCsvRows(const SinkRequest& request, PartialFile& file) {
  return std::make_unique<CsvRows>(request, file);
}

std::unique_ptr<RowSink> MakeStoredRows(const SinkRequest& request) {
  return std::make_unique<StoredRows>(request);
}

}  // namespace dfrun::jobs
