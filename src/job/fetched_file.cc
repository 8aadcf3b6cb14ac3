#include "src/job/fetched_file.h"

#include <memory>

#include "src/base/file.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {

Status WriteFetchedFile(const std::string& path, const std::vector<std::string>& names,
                        std::span<const Tensor> values) {
  DF_ASSIGN(TemporaryFile temporary, TemporaryFile::Create(path));
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(const std::unique_ptr<Hdf5Writer> file, library->Create(temporary.path()));
  for (size_t i = 0; i < names.size(); ++i) DF_TRY(file->Write("/" + names[i], values[i]).status());
  DF_TRY(file->Close());
  return temporary.Commit();
}

}  // namespace dfrun
