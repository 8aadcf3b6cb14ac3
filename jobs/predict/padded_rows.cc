// Rows whose sizes follow from the batch that they were computed in.
//
// The temporary file has, for each batch and fetch, the sizes of the value, 8 bytes each, and its elements. The first
// size is the number of rows.
#include <algorithm>
#include <cstring>
#include <utility>

#include "jobs/eval/output_arrays.h"
#include "jobs/predict/row_sinks.h"

namespace dfrun::jobs {
namespace {

// The elements of `from`, with zeros where `to`, of the same rank and no smaller sizes, has more.
Tensor Padded(const Tensor& from, const Shape& to) {
  Tensor out(from.dtype(), to);
  std::memset(out.raw(), 0, out.num_bytes());
  const int rank = to.rank();
  if (from.num_elements() == 0) return out;
  const int64_t run = from.shape()[rank - 1];
  const size_t run_bytes = static_cast<size_t>(run) * DTypeSize(from.dtype());
  for (int64_t r = 0; r < from.num_elements() / run; ++r) {
    int64_t rest = r;
    int64_t at = 0;  // element of `out`
    int64_t stride = to[rank - 1];
    for (int d = rank - 2; d >= 0; --d) {
      at += rest % from.shape()[d] * stride;
      rest /= from.shape()[d];
      stride *= to[d];
    }
    std::memcpy(static_cast<char*>(out.raw()) + static_cast<size_t>(at) * DTypeSize(from.dtype()),
                static_cast<const char*>(from.raw()) + static_cast<size_t>(r) * run_bytes, run_bytes);
  }
  return out;
}

class PaddedRows final : public RowSink {
 public:
  PaddedRows(const SinkRequest& request, PartialFile& file, bool is_csv)
      : fetches_(request.fetches),
        rows_(request.rows),
        target_(request.target),
        path_(request.path),
        file_(file),
        is_csv_(is_csv),
        largest_(request.fetches.size()) {}

  Status Begin() override {
    if (!file_.is_resumed()) {
      return file_.Make([](const std::string&) { return Status(); });
    }
    bytes_ = file_.record().bytes;
    return ForEachBatch([](int64_t, std::span<const Tensor>) { return Status(); });
  }

  Status Take(int64_t first, int64_t samples, std::span<const Tensor> values) override {
    for (size_t i = 0; i < values.size(); ++i) {
      const Shape& shape = values[i].shape();
      if (shape.rank() == 0 || shape[0] != samples) {
        return Error(Code::kBadSpec, "'", fetches_[i].name, "' has the shape ", shape, " for the ", samples,
                     " samples from ", first, " on: it is no row a sample");
      }
      DF_TRY(Enlarge(i, shape));
      DF_TRY(Append(shape.dims().data(), shape.dims().size() * sizeof(int64_t)));
      DF_TRY(Append(values[i].raw(), values[i].num_bytes()));
    }
    return Status();
  }
  int64_t bytes() const override { return bytes_; }

  Status Finish() override {
    DF_TRY(is_csv_ ? WriteCsv() : WriteHdf5());
    file_.Remove();
    return Status();
  }

 private:
  // Takes over the sizes of a value. All values of a fetch have one rank.
  Status Enlarge(size_t fetch, const Shape& shape) {
    std::vector<int64_t>& sizes = largest_[fetch];
    if (sizes.empty()) sizes.assign(static_cast<size_t>(shape.rank()), 0);
    if (sizes.size() != static_cast<size_t>(shape.rank())) {
      return Error(Code::kBadSpec, "'", fetches_[fetch].name, "' has the shape ", shape, " after values of rank ",
                   sizes.size(), ": values of different ranks cannot be padded");
    }
    for (size_t d = 1; d < sizes.size(); ++d) sizes[d] = std::max(sizes[d], shape[static_cast<int>(d)]);
    return Status();
  }

