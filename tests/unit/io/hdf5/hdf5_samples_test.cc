// HDF5 files as people have them: several of them, tables, enums, arrays, lists of any length, other dtypes. Written by
// HDF5 itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "src/hdf5/tensor_hdf5.h"
#include "src/storage/sample_source.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
  float x[3];
  int64_t y;
  struct {
    int16_t a;
    double b;
  } in;
  char name[4];
};

class Hdf5Samples : public ::testing::Test {
 protected:
  Result<std::vector<Tensor>> Read(std::vector<std::string> files, std::vector<SampleField> fields,
                                   std::vector<int64_t> wanted = {}) {
    DF_ASSIGN(const std::unique_ptr<SampleSource> source, SampleFormats::Find("hdf5")->open({std::move(files), {}}));
    for (SampleField& field : fields) DF_TRY(source->AddField(field));
    settled_ = fields;
    DF_ASSIGN(record_index_, source->Count());
    DF_ASSIGN(const int64_t samples, source->Load(record_index_));
    if (wanted.empty()) {
      wanted.resize(static_cast<size_t>(samples));
      std::iota(wanted.begin(), wanted.end(), 0);
    }
    return source->Gather(wanted, SystemAllocator());
  }
  Result<Tensor> ReadOne(const std::string& file, SampleField field, std::vector<int64_t> wanted = {}) {
    DF_ASSIGN(std::vector<Tensor> batch, Read({files_.Path(file)}, {std::move(field)}, std::move(wanted)));
    return std::move(batch[0]);
  }
  Status Error(const std::string& file, SampleField field) { return ReadOne(file, std::move(field)).status(); }

