#include "src/storage/hdf5_layout.h"

#include <utility>

#include "src/storage/hdf5_helper.pb.h"
#include "src/storage/hdf5_wire.h"

namespace dfrun {

std::string SerializeLayout(const Hdf5Layout& layout) {
  hdf5::Layout out;
  ToProto(layout.file, out.mutable_file());
  for (const auto& [name, info] : layout.datasets) {
    hdf5::Layout::Dataset* const dataset = out.add_datasets();
    dataset->set_name(name);
    ToProto(info, dataset->mutable_info());
  }
  return out.SerializeAsString();
}

Hdf5Layout ParseLayout(const std::string& bytes) {
  Hdf5Layout layout;
  hdf5::Layout parsed;
  if (!parsed.ParseFromString(bytes)) return layout;
  layout.file = FromProto(parsed.file());
  for (const hdf5::Layout::Dataset& dataset : parsed.datasets()) {
    Result<DatasetInfo> info = FromProto(dataset.info());
    if (info.ok()) layout.datasets[dataset.name()] = *std::move(info);
  }
  return layout;
}

std::string SerializeLayouts(const Hdf5Layouts& layouts) {
  hdf5::Layouts out;
  out.set_host(layouts.host);
  for (const std::string& file : layouts.files) out.add_files(file);
  return out.SerializeAsString();
}

Hdf5Layouts ParseLayouts(const std::string& bytes) {
  hdf5::Layouts parsed;
  if (!parsed.ParseFromString(bytes)) return {};
  return {parsed.host(), {parsed.files().begin(), parsed.files().end()}};
}

}  // namespace dfrun