  Status Append(const void* data, size_t bytes) {
    DF_TRY(file_.file().WriteAt(static_cast<uint64_t>(bytes_), data, bytes));
    bytes_ += static_cast<int64_t>(bytes);
    return Status();
  }

  // Reads what was appended, batch by batch.
  template <class Do>
  Status ForEachBatch(const Do& each) {
    DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenRegular(file_.path()));
    uint64_t at = 0;
    for (int64_t row = 0; at < static_cast<uint64_t>(bytes_);) {
      std::vector<Tensor> values;
      for (size_t i = 0; i < fetches_.size(); ++i) {
        DF_ASSIGN(Tensor value, ReadValue(file, i, at));
        DF_TRY(Enlarge(i, value.shape()));
        values.push_back(std::move(value));
      }
      DF_TRY(each(row, values));
      row += values[0].shape()[0];
    }
    return Status();
  }

  Result<Tensor> ReadValue(const FileDescriptor& file, size_t fetch, uint64_t& at) const {
    std::vector<int64_t> sizes(static_cast<size_t>(fetches_[fetch].shape.rank() + 1));
    DF_TRY(file.ReadAt(at, sizes.data(), sizes.size() * sizeof(int64_t)));
    at += sizes.size() * sizeof(int64_t);
    DF_ASSIGN(const Shape shape, Shape::Create(sizes));
    DF_ASSIGN(Tensor value, Tensor::Allocate(SystemAllocator(), fetches_[fetch].dtype, shape));
    DF_TRY(file.ReadAt(at, value.raw(), value.num_bytes()));
    at += value.num_bytes();
    return value;
  }

  std::vector<ArrayInfo> Arrays() const {
    std::vector<ArrayInfo> arrays;
    for (size_t i = 0; i < fetches_.size(); ++i) {
      std::vector<int64_t> sizes = largest_[i];
      sizes[0] = rows_;
      arrays.push_back({fetches_[i].name, fetches_[i].dtype, Shape(sizes)});
    }
    return arrays;
  }

  template <class Do>
  Status ForEachPadded(const Do& each) {
    return ForEachBatch([&](int64_t row, std::span<const Tensor> values) -> Status {
      std::vector<Tensor> padded;
      for (size_t i = 0; i < values.size(); ++i) {
        std::vector<int64_t> sizes = largest_[i];
        sizes[0] = values[i].shape()[0];
        padded.push_back(Padded(values[i], Shape(sizes)));
      }
      return each(row, padded);
    });
  }

  Status WriteHdf5() {
    OutputArrays out(target_);
    DF_TRY(out.Begin(Arrays()));
    DF_TRY(ForEachPadded([&](int64_t, const std::vector<Tensor>& values) -> Status {
      for (size_t i = 0; i < values.size(); ++i) DF_TRY(out.Append(i, values[i]));
      return Status();
    }));
    return out.End();
  }

  Status WriteCsv() {
    DF_ASSIGN(const std::string header, CsvHeader(Arrays(), path_ != nullptr));
    DF_ASSIGN(OutputDraft draft, target_.Begin());
    DF_TRY(draft.file().WriteAt(0, header.data(), header.size()));
    uint64_t at = header.size();
    DF_TRY(ForEachPadded([&](int64_t row, const std::vector<Tensor>& values) -> Status {
      const std::string lines = CsvLines(row, values, path_);
      DF_TRY(draft.file().WriteAt(at, lines.data(), lines.size()));
      at += lines.size();
      return Status();
    }));
    return draft.Commit();
  }

  const std::vector<PredictedRows>& fetches_;
  const int64_t rows_;
  const OutputFile& target_;
  const PathOfSample path_;
  PartialFile& file_;
  const bool is_csv_;
  std::vector<std::vector<int64_t>> largest_;  // by fetch: the largest sizes; the first is not used
  int64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<RowSink> MakePaddedRows(const SinkRequest& request, PartialFile& file, bool is_csv) {
  return std::make_unique<PaddedRows>(request, file, is_csv);
}

}  // namespace dfrun::jobs
