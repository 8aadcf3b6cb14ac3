// Rows of datasets that HDF5 must unpack, block by block.
#include "kernels/io/hdf5/hdf5_blocks.h"

#include <gtest/gtest.h>

#include <numeric>

#include "src/hdf5/hdf5.h"
#include "src/storage/hdf5_file.h"
#include "src/storage/sample_source.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr int64_t kRows = 1000;
constexpr int64_t kColumns = 5;

class Hdf5BlocksTest : public ::testing::Test {
 protected:
  // /x: 0, 1, 2, ..., compressed in chunks of 64 rows by 2 columns. Written by HDF5 itself.
  Hdf5BlocksTest() {
    std::vector<int32_t> values(kRows * kColumns);
    std::iota(values.begin(), values.end(), 0);
    const h5::Handle file = *h5::CreateFile(path_);
    const hsize_t dims[] = {kRows, kColumns};
    const hsize_t chunk[] = {64, 2};
    const h5::Handle space(H5Screate_simple(2, dims, nullptr));
    const h5::Handle layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(layout.id(), 2, chunk);
    H5Pset_deflate(layout.id(), 1);
    const h5::Handle dataset(
        H5Dcreate2(file.id(), "/x", H5T_NATIVE_INT32, space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT));
    EXPECT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }

  static void ExpectRows(std::span<const int64_t> rows, const Tensor& batch) {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (int64_t c = 0; c < kColumns; ++c) {
        ASSERT_EQ(batch.data<int32_t>()[static_cast<int64_t>(i) * kColumns + c], rows[i] * kColumns + c) << rows[i];
      }
    }
  }

  ScratchDirectory files_;
  const std::string path_ = files_.Path("chunked.h5");
};

TEST_F(Hdf5BlocksTest, RowsInAnyOrder) {
  const std::unique_ptr<Hdf5File> file = *Hdf5File::Open(path_, {});
  const Result<DatasetInfo> info = file->Inspect("/x");
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->chunk_rows, 64);
  EXPECT_FALSE(info->contiguous);
  Hdf5Blocks blocks(*info, std::make_shared<Hdf5BlockMemory>(64 * kColumns * sizeof(int32_t) * 3));
  int reads = 0;
  const auto read = [&](int64_t begin, Tensor& block) {
    ++reads;
    return file->ReadRows("/x", begin, block);
  };
  for (const std::vector<int64_t>& rows :
       {std::vector<int64_t>{999, 0, 63, 64, 0}, std::vector<int64_t>{5}, std::vector<int64_t>{960, 959, 999}}) {
    Tensor batch(DType::kInt32, Shape({static_cast<int64_t>(rows.size()), kColumns}));
    std::vector<int64_t> at(rows.size());
    std::iota(at.begin(), at.end(), 0);
    const Status status = blocks.Gather(read, rows, at, static_cast<char*>(batch.raw()));
    ASSERT_TRUE(status.ok()) << status.ToString();
    ExpectRows(rows, batch);
  }
  EXPECT_EQ(reads, 4);  // blocks 0, 1 and 15, then 14 in the place of 1, which was used longest ago
}

TEST_F(Hdf5BlocksTest, TheFormatReadsThemToo) {
  const auto source = SampleFormats::Find("hdf5")->open({{path_}, {}});
  ASSERT_TRUE(source.ok());
  SampleField field{"/x", DType::kInvalid, PartialShape(), {}};
  ASSERT_TRUE((*source)->AddField(field).ok());
  EXPECT_EQ(*(*source)->Load(*(*source)->Count()), kRows);
  const std::vector<int64_t> rows = {999, 0, 500};
  const auto batch = (*source)->Gather(rows, SystemAllocator());
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  ExpectRows(rows, (*batch)[0]);
}

}  // namespace
}  // namespace dfrun
