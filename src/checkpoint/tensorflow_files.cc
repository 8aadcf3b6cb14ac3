#include "src/checkpoint/tensorflow_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/checkpoint/tensorflow/bundle.pb.h"
#include "src/checkpoint/tensorflow/sorted_table.h"

namespace dfrun {
namespace {

constexpr const char* kIndex = "tf.index";

std::string DataFile(size_t number, size_t count) {
  char name[64];
  std::snprintf(name, sizeof name, "tf.data-%05zu-of-%05zu", number, count);
  return name;
}

// Returns the number of shards and files of texts.
size_t CountDataFiles(const std::vector<bool>& has_texts) {
  return has_texts.size() + static_cast<size_t>(std::count(has_texts.begin(), has_texts.end(), true));
}

Result<SavedFile> WriteFile(const std::string& directory, const std::string& name, std::string_view content) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::CreateNew(directory + "/" + name));
  DF_TRY(file.WriteAt(0, content.data(), content.size()));
  DF_TRY(file.Sync());
  return SavedFile{.name = name, .bytes = content.size(), .crc32c = Crc32c(content.data(), content.size())};
}

// Where a tensor's bytes are.
struct Place {
  size_t file = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// The entries of tf.index by their keys.
class Entries {
 public:
  explicit Entries(size_t files) {
    tensorflow_bundle::Header header;
    header.set_num_shards(static_cast<int32_t>(files));
    header.mutable_version()->set_producer(1);
    entries_[""] = header.SerializeAsString();
  }

  void Add(const SavedVariable& variable, const Place& place) {
    tensorflow_bundle::Entry entry;
    entry.set_dtype(static_cast<int32_t>(variable.dtype));
    entry.mutable_shape();
    for (const int64_t size : variable.shape.dims()) entry.mutable_shape()->add_dim()->set_size(size);
    entry.set_shard_id(static_cast<int32_t>(place.file));
    entry.set_offset(static_cast<int64_t>(place.offset));
    entry.set_size(static_cast<int64_t>(place.bytes));
    entry.set_crc32c(MaskCrc32c(variable.crc32c.value_or(0)));
    entries_[variable.name] = entry.SerializeAsString();
  }

  std::string Table() const {
    SortedTable table;
    for (const auto& [key, value] : entries_) table.Add(key, value);
    return table.Finish();
  }

 private:
  std::map<std::string, std::string> entries_;
};

// One call of WriteTensorFlowFiles().
class Writing {
 public:
  Writing(const std::string& directory, Manifest& manifest)
      : directory_(directory),
        manifest_(manifest),
        texts_names_(NamesOfTextsFiles(HasTexts(manifest))),
        files_(CountDataFiles(HasTexts(manifest))),
        entries_(files_) {}

  Status Run() {
    for (size_t i = 0; i < manifest_.shards.size(); ++i) {
      const ShardEntry& shard = manifest_.shards[i];
      const std::string name = DataFile(i, files_);
      DF_TRY(MakeLink(shard.file, StrCat(directory_, "/", name)));
      manifest_.files.push_back({.name = name, .link = shard.file});
      DF_TRY(AddShard(i, shard));
    }
    DF_ASSIGN(SavedFile index, WriteFile(directory_, kIndex, entries_.Table()));
    manifest_.files.push_back(std::move(index));
    return Status();
  }

 private:
  static std::vector<bool> HasTexts(const Manifest& manifest) {
    std::vector<bool> has;
    for (const ShardEntry& shard : manifest.shards) has.push_back(shard.texts.has_value());
    return has;
  }

  Status AddShard(size_t number, const ShardEntry& shard) {
    if (shard.texts && shard.texts->file != texts_names_[number]) {
      return Internal("the texts of ", shard.file, " are in ", shard.texts->file, ", not in ", texts_names_[number]);
    }
    Place texts{.file = manifest_.shards.size() + texts_files_};
    size_t next = 0;
    for (const SavedVariable& v : shard.variables) {
      if (IsPlain(v.dtype)) {
        const uint64_t bytes = static_cast<uint64_t>(v.shape.num_elements()) * DTypeSize(v.dtype);
        entries_.Add(v, {.file = number, .offset = v.offset.value_or(0), .bytes = bytes});
        continue;
      }
      if (!shard.texts || next == shard.texts->sizes.size()) {
        return Internal("the strings of '", v.name, "' are in no file for TensorFlow");
      }
      texts.bytes = shard.texts->sizes[next++];
      entries_.Add(v, texts);
      texts.offset += texts.bytes;
    }
    if (!shard.texts) return Status();
    ++texts_files_;
    manifest_.files.push_back({.name = shard.texts->file, .bytes = shard.texts->bytes, .crc32c = shard.texts->crc32c});
    return Status();
  }

  const std::string& directory_;
  Manifest& manifest_;
  const std::vector<std::string> texts_names_;
  const size_t files_;
  size_t texts_files_ = 0;  // that are there so far
  Entries entries_;
};

}  // namespace

std::vector<std::string> NamesOfTextsFiles(const std::vector<bool>& has_texts) {
  const size_t count = CountDataFiles(has_texts);
  size_t next = has_texts.size();
  std::vector<std::string> names;
  for (const bool has : has_texts) names.push_back(has ? DataFile(next++, count) : "");
  return names;
}

Status WriteTensorFlowFiles(const std::string& directory, Manifest& manifest) {
  return Writing(directory, manifest).Run();
}

Status MakeLink(const std::string& target, const std::string& path) {
  if (::symlink(target.c_str(), path.c_str()) == 0) return Status();
  return IoError("cannot make the link ", path, ", which 'tensorflow: true' needs: ", std::strerror(errno));
}

}  // namespace dfrun
