#include "pipeline/jpeg_tables.hpp"

#include <initializer_list>
#include <type_traits>

namespace feedtune {

static_assert(std::is_standard_layout_v<JpegWithoutMemory>);
static_assert(sizeof(JQUANT_TBL) != sizeof(JHUFF_TBL));

void JpegWithoutMemory::begin() {
  libjpegs_ = info.mem->alloc_small;
  info.mem->alloc_small = allocate;
  quantisations_ = huffmans_ = 0;
}

void JpegWithoutMemory::forget_tables() {
  for (JQUANT_TBL*& table : info.quant_tbl_ptrs) {
    if (table != nullptr) quantisation_[quantisations_++] = table;
    table = nullptr;
  }
  for (auto* tables : {info.dc_huff_tbl_ptrs, info.ac_huff_tbl_ptrs})
    for (int k = 0; k < NUM_HUFF_TBLS; ++k) {
      if (tables[k] != nullptr) huffman_[huffmans_++] = tables[k];
      tables[k] = nullptr;
    }
}

void* JpegWithoutMemory::allocate(j_common_ptr info, int pool, std::size_t bytes) {
  auto& self = *reinterpret_cast<JpegWithoutMemory*>(info);
  if (pool == JPOOL_PERMANENT && bytes == sizeof(JQUANT_TBL) && self.quantisations_ > 0) return self.quantisation_[--self.quantisations_];
  if (pool == JPOOL_PERMANENT && bytes == sizeof(JHUFF_TBL) && self.huffmans_ > 0) return self.huffman_[--self.huffmans_];
  return self.libjpegs_(info, pool, bytes);
}

}  // namespace feedtune
