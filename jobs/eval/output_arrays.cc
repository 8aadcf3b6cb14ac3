#include "jobs/eval/output_arrays.h"

#include <algorithm>
#include <utility>

namespace dfrun::jobs {

Status OutputArrays::Begin(const std::vector<ArrayInfo>& arrays) {
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(OutputDraft draft, target_.Begin());
  draft_.emplace(std::move(draft));
  DF_ASSIGN(file_, library->Create(draft_->path()));
  DF_TRY(MarkHdf5(*file_));
  for (const ArrayInfo& array : arrays) DF_TRY(AddDataset(array));
  return Status();
}

Status OutputArrays::AddDataset(const ArrayInfo& info) {
  const bool is_taken = std::any_of(datasets_.begin(), datasets_.end(),
                                    [&](const Dataset& other) { return other.info.name == info.name; });
  Dataset& dataset = datasets_.emplace_back(Dataset{.info = info, .is_written = !is_taken});
  if (is_taken) return Status();
  if (!IsPlain(info.dtype)) {
    const Shape flat({info.shape.num_elements()});
    DF_ASSIGN(dataset.strings, Tensor::Allocate(SystemAllocator(), info.dtype, flat));
    return Status();
  }
  // The library gives the dataset its place; it needs only the dtype and shape of the value.
  const Tensor header = Tensor::Borrowed(info.dtype, info.shape, nullptr);
  const Result<DatasetInfo> added = file_->Write("/" + info.name, header, /*write_bytes=*/false);
  DF_TRY(added.status().Annotate("writing the fetch '" + info.name + "'"));
  dataset.offset = added->offset;
  return Status();
}

Status OutputArrays::Append(size_t array, const Tensor& elements) {
  Dataset& dataset = datasets_[array];
  if (!dataset.is_written || elements.num_elements() == 0) return Status();
  const int64_t begin = std::exchange(dataset.appended, dataset.appended + elements.num_elements());
  if (!IsPlain(dataset.info.dtype)) {
    Tensor to = dataset.strings.SliceRows(begin, dataset.appended);
    CopyElements(elements, to);
    return Status();
  }
  DF_TRY(draft_->file().WriteAt(dataset.offset, elements.raw(), elements.num_bytes()));
  dataset.offset += elements.num_bytes();
  return Status();
}

Status OutputArrays::End() {
  for (const Dataset& dataset : datasets_) {
    if (!dataset.is_written) continue;
    if (dataset.appended != dataset.info.shape.num_elements()) {
      return Error(Code::kInternal, "the fetch '", dataset.info.name, "' ends after ", dataset.appended, " of ",
                   dataset.info.shape.num_elements(), " elements");
    }
    if (IsPlain(dataset.info.dtype)) continue;
    const Result<DatasetInfo> written =
        file_->Write("/" + dataset.info.name, dataset.strings.Reshaped(dataset.info.shape));
    DF_TRY(written.status().Annotate("writing the fetch '" + dataset.info.name + "'"));
  }
  DF_TRY(file_->Close());
  return draft_->Commit();
}

}  // namespace dfrun::jobs
