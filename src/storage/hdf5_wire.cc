#include "src/storage/hdf5_wire.h"

#include <vector>

#include "src/storage/hdf5_helper.pb.h"

namespace dfrun {

void ToProto(const DatasetInfo& info, hdf5::DatasetInfo* to) {
  to->set_dtype(static_cast<int32_t>(info.dtype));
  for (const int64_t size : info.shape.dims()) to->add_shape(size);
  to->set_contiguous(info.contiguous);
  to->set_offset(info.offset);
  to->set_chunk_rows(info.chunk_rows);
  to->set_holds_lists(info.holds_lists);
  to->set_unpacked_bytes(info.unpacked_bytes);
}

Result<DatasetInfo> FromProto(const hdf5::DatasetInfo& info) {
  DatasetInfo out;
  if (IsValidDType(info.dtype())) out.dtype = static_cast<DType>(info.dtype());
  if (!IsPlain(out.dtype) && out.dtype != DType::kString) return Error(Code::kDataLoss, "it has an unknown dtype");
  const std::vector<int64_t> dims(info.shape().begin(), info.shape().end());
  DF_ASSIGN(out.shape, Shape::Create(dims));
  out.contiguous = info.contiguous();
  out.offset = info.offset();
  out.chunk_rows = info.chunk_rows();
  out.holds_lists = info.holds_lists();
  out.unpacked_bytes = info.unpacked_bytes();
  return out;
}

void ToProto(const FileVersion& version, hdf5::FileVersion* to) {
  to->set_device(version.device);
  to->set_inode(version.inode);
  to->set_bytes(version.bytes);
  to->set_modified_ns(static_cast<uint64_t>(version.modified_ns));
  to->set_changed_ns(static_cast<uint64_t>(version.changed_ns));
}

FileVersion FromProto(const hdf5::FileVersion& version) {
  return {.device = version.device(),
          .inode = version.inode(),
          .bytes = version.bytes(),
          .modified_ns = static_cast<int64_t>(version.modified_ns()),
          .changed_ns = static_cast<int64_t>(version.changed_ns())};
}

}  // namespace dfrun
