#include "tests/unit/checkpoint/disk_model.h"

#include <algorithm>
#include <utility>

#include "src/base/status.h"

namespace dfrun::testing {

struct DiskModel::Node {
  bool is_directory = false;
  bool is_symlink = false;  // its bytes are the text, and on the disk with its name
  std::string bytes, synced_bytes;
  Names names, synced_names;
};

DiskModel::DiskModel() : root_(std::make_shared<Node>()) {
  root_->is_directory = true;
}

DiskModel::~DiskModel() = default;

std::shared_ptr<DiskModel::Node> DiskModel::Find(const std::string& path) const {
  std::shared_ptr<Node> node = root_;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const auto next = node->names.find(path.substr(at, end - at));
    DF_CHECK(next != node->names.end());
    node = next->second;
    at = end + 1;
  }
  return node;
}

DiskModel::Node& DiskModel::Parent(const std::string& path) const {
  const size_t slash = path.rfind('/');
  return *Find(slash == std::string::npos ? "" : path.substr(0, slash));
}

namespace {

std::string LastName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void DiskModel::Apply(const FileCall& call) {
  switch (call.kind) {
    case FileCall::Kind::kCreate:
    case FileCall::Kind::kMakeDirectory: {
      const auto node = std::make_shared<Node>();
      node->is_directory = call.kind == FileCall::Kind::kMakeDirectory;
      Parent(call.path).names[LastName(call.path)] = node;
      return;
    }
    case FileCall::Kind::kSymlink: {
      const auto node = std::make_shared<Node>();
      node->is_symlink = true;
      node->bytes = node->synced_bytes = call.data;
      Parent(call.path).names[LastName(call.path)] = node;
      return;
    }
    case FileCall::Kind::kWrite: {
      std::string& bytes = Find(call.path)->bytes;
      bytes.resize(std::max(bytes.size(), static_cast<size_t>(call.number) + call.data.size()));
      bytes.replace(call.number, call.data.size(), call.data);
      return;
    }
    case FileCall::Kind::kTruncate:
      Find(call.path)->bytes.resize(call.number);
      return;
    case FileCall::Kind::kSync: {
      Node& node = *Find(call.path);
      node.synced_bytes = node.bytes;
      node.synced_names = node.names;
      return;
    }
    case FileCall::Kind::kRename:
      Parent(call.to).names[LastName(call.to)] = Find(call.path);
      Parent(call.path).names.erase(LastName(call.path));
      return;
    case FileCall::Kind::kExchange:
      std::swap(Parent(call.path).names.at(LastName(call.path)), Parent(call.to).names.at(LastName(call.to)));
      return;
    case FileCall::Kind::kLink:
      Parent(call.to).names[LastName(call.to)] = Find(call.path);
      return;
    case FileCall::Kind::kRemove:
      Parent(call.path).names.erase(LastName(call.path));
      return;
    case FileCall::Kind::kMark:
      return;
  }
}

void DiskModel::Collect(const Node& directory, View view, const std::string& path,
                        std::map<std::string, std::string>& files) {
  for (const auto& [name, node] : view == View::kSynced ? directory.synced_names : directory.names) {
    if (node->is_directory) {
      files[path + name + "/"];
      Collect(*node, view, path + name + "/", files);
    } else if (node->is_symlink) {
      files[path + name + "@"] = node->bytes;
    } else {
      files[path + name] = view == View::kAll ? node->bytes : node->synced_bytes;
    }
  }
}

std::map<std::string, std::string> DiskModel::Files(View view) const {
  std::map<std::string, std::string> files;
  Collect(*root_, view, "", files);
  return files;
}

}  // namespace dfrun::testing
