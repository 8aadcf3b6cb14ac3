// Texts in files that are named by patterns, of which some may be compressed.
#ifndef DFRUN_KERNELS_IO_TEXT_FILES_H_
#define DFRUN_KERNELS_IO_TEXT_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "kernels/io/byte_file.h"
#include "kernels/strings/letters.h"
#include "src/storage/file_access.h"

namespace dfrun {

// The files that `names` name, in their order, those of a pattern sorted. A name that is no file's may be several with
// commas between them, "a.txt, b-*.txt", in brackets or not. NotFound for a name that nothing fits, BadSpec for one
// that leads to a file which may not be opened.
Result<std::vector<std::string>> NamedTextFiles(const std::vector<std::string>& names, const FileAccess& access);

// The text of a file, decompressed if its first bytes say that gzip or zlib compressed it. zlib's, which begin some
// texts too, count only if the rest is compressed data, or no text.
Result<ByteFile> OpenText(const std::string& path, const FileAccess& access);

// The first byte from `offset` on at which a token begins, a run of letters; else the text's end. Byte 0 counts as one.
Result<uint64_t> NextToken(FileCursor& text, uint64_t offset, const Letters& letters);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_TEXT_FILES_H_
