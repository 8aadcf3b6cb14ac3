#include "kernels/io/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <new>

namespace dfrun {
namespace {

constexpr int kWindowBits = 15;
constexpr int kGzipFlag = 16;  // added to the window bits it chooses gzip's framing
constexpr size_t kBlock = size_t{256} << 10;

class Inflater {
 public:
  explicit Inflater(Compression compression) {
    ready_ = inflateInit2(&stream_, kWindowBits + (compression == Compression::kGzip ? kGzipFlag : 0)) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  Result<std::string> Run(std::string_view compressed, size_t limit) {
    if (!ready_) return Error(Code::kResourceExhausted, "zlib has no memory");
    std::string plain;
    int state = Z_OK;
    size_t fed = 0;
    while (true) {
      if (stream_.avail_in == 0 && fed < compressed.size()) Feed(compressed, fed);
      if (state == Z_STREAM_END && stream_.avail_in == 0) return plain;
      if (state == Z_STREAM_END) inflateReset(&stream_);  // files may be joined
      DF_ASSIGN(state, Step(plain));
      if (plain.size() > limit) return Error(Code::kOutOfRange, "it inflates to more than ", limit, " bytes");
    }
  }

 private:
  void Feed(std::string_view compressed, size_t& fed) {
    const size_t bytes = std::min<size_t>(compressed.size() - fed, std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + fed));  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(bytes);
    fed += bytes;
  }

  Result<int> Step(std::string& plain) {
    const size_t before = plain.size();
    try {
      plain.resize(before + kBlock);
    } catch (const std::bad_alloc&) {
      return Error(Code::kResourceExhausted, "no memory for the more than ", before, " bytes that it inflates to");
    }
    stream_.next_out = reinterpret_cast<Bytef*>(plain.data() + before);
    stream_.avail_out = static_cast<uInt>(kBlock);
    const int state = inflate(&stream_, Z_NO_FLUSH);
    plain.resize(plain.size() - stream_.avail_out);
    if (state == Z_OK || state == Z_STREAM_END) return state;
    if (state == Z_BUF_ERROR) return Error(Code::kDataLoss, "the compressed data is cut short");
    return Error(Code::kDataLoss, "the compressed data is damaged", stream_.msg == nullptr ? "" : ": ",
                 stream_.msg == nullptr ? "" : stream_.msg);
  }

  z_stream stream_ = {};
  bool ready_ = false;
};

}  // namespace

Result<Compression> ParseCompression(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.empty() || lower == "none") return Compression::kNone;
  if (lower == "gzip") return Compression::kGzip;
  if (lower == "zlib") return Compression::kZlib;
  return InvalidArgument("the compression '", name, "' is none of none, gzip, zlib");
}

Result<std::string> Inflate(std::string_view compressed, Compression compression, size_t limit) {
  return Inflater(compression).Run(compressed, limit);
}

}  // namespace dfrun