  void Write(const h5::Handle& file, const char* name, const h5::Handle& type, std::vector<hsize_t> dims,
             const void* values) {
    const h5::Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
    const h5::Handle dataset(H5Dcreate2(file.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_TRUE(dataset.valid());
    ASSERT_GE(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  }

  // /t, a table; /e, an enum; /a, arrays; /l, lists; /ll, two lists a row; /b, lists of bytes; /o, opaque.
  void WriteKinds() {
    const h5::Handle file = *h5::CreateFile(files_.Path("kinds.h5"));
    const hsize_t three[] = {3};
    const h5::Handle floats(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, three));
    const h5::Handle inner(H5Tcreate(H5T_COMPOUND, sizeof(Row::in)));
    H5Tinsert(inner.id(), "a", 0, H5T_NATIVE_INT16);
    H5Tinsert(inner.id(), "b", offsetof(decltype(Row::in), b), H5T_NATIVE_DOUBLE);
    const h5::Handle text(H5Tcopy(H5T_C_S1));
    H5Tset_size(text.id(), 4);
    const h5::Handle table(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
    H5Tinsert(table.id(), "x", offsetof(Row, x), floats.id());
    H5Tinsert(table.id(), "y", offsetof(Row, y), H5T_NATIVE_INT64);
    H5Tinsert(table.id(), "in", offsetof(Row, in), inner.id());
    H5Tinsert(table.id(), "name", offsetof(Row, name), text.id());
    const Row rows[] = {{{1, 2, 3}, 10, {-5, 0.5}, "ab"}, {{4, 5, 6}, 20, {6, 1.5}, "cde"}};
    Write(file, "/t", table, {2}, rows);

    const h5::Handle colours(H5Tenum_create(H5T_NATIVE_INT32));
    int32_t value = 7;
    H5Tenum_insert(colours.id(), "RED", &value);
    value = -2;
    H5Tenum_insert(colours.id(), "BLUE", &value);
    const int32_t colour_values[] = {7, -2, 7};
    Write(file, "/e", colours, {3}, colour_values);

    const float array_values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    Write(file, "/a", floats, {2, 2}, array_values);

    const h5::Handle lists(H5Tvlen_create(H5T_NATIVE_INT32));
    int32_t numbers[] = {1, 2, 3, 4, 300};
    const hvl_t list_values[] = {{2, numbers}, {0, nullptr}, {3, numbers + 2}, {1, numbers + 1}};
    Write(file, "/l", lists, {4}, list_values);
    Write(file, "/ll", lists, {2, 2}, list_values);

    const h5::Handle bytes(H5Tvlen_create(H5T_NATIVE_UINT8));
    char letters[] = "xyz";
    const hvl_t byte_values[] = {{3, letters}, {1, letters}};
    Write(file, "/b", bytes, {2}, byte_values);

    const h5::Handle opaque(H5Tcreate(H5T_OPAQUE, 2));
    Write(file, "/o", opaque, {1}, letters);
    const h5::Handle of_lists(H5Tvlen_create(lists.id()));
    hvl_t inside = list_values[0];
    const hvl_t nested[] = {{1, &inside}};
    Write(file, "/nested", of_lists, {1}, nested);
  }

  static SampleField Field(std::string from, DType dtype = DType::kInvalid, PartialShape shape = {}) {
    return {std::move(from), dtype, std::move(shape), {}};
  }

  ScratchDirectory files_;
  RecordIndex record_index_;
  std::vector<SampleField> settled_;
};

template <class T>
std::vector<T> Values(const Result<Tensor>& t) {
  EXPECT_TRUE(t.ok()) << t.status().ToString();
  if (!t.ok()) return {};
  return {t->values<T>().begin(), t->values<T>().end()};
}

TEST_F(Hdf5Samples, FieldsOfATable) {
  WriteKinds();
  const Result<Tensor> x = ReadOne("kinds.h5", Field("/t:x"), {1, 0});
  EXPECT_THAT(Values<float>(x), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_EQ(x->shape(), Shape({2, 3}));
  EXPECT_THAT(Values<int64_t>(ReadOne("kinds.h5", Field("/t:y"))), ElementsAre(10, 20));
  EXPECT_THAT(Values<double>(ReadOne("kinds.h5", Field("/t:in:b"))), ElementsAre(0.5, 1.5));
  EXPECT_THAT(Values<float>(ReadOne("kinds.h5", Field("/t:in:a", DType::kFloat))), ElementsAre(-5, 6));
  EXPECT_THAT(Values<std::string>(ReadOne("kinds.h5", Field("/t:name"))), ElementsAre("ab", "cde"));
  EXPECT_THAT(Error("kinds.h5", Field("/t")).ToString(),
              HasSubstr("it is a table of the fields x (float32[3]), y (int64), in (a table of the fields a (int16), b "
                        "(float64)), name (string of 4 bytes): name one of them, as ':x' behind its path"));
  EXPECT_THAT(Error("kinds.h5", Field("/t:z")).ToString(), HasSubstr("there is no field 'z'; it has x, y, in, name"));
  EXPECT_THAT(Error("kinds.h5", Field("/t:nmae")).ToString(), HasSubstr("did you mean 'name'?"));
  EXPECT_THAT(Error("kinds.h5", Field("/e:x")).ToString(), HasSubstr("it is an enum of int32, no table"));
  EXPECT_EQ(Error("kinds.h5", Field("/tt:x")).code(), Code::kNotFound);
}

TEST_F(Hdf5Samples, EnumsAndArrays) {
  WriteKinds();
  EXPECT_THAT(Values<int32_t>(ReadOne("kinds.h5", Field("/e"))), ElementsAre(7, -2, 7));
  const Result<Tensor> a = ReadOne("kinds.h5", Field("/a"), {1});
  EXPECT_THAT(Values<float>(a), ElementsAre(7, 8, 9, 10, 11, 12));
  EXPECT_EQ(a->shape(), Shape({1, 2, 3}));
}

TEST_F(Hdf5Samples, ListsArePadded) {
  WriteKinds();
  SampleField lists = Field("/l");
  lists.fallback = "-1";
  const Result<Tensor> l = ReadOne("kinds.h5", lists);
  EXPECT_EQ(settled_[0].shape, PartialShape({-1}));
  EXPECT_THAT(Values<int32_t>(l), ElementsAre(1, 2, -1, -1, -1, -1, 3, 4, 300, 2, -1, -1));
  EXPECT_EQ(ReadOne("kinds.h5", lists, {0, 3})->shape(), Shape({2, 2}));
  const Result<Tensor> ll = ReadOne("kinds.h5", Field("/ll", DType::kFloat));
  EXPECT_THAT(Values<float>(ll), ElementsAre(1, 2, 0, 0, 0, 0, 3, 4, 300, 2, 0, 0));
  EXPECT_EQ(ll->shape(), Shape({2, 2, 3}));
  EXPECT_THAT(Error("kinds.h5", Field("/l", DType::kInvalid, PartialShape({2}))).ToString(),
              HasSubstr("'/l' has shape [0], but [2] is declared"));
  EXPECT_THAT(Values<int64_t>(ReadOne("kinds.h5", Field("/l:lengths"))), ElementsAre(2, 0, 3, 1));
  EXPECT_THAT(Error("kinds.h5", Field("/l:sizes")).ToString(), HasSubstr("which have :lengths and :values"));
  EXPECT_THAT(Error("kinds.h5", Field("/l", DType::kUint8)).ToString(),
              HasSubstr("kinds.h5, sample 2 of '/l': 300 is no uint8"));
  EXPECT_THAT(Values<std::string>(ReadOne("kinds.h5", Field("/b"))), ElementsAre("xyz", "x"));
  EXPECT_THAT(Values<uint8_t>(ReadOne("kinds.h5", Field("/b", DType::kUint8))), ElementsAre('x', 'y', 'z', 'x', 0, 0));
}

TEST_F(Hdf5Samples, TypesThatNoTensorHasAreNamed) {
  WriteKinds();
  for (const auto& [name, type] : {std::pair{"/o", "opaque values of 2 bytes"},
                                   std::pair{"/nested", "lists of lists of int32 of any length of any length"}}) {
    const Status status = Error("kinds.h5", Field(name));
    EXPECT_EQ(status.code(), Code::kNoInput);
    EXPECT_THAT(status.message(), HasSubstr(StrCat(type, ", which is no dtype of a tensor")));
  }
}

TEST_F(Hdf5Samples, DtypesAreConverted) {
  {
    const h5::Handle file = *h5::CreateFile(files_.Path("n.h5"));
    ASSERT_TRUE(WriteTensor(file, "/i", Tensor::Vector<int64_t>({0, -3, 255, 70000})).ok());
    ASSERT_TRUE(WriteTensor(file, "/f", Tensor::Vector<double>({0.5, -1.75, 1e300, NAN})).ok());
    ASSERT_TRUE(WriteTensor(file, "/s", Tensor::Vector<std::string>({"a", "b", "c", "d"})).ok());
  }
  EXPECT_THAT(Values<float>(ReadOne("n.h5", Field("/i", DType::kFloat), {3, 1})), ElementsAre(70000, -3));
  EXPECT_THAT(Values<bool>(ReadOne("n.h5", Field("/i", DType::kBool))), ElementsAre(false, true, true, true));
  EXPECT_THAT(Values<uint8_t>(ReadOne("n.h5", Field("/i", DType::kUint8), {2, 0})), ElementsAre(255, 0));
  EXPECT_THAT(Values<int32_t>(ReadOne("n.h5", Field("/f", DType::kInt32), {0, 1})), ElementsAre(0, -1));
  EXPECT_THAT(Values<float>(ReadOne("n.h5", Field("/f", DType::kFloat), {0, 3}))[0], 0.5);
  const auto error = [&](const char* name, DType dtype, std::vector<int64_t> wanted) {
    return ReadOne("n.h5", Field(name, dtype), std::move(wanted)).status().message();
  };
  EXPECT_THAT(error("/i", DType::kUint8, {0, 1}), HasSubstr("sample 1 of '/i': -3 is no uint8"));
  EXPECT_THAT(error("/i", DType::kInt16, {3}), HasSubstr("sample 3 of '/i': 70000 is no int16"));
  EXPECT_THAT(error("/f", DType::kInt64, {2}), HasSubstr("sample 2 of '/f': 1e+300 is no int64"));
  EXPECT_THAT(error("/f", DType::kInt64, {3}), HasSubstr("sample 3 of '/f': nan is no int64"));
  EXPECT_THAT(error("/s", DType::kFloat, {}), HasSubstr("'/s' is string, which cannot be converted to float32"));
}

TEST_F(Hdf5Samples, SeveralFiles) {
  const auto write = [&](const std::string& name, const Tensor& x) {
    const h5::Handle file = *h5::CreateFile(files_.Path(name));
    ASSERT_TRUE(WriteTensor(file, "/x", x).ok());
  };
  write("p2.h5", Tensor::Vector<float>({5}));
  write("p0.h5", Tensor::Vector<float>({0, 1, 2}));
  write("p1.h5", Tensor::Vector<float>({3, 4}));
  const auto batch = Read({files_.Path("p?.h5")}, {Field("/x")}, {5, 0, 3, 0, 2, 4});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_THAT(Values<float>((*batch)[0]), ElementsAre(5, 0, 3, 0, 2, 4));
  ASSERT_EQ(record_index_.pieces.size(), 3u);
  EXPECT_EQ(record_index_.pieces[1].records, 2);
  EXPECT_THAT(Read({files_.Path("q*.h5")}, {Field("/x")}).status().ToString(), HasSubstr("no file fits"));
  write("q.h5", Tensor::Vector<int32_t>({7}));
  const std::vector<std::string> mixed = {files_.Path("p1.h5"), files_.Path("q.h5")};
  EXPECT_THAT(Read(mixed, {Field("/x")}).status().ToString(),
              HasSubstr("q.h5 is not as " + mixed[0] + ": '/x' is int32[], but float32[] there"));
  const auto converted = Read(mixed, {Field("/x", DType::kDouble)});
  ASSERT_TRUE(converted.ok()) << converted.status().ToString();
  EXPECT_THAT(Values<double>((*converted)[0]), ElementsAre(3, 4, 7));
  write("r.h5", Tensor(DType::kFloat, Shape({1, 2})));
  EXPECT_THAT(Read({mixed[0], files_.Path("r.h5")}, {Field("/x")}).status().ToString(), HasSubstr("r.h5 is not as"));
}

// The number of files exceeds the number that is open at once.
TEST_F(Hdf5Samples, ManyFiles) {
  constexpr int kFiles = 150;
  for (int i = 0; i < kFiles; ++i) {
    const h5::Handle file = *h5::CreateFile(files_.Path(StrCat("many", 1000 + i, ".h5")));
    ASSERT_TRUE(WriteTensor(file, "/x", Tensor::Vector<int32_t>({2 * i, 2 * i + 1})).ok());
  }
  std::vector<int64_t> backwards(2 * kFiles);
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  const auto batch = Read({files_.Path("many*.h5")}, {Field("/x")}, backwards);
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  for (int i = 0; i < 2 * kFiles; ++i) ASSERT_EQ((*batch)[0].data<int32_t>()[i], 2 * kFiles - 1 - i);
}

int64_t OpenFiles() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// Limits the number of files that may be open.
class FewFiles {
 public:
  explicit FewFiles(int64_t more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(OpenFiles() + more);
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

// The files have more bytes than are mapped: each is a hole of 32 MiB except for one row.
TEST_F(Hdf5Samples, MoreFilesThanMayBeOpen) {
  constexpr int64_t kFiles = 40;
  constexpr hsize_t kDims[] = {400'000, 20};
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < kFiles; ++i) {
    const h5::Handle file = *h5::CreateFile(files_.Path(StrCat("large", 1000 + i, ".h5")));
    const h5::Handle space(H5Screate_simple(2, kDims, nullptr));
    const h5::Handle layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_alloc_time(layout.id(), H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(layout.id(), H5D_FILL_TIME_NEVER);
    const h5::Handle dataset(
        H5Dcreate2(file.id(), "/x", H5T_NATIVE_FLOAT, space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT));
    const hsize_t start[] = {static_cast<hsize_t>(1000 * i), 0};
    const hsize_t count[] = {1, kDims[1]};
    const h5::Handle row(H5Screate_simple(2, count, nullptr));
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
    const std::vector<float> values(kDims[1], static_cast<float>(i + 1));
    ASSERT_GE(H5Dwrite(dataset.id(), H5T_NATIVE_FLOAT, row.id(), space.id(), H5P_DEFAULT, values.data()), 0);
    rows.push_back(i * static_cast<int64_t>(kDims[0]) + 1000 * i);
  }
  SampleConfig config{.files = {files_.Path("large*.h5")}, .options = {}};
  SampleField field = Field("/x");
  RecordIndex counted;
  {
    const auto source = *SampleFormats::Find("hdf5")->open(config);
    ASSERT_TRUE(source->AddField(field).ok());
    counted = *source->Count();
    config.layouts = source->layouts();
  }
  const FewFiles few(24);
  const int64_t before = OpenFiles();
  const auto source = *SampleFormats::Find("hdf5")->open(config);
  ASSERT_TRUE(source->AddField(field).ok());
  ASSERT_TRUE(source->Load(counted).ok());
  for (int round = 0; round < 3; ++round) {
    std::rotate(rows.begin(), rows.begin() + 7, rows.end());
    const auto batch = source->Gather(rows, SystemAllocator());
    ASSERT_TRUE(batch.ok()) << batch.status().ToString();
    for (int64_t i = 0; i < kFiles; ++i) {
      ASSERT_EQ((*batch)[0].data<float>()[i * 20 + 19], (i + 7 * (round + 1)) % kFiles + 1);
    }
    EXPECT_LE(OpenFiles(), before + 12);
  }
}

TEST_F(Hdf5Samples, ACensusOfOtherFilesIsRefused) {
  {
    const h5::Handle file = *h5::CreateFile(files_.Path("c.h5"));
    ASSERT_TRUE(WriteTensor(file, "/x", Tensor::Vector<float>({1, 2})).ok());
  }
  const auto load = [&](const RecordIndex& record_index) {
    const auto source = *SampleFormats::Find("hdf5")->open({{files_.Path("c.h5")}, {}});
    SampleField field = Field("/x");
    EXPECT_TRUE(source->AddField(field).ok());
    return source->Load(record_index).status().ToString();
  };
  EXPECT_EQ(load({{{0, 0, 2}}, {}, 0}), "OK");
  EXPECT_THAT(load({{{0, 0, 3}}, {}, 0}), HasSubstr("c.h5 has 2 samples; when they were counted it had 3"));
  EXPECT_THAT(load({{{0, 0, 2}, {1, 0, 2}}, {}, 0}), HasSubstr("InvalidArgument"));
}

}  // namespace
}  // namespace dfrun
