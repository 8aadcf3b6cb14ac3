// The index of a checkpoint shows what its shards hold, to any program that reads HDF5.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>

#include "src/checkpoint/manifest_file.h"
#include "src/hdf5/hdf5.h"
#include "src/hdf5/tensor_hdf5.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

class IndexTest : public testing::Test {
 protected:
  void Save(const std::vector<NamedTensor>& variables) {
    const auto entry = WriteShard(files_.path(), "shard-0.h5", variables);
    ASSERT_TRUE(entry.ok()) << entry.status().ToString();
    const Status status = WriteIndex(files_.path(), {1, {*entry}});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  Result<Tensor> Read(const std::string& variable) const {
    DF_ASSIGN(const h5::Handle file, h5::OpenFile(index_));
    return ReadTensor(file, index_, DatasetOfVariable(variable), SystemAllocator());
  }
  // The first element, as HDF5 gives it whatever there is.
  template <class T>
  T First(const std::string& variable) const {
    const h5::Handle file = *h5::OpenFile(index_);
    const h5::Handle dataset = *h5::OpenDataset(file, index_, DatasetOfVariable(variable));
    const h5::Handle type(H5Dget_type(dataset.id()));
    T values[4] = {};
    EXPECT_GE(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    return values[0];
  }

  const ScratchDirectory files_;
  const std::string index_ = files_.Path("index.h5");
};

std::vector<NamedTensor> OneOfEachDType() {
  std::vector<NamedTensor> variables;
  for (const DType dtype : {DType::kFloat,  DType::kDouble, DType::kHalf,   DType::kBfloat16,  DType::kInt8,
                            DType::kInt16,  DType::kInt32,  DType::kInt64,  DType::kUint8,     DType::kUint16,
                            DType::kUint32, DType::kUint64, DType::kBool,   DType::kComplex64, DType::kComplex128,
                            DType::kQint8,  DType::kQuint8, DType::kQint16, DType::kQuint16,   DType::kQint32}) {
    Tensor value(dtype, Shape({2, 2}));
    auto* const bytes = static_cast<unsigned char*>(value.raw());
    for (size_t i = 0; i < value.num_bytes(); ++i) bytes[i] = dtype == DType::kBool ? i % 2 : (i * 29 + 1) % 128;
    variables.push_back({std::string(DTypeName(dtype)), value});
  }
  return variables;
}

TEST_F(IndexTest, EveryDTypeIsShownBitForBit) {
  std::vector<NamedTensor> variables = OneOfEachDType();
  variables.push_back({"scalar", Tensor::Scalar<float>(0.5F)});
  variables.push_back({"empty", Tensor(DType::kFloat, Shape({0, 3}))});
  variables.push_back({"text", Tensor::Vector<std::string>({"a", "b"})});
  variables.push_back({"100%b/of %", Tensor::Scalar<int32_t>(7)});
  Save(variables);
  for (const NamedTensor& variable : variables) {
    const Result<Tensor> shown = Read(variable.name);
    ASSERT_TRUE(shown.ok()) << shown.status().ToString();
    EXPECT_TRUE(shown->Identical(variable.value)) << variable.name;
  }
}

TEST_F(IndexTest, WhatAMissingShardHeldIsSeenToBeMissing) {
  Save(OneOfEachDType());
  std::filesystem::remove(files_.Path("shard-0.h5"));
  EXPECT_TRUE(std::isnan(First<float>("float32")));
  EXPECT_TRUE(std::isnan(First<double>("float64")));
  EXPECT_TRUE(std::isnan(static_cast<float>(First<float16>("float16"))));
  EXPECT_TRUE(std::isnan(static_cast<float>(First<bfloat16>("bfloat16"))));
  EXPECT_TRUE(std::isnan(First<std::complex<float>>("complex64").imag()));
  EXPECT_TRUE(std::isnan(First<std::complex<double>>("complex128").real()));
  EXPECT_EQ(First<int8_t>("int8"), std::numeric_limits<int8_t>::min());
  EXPECT_EQ(First<int64_t>("int64"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(First<int32_t>("qint32"), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(First<uint8_t>("uint8"), std::numeric_limits<uint8_t>::max());
  EXPECT_EQ(First<uint64_t>("uint64"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(First<int8_t>("bool"), -128);
}

}  // namespace
}  // namespace dfrun
