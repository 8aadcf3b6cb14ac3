#include "src/hdf5/tensor_hdf5.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

class TensorHdf5Test : public testing::TestWithParam<DType> {
 protected:
  const ScratchDirectory scratch_;
  const std::string path_ = scratch_.Path("one.h5");

  void WriteOne(const Tensor& value) {
    auto file = h5::CreateFile(path_);
    ASSERT_TRUE(file.ok());
    const auto wrote = WriteTensor(*file, "/group/value:0", value);
    ASSERT_TRUE(wrote.ok()) << wrote.status().ToString();
    ASSERT_TRUE(h5::CloseFile(*std::move(file), path_).ok());
  }

  Result<Tensor> ReadOne() {
    DF_ASSIGN(h5::Handle file, h5::OpenFile(path_));
    return ReadTensor(file, path_, "/group/value:0", SystemAllocator());
  }
};

TEST_P(TensorHdf5Test, EveryPlainDTypeComesBackBitForBit) {
  Tensor value(GetParam(), Shape({2, 3}));
  auto* bytes = value.data<unsigned char>();
  if (GetParam() == DType::kBool) {
    for (int i = 0; i < 6; ++i) value.data<bool>()[i] = i % 2 == 1;
  } else {
    for (size_t i = 0; i < value.num_bytes(); ++i) bytes[i] = static_cast<unsigned char>(17 * i + 3);
  }
  WriteOne(value);
  const auto back = ReadOne();
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_TRUE(back->Identical(value)) << back->ToString() << " against " << value.ToString();
}

INSTANTIATE_TEST_SUITE_P(Plain, TensorHdf5Test,
                         testing::Values(DType::kFloat, DType::kDouble, DType::kInt8, DType::kInt16, DType::kInt32,
                                         DType::kInt64, DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64,
                                         DType::kBool, DType::kHalf, DType::kBfloat16, DType::kComplex64,
                                         DType::kComplex128, DType::kQint8, DType::kQuint8, DType::kQint16,
                                         DType::kQuint16, DType::kQint32),
                         [](const auto& param) { return std::string(DTypeName(param.param)); });

TEST_F(TensorHdf5Test, StringsKeepTheirNuls) {
  for (const std::string& odd : {std::string("b\0c", 3), std::string("plain")}) {
    const Tensor value = Tensor::Vector<std::string>({"", "a", odd});
    WriteOne(value);
    const auto back = ReadOne();
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    EXPECT_TRUE(back->Identical(value));
  }
}

TEST_F(TensorHdf5Test, EmptyAndScalarShapesComeBack) {
  for (const Shape& shape : {Shape({0, 4}), Shape()}) {
    Tensor value(DType::kInt32, shape);
    std::iota(value.data<int32_t>(), value.data<int32_t>() + value.num_elements(), 7);
    WriteOne(value);
    const auto back = ReadOne();
    ASSERT_TRUE(back.ok()) << back.status().ToString();
    EXPECT_TRUE(back->Identical(value));
  }
}

TEST_F(TensorHdf5Test, AMissingDatasetIsNamedWithThoseThatThereAre) {
  WriteOne(Tensor::Scalar<float>(1));
  auto file = h5::OpenFile(path_);
  const auto read = ReadTensor(*file, path_, "/nothing", SystemAllocator());
  EXPECT_EQ(read.status().code(), Code::kNotFound);
  EXPECT_NE(read.status().message().find("/group/value:0"), std::string::npos) << read.status().message();
}

// A dataset of three values of `type`, made with `layout`.
void WriteBare(const std::string& path, hid_t type, hid_t layout) {
  const auto file = h5::CreateFile(path);
  ASSERT_TRUE(file.ok());
  const hsize_t sizes[] = {3};
  const h5::Handle space(H5Screate_simple(1, sizes, nullptr));
  const h5::Handle dataset(H5Dcreate2(file->id(), "/v", type, space.id(), H5P_DEFAULT, layout, H5P_DEFAULT));
  ASSERT_TRUE(dataset.valid());
}

TEST_F(TensorHdf5Test, TypesThatAreNoDTypeAreRefusedBeforeTheyAreRead) {
  const h5::Handle opaque(H5Tcreate(H5T_OPAQUE, 1));
  const h5::Handle ragged(H5Tvlen_create(H5T_NATIVE_FLOAT));
  const h5::Handle nested(H5Tvlen_create(ragged.id()));
  for (hid_t type : {opaque.id(), nested.id()}) {
    WriteBare(path_, type, H5P_DEFAULT);
    EXPECT_EQ(InspectDataset(path_, "/v").status().code(), Code::kInvalidArgument);
  }
}

TEST_F(TensorHdf5Test, EnumsAreTheirIntegersAndListsHaveTwoTensors) {
  const h5::Handle numbers(H5Tenum_create(H5T_NATIVE_INT8));
  for (int8_t value : {0, 1}) H5Tenum_insert(numbers.id(), value == 0 ? "OFF" : "ON", &value);
  WriteBare(path_, numbers.id(), H5P_DEFAULT);
  EXPECT_EQ(InspectDataset(path_, "/v")->dtype, DType::kInt8);
  const h5::Handle ragged(H5Tvlen_create(H5T_NATIVE_FLOAT));
  WriteBare(path_, ragged.id(), H5P_DEFAULT);
  EXPECT_TRUE(InspectDataset(path_, "/v")->holds_lists);
  EXPECT_EQ(InspectDataset(path_, "/v:lengths")->dtype, DType::kInt64);
  EXPECT_EQ(InspectDataset(path_, "/v:values")->dtype, DType::kFloat);
  const h5::Handle file = *h5::OpenFile(path_);
  EXPECT_EQ(ReadTensor(file, path_, "/v", SystemAllocator()).status().code(), Code::kInvalidArgument);
}

TEST_F(TensorHdf5Test, AFilterThatIsNotInstalledIsNamed) {
  const h5::Handle layout(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[] = {3};
  H5Pset_chunk(layout.id(), 1, chunk);
  H5Pset_filter(layout.id(), 32099, H5Z_FLAG_OPTIONAL, 0, nullptr);
  WriteBare(path_, H5T_NATIVE_FLOAT, layout.id());
  const auto info = InspectDataset(path_, "/v");
  EXPECT_EQ(info.status().code(), Code::kInvalidArgument);
  EXPECT_NE(info.status().message().find("HDF5 filter 32099"), std::string::npos) << info.status().message();
}

TEST_F(TensorHdf5Test, AVirtualDatasetNeedsTheFilesOfItsParts) {
  const h5::Handle layout(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t sizes[] = {3};
  const h5::Handle space(H5Screate_simple(1, sizes, nullptr));
  H5Pset_virtual(layout.id(), space.id(), "part.h5", "/group/value:0", space.id());
  WriteBare(path_, H5T_NATIVE_FLOAT, layout.id());
  const auto info = InspectDataset(path_, "/v");
  EXPECT_EQ(info.status().code(), Code::kNotFound);
  EXPECT_NE(info.status().message().find("part.h5"), std::string::npos) << info.status().message();
}

TEST_F(TensorHdf5Test, WhatIsNoRegularFileIsNotOpened) {
  EXPECT_EQ(h5::OpenFile("/dev/zero").status().code(), Code::kDataLoss);
  EXPECT_EQ(h5::OpenFile(scratch_.path()).status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace dfrun
