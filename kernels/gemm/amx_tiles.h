// The tile registers of a CPU with AMX: squares of 16 x 16 sums and operands of 16 x 16 pairs of bfloat16. Only where
// DFRUN_AMX is defined.
#ifndef DFRUN_KERNELS_GEMM_AMX_TILES_H_
#define DFRUN_KERNELS_GEMM_AMX_TILES_H_

#if defined(__AMX_BF16__) && defined(__AVX512BF16__) && defined(__AVX512BW__) && defined(__linux__)
#define DFRUN_AMX 1

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace dfrun {

// True where Linux lets this process use tiles; it does when asked.
inline bool MayUseTiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}

// Configures the calling thread's tiles, while it lives, as 8 of 16 rows of 64 bytes.
// Thread safety: the thread that made it.
class TileScope {
 public:
  TileScope() {
    const volatile Config config;  // the intrinsic's asm does not say that it reads all of it
    _tile_loadconfig(const_cast<const Config*>(&config));
  }
  ~TileScope() { _tile_release(); }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;

 private:
  struct alignas(64) Config {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
};

}  // namespace dfrun

#endif  // __AMX_BF16__

#endif  // DFRUN_KERNELS_GEMM_AMX_TILES_H_
