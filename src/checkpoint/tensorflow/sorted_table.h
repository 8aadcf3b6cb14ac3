// Writes a table of entries sorted by their keys, as LevelDB defines it and TensorFlow reads it.
//
// https://github.com/google/leveldb/blob/main/doc/table_format.md; blocks are uncompressed, keys have no sequence
// numbers behind them.
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_SORTED_TABLE_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_SORTED_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

// Thread safety: one thread at a time.
class SortedTable {
 public:
  // Adds an entry. Keys come in the ascending order of their bytes, each once.
  void Add(std::string_view key, std::string_view value);
  // Returns the bytes of the whole table. Nothing may be called afterwards.
  std::string Finish();

 private:
  // Entries whose keys leave out what they share with the one before, but for one in `interval`.
  class Block {
   public:
    explicit Block(int interval) : interval_(interval) {}
    void Add(std::string_view key, std::string_view value);
    bool empty() const { return restarts_.empty(); }
    size_t bytes() const { return bytes_.size(); }
    const std::string& last_key() const { return last_key_; }
    // Appends the block with its checksum to the table, and begins anew.
    std::string AppendTo(std::string& table);

   private:
    const int interval_;
    std::string bytes_;
    std::string last_key_;
    std::vector<uint32_t> restarts_;
    int since_restart_ = 0;
  };

  void EndBlock();

  std::string table_;
  Block data_{16};
  Block index_{1};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_SORTED_TABLE_H_
