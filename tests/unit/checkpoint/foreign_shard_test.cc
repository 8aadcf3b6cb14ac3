// Shards that dfrun did not write: each has the variable W at an offset at which no shard of dfrun has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "src/checkpoint/shard.h"
#include "src/hdf5/hdf5.h"
#include "src/hdf5/tensor_hdf5.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;

constexpr hsize_t kSize = 4;

class ForeignShardTest : public ::testing::Test {
 protected:
  Status Read() {
    const SavedVariable wanted{"W", DType::kFloat, Shape({kSize})};
    const Result<std::vector<Tensor>> values = ReadShard(path_, {&wanted, 1}, SystemAllocator());
    return values.status();
  }

  void ExpectRefused(const char* why) {
    const Status status = Read();
    EXPECT_EQ(status.code(), Code::kDataLoss) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(why));
  }

  void MakeWhole(const std::string& path, const char* name = "/W:0") {
    const h5::Handle file = *h5::CreateFile(path);
    ASSERT_TRUE(WriteTensor(file, name, Tensor(DType::kFloat, Shape({kSize}))).ok());
  }

  // Makes the shard of a dataset with this layout.
  void MakeWithLayout(const h5::Handle& layout) {
    const h5::Handle file = *h5::CreateFile(path_);
    const h5::Handle space(H5Screate_simple(1, &kSize, nullptr));
    const h5::Handle dataset(
        H5Dcreate2(file.id(), "/W:0", H5T_NATIVE_FLOAT, space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT));
    ASSERT_TRUE(dataset.valid());
  }

  ScratchDirectory files_;
  const std::string path_ = files_.Path("shard-0.h5");
  const std::string other_ = files_.Path("other.h5");
  const h5::Handle layout_ = [] {
    h5::Prepare();
    return h5::Handle(H5Pcreate(H5P_DATASET_CREATE));
  }();
};

TEST_F(ForeignShardTest, OneAsDfrunWritesIt) {
  MakeWhole(path_);
  EXPECT_TRUE(Read().ok()) << Read().ToString();
}

TEST_F(ForeignShardTest, ValuesOfAnotherByteOrderAreTheSame) {
  const float values[kSize] = {1, -2.5F, 70000, 1.0F / 3};
  {
    const h5::Handle file = *h5::CreateFile(path_);
    const h5::Handle space(H5Screate_simple(1, &kSize, nullptr));
    const h5::Handle dataset(
        H5Dcreate2(file.id(), "/W:0", H5T_IEEE_F32BE, space.id(), H5P_DEFAULT, layout_.id(), H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  }
  const SavedVariable wanted{"W", DType::kFloat, Shape({kSize})};
  const auto read = ReadShard(path_, {&wanted, 1}, SystemAllocator());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  for (size_t i = 0; i < kSize; ++i) EXPECT_EQ((*read)[0].data<float>()[i], values[i]);
}

TEST_F(ForeignShardTest, AFloatOfAnotherLayoutIsNoFloat16) {
  const h5::Handle bfloat16(H5Tcopy(H5T_IEEE_F32LE));
  H5Tset_fields(bfloat16.id(), 15, 7, 8, 0, 7);
  H5Tset_size(bfloat16.id(), 2);
  {
    const h5::Handle file = *h5::CreateFile(path_);
    const h5::Handle space(H5Screate_simple(1, &kSize, nullptr));
    const h5::Handle dataset(
        H5Dcreate2(file.id(), "/W:0", bfloat16.id(), space.id(), H5P_DEFAULT, layout_.id(), H5P_DEFAULT));
    ASSERT_TRUE(h5::WriteStringAttribute(dataset, "dtype", "DT_HALF").ok());
  }
  const SavedVariable wanted{"W", DType::kHalf, Shape({kSize})};
  const Status status = ReadShard(path_, {&wanted, 1}, SystemAllocator()).status();
  EXPECT_THAT(status.message(), HasSubstr("does not fit its HDF5 type, bfloat16"));
}

TEST_F(ForeignShardTest, ExternalStorage) {
  std::ofstream(files_.Path("bytes")) << "sixteen bytes...";
  H5Pset_external(layout_.id(), files_.Path("bytes").c_str(), 0, kSize * sizeof(float));
  MakeWithLayout(layout_);
  ExpectRefused("keeps its values in another file");
}

TEST_F(ForeignShardTest, VirtualDatasetEvenOfItsOwnFile) {
  const h5::Handle space(H5Screate_simple(1, &kSize, nullptr));
  H5Pset_virtual(layout_.id(), space.id(), ".", "/other", space.id());
  MakeWithLayout(layout_);
  ExpectRefused("made of other datasets");
}

TEST_F(ForeignShardTest, ChunksAndFilters) {
  H5Pset_chunk(layout_.id(), 1, &kSize);
  MakeWithLayout(layout_);
  ExpectRefused("not stored contiguously");
  H5Pset_deflate(layout_.id(), 1);
  MakeWithLayout(layout_);
  ExpectRefused("not stored contiguously");
}

TEST_F(ForeignShardTest, CompactStorage) {
  H5Pset_layout(layout_.id(), H5D_COMPACT);
  MakeWithLayout(layout_);
  ExpectRefused("not stored contiguously");
}

TEST_F(ForeignShardTest, ExternalLink) {
  MakeWhole(other_);
  {
    const h5::Handle file = *h5::CreateFile(path_);
    ASSERT_GE(H5Lcreate_external("other.h5", "/W:0", file.id(), "/W:0", H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  ExpectRefused("is a link");
}

TEST_F(ForeignShardTest, SoftLink) {
  MakeWhole(path_, "/V:0");
  {
    const h5::Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(H5Lcreate_soft("/V:0", file.id(), "/W:0", H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  ExpectRefused("is a link");
}

TEST_F(ForeignShardTest, FileThatIsALink) {
  MakeWhole(other_);
  std::filesystem::create_symlink(other_, path_);
  ExpectRefused("is a link");
}

}  // namespace
}  // namespace dfrun
