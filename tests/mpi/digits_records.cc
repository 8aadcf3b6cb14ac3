// digits_records HDF5 DIRECTORY: the training samples of the digits as TFRecord (two files), CSV (also compressed) and
// fixed-length records, in the order of the HDF5 file.
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "kernels/io/record_format.h"
#include "src/hdf5/tensor_hdf5.h"
#include "src/storage/example.pb.h"

namespace dfrun {
namespace {

struct Digits {
  Tensor images;  // float32 [n, 64]
  Tensor labels;  // int64 [n]
  int64_t size() const { return labels.num_elements(); }
  const float* image(int64_t i) const { return images.data<float>() + i * 64; }
  int64_t label(int64_t i) const { return labels.data<int64_t>()[i]; }
};

Result<Digits> ReadDigits(const std::string& path) {
  Digits digits;
  DF_ASSIGN(const h5::Handle file, h5::OpenFile(path));
  DF_ASSIGN(digits.images, ReadTensor(file, path, "/train/image", SystemAllocator()));
  DF_ASSIGN(digits.labels, ReadTensor(file, path, "/train/label", SystemAllocator()));
  return digits;
}

std::string Records(const Digits& digits, int64_t begin, int64_t end) {
  std::string records;
  for (int64_t i = begin; i < end; ++i) {
    proto::Example example;
    auto& features = *example.mutable_features()->mutable_feature();
    for (int k = 0; k < 64; ++k) features["image"].mutable_float_list()->add_value(digits.image(i)[k]);
    features["label"].mutable_int64_list()->add_value(digits.label(i));
    records += FramedTfRecord(example.SerializeAsString());
  }
  return records;
}

std::string Csv(const Digits& digits) {
  std::string lines = "label";
  for (int k = 0; k < 64; ++k) lines += StrCat(",p", k);
  for (int64_t i = 0; i < digits.size(); ++i) {
    lines += StrCat("\n", digits.label(i));
    for (int k = 0; k < 64; ++k) {
      char text[32];
      std::snprintf(text, sizeof(text), ",%.9g", static_cast<double>(digits.image(i)[k]));
      lines += text;
    }
  }
  return lines;
}

std::string Fixed(const Digits& digits) {
  std::string records;
  for (int64_t i = 0; i < digits.size(); ++i) {
    const int64_t label = digits.label(i);
    records.append(reinterpret_cast<const char*>(&label), sizeof(label));
    records.append(reinterpret_cast<const char*>(digits.image(i)), 64 * sizeof(float));
  }
  return records;
}

Status Write(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  return out.flush() ? Status() : IoError("cannot write ", path);
}

Status WriteAll(const std::string& source, const std::string& directory) {
  DF_ASSIGN(const Digits digits, ReadDigits(source));
  DF_TRY(Write(directory + "/digits-0.tfrecord", Records(digits, 0, 500)));
  DF_TRY(Write(directory + "/digits-1.tfrecord", Records(digits, 500, digits.size())));
  DF_TRY(Write(directory + "/digits.csv", Csv(digits)));
  const gzFile zipped = gzopen((directory + "/digits.csv.gz").c_str(), "wb");
  if (zipped == nullptr || gzputs(zipped, Csv(digits).c_str()) < 0 || gzclose(zipped) != Z_OK) {
    return IoError("cannot write ", directory, "/digits.csv.gz");
  }
  return Write(directory + "/digits.bin", Fixed(digits));
}

}  // namespace
}  // namespace dfrun

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const dfrun::Status status = dfrun::WriteAll(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
