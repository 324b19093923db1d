#include <cstddef>
#include <cstdint>
#include <cstdio>

// libjpeg's own declarations; Debian's and Ubuntu's development packages have them. Without them nothing is taken over.
#if __has_include(<jpegint.h>)
#define JPEG_INTERNALS
#define FEEDTUNE_JPEG_INTERNALS 1
#endif
#include <jpeglib.h>

#include <dlfcn.h>

#include <algorithm>
#include <csetjmp>
#include <limits>
#include <span>

#include "pipeline/baseline_scan.hpp"
#include "pipeline/jpeg_writer.hpp"

namespace feedtune {

#ifdef FEEDTUNE_JPEG_INTERNALS

namespace {

struct Escape {
  jpeg_error_mgr base;
  std::jmp_buf to;
};

/// A libjpeg whose structs have another layout would hardly have one of its own functions at the hook's place. Only trivial
/// locals: a longjmp comes back here.
bool hook_is_libjpegs(std::span<const std::byte> encoded) {
  jpeg_decompress_struct info{};
  Escape errors{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr at) { std::longjmp(reinterpret_cast<Escape*>(at->err)->to, 1); };
  volatile bool same = false;
  if (setjmp(errors.to) == 0) {
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
    jpeg_read_header(&info, TRUE);
    jpeg_start_decompress(&info);
    Dl_info library{};
    Dl_info hook{};
    same = ::dladdr(reinterpret_cast<void*>(info.mem->alloc_small), &library) != 0 && info.entropy != nullptr &&
           ::dladdr(reinterpret_cast<void*>(info.entropy->decode_mcu), &hook) != 0 && library.dli_fbase == hook.dli_fbase;
  }
  jpeg_destroy_decompress(&info);
  return same;
}

}  // namespace

bool BaselineScan::available() {
  static const bool known = [] {
    const std::array<std::uint8_t, 8 * 8 * 3> grey{};
    return hook_is_libjpegs(JpegWriter().encode(grey.data(), 8, 8, 90));
  }();
  return known;
}

bool BaselineScan::take_over(jpeg_decompress_struct& info, JDIMENSION left, JDIMENSION width, int eighths) {
  if (!available() || info.progressive_mode || info.arith_code || info.data_precision != 8 || jpeg_has_multiple_scans(&info)) return false;
#if LIBJPEG_TURBO_VERSION_NUMBER >= 3000000
  if (info.master->lossless) return false;
#endif
  if (!build_tables(info)) return false;
  last_dc_.fill(0);
  const JOCTET* begin = info.src->next_input_byte;
  const JOCTET* end = begin + info.src->bytes_in_buffer;
  // A run of 0xFF is no marker unless something follows: libjpeg reads past it and misses the rest.
  while (end != begin && end[-1] == 0xFF) --end;
  bits_ = HuffmanBits(begin, end);
  // Which MCUs hold the wanted columns: as jpeg_crop_scanline counts them.
  const auto of_mcu = static_cast<JDIMENSION>(eighths * (info.comps_in_scan == 1 ? 1 : info.max_h_samp_factor));
  columns_ = info.MCUs_per_row;
  first_column_ = left / of_mcu;
  last_column_ = (left + width + of_mcu - 1) / of_mcu - 1;
  column_ = 0;
  restart_interval_ = info.restart_interval;
  until_restart_ = restart_interval_;
  next_restart_ = 0;
  info.client_data = this;
  info.entropy->decode_mcu = &BaselineScan::decode_mcu;
  return true;
}

boolean BaselineScan::decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) {
  auto& scan = *static_cast<BaselineScan*>(info->client_data);
  if (scan.decode(blocks)) return TRUE;
  scan.gave_up_ = true;
  (*info->err->error_exit)(reinterpret_cast<j_common_ptr>(info));
  return FALSE;
}

#else

bool BaselineScan::available() { return false; }
bool BaselineScan::take_over(jpeg_decompress_struct&, JDIMENSION, JDIMENSION, int) { return false; }

#endif

bool BaselineScan::build_tables(const jpeg_decompress_struct& info) {
  const auto build = [](HuffmanTable& table, const JHUFF_TBL* from, bool dc) {
    if (from == nullptr) return false;
    HuffmanSpec spec;
    std::copy(std::begin(from->bits) + 1, std::end(from->bits), spec.counts.begin() + 1);
    std::copy(std::begin(from->huffval), std::end(from->huffval), spec.symbols.begin());
    return table.build(spec, dc);
  };
  block_count_ = info.blocks_in_MCU;
  for (int k = 0; k < block_count_; ++k) {
    Block& block = blocks_[static_cast<std::size_t>(k)];
    block.component = info.MCU_membership[k];
    const jpeg_component_info& component = *info.cur_comp_info[block.component];
    const auto dc = static_cast<std::size_t>(component.dc_tbl_no);
    const auto ac = static_cast<std::size_t>(component.ac_tbl_no);
    if (dc >= dc_.size() || ac >= ac_.size()) return false;
    block.dc = &dc_[dc];
    block.ac = &ac_[ac];
    if (!build(dc_[dc], info.dc_huff_tbl_ptrs[dc], true) || !build(ac_[ac], info.ac_huff_tbl_ptrs[ac], false)) return false;
  }
  return true;
}

/// One MCU; without `blocks` it is passed over. False where the bits are no image's.
inline bool BaselineScan::decode_any(JBLOCKROW* blocks) {
  if (restart_interval_ != 0 && until_restart_-- == 0) {
    if (!bits_.restart(next_restart_)) return false;
    next_restart_ = (next_restart_ + 1) % 8;
    until_restart_ = restart_interval_ - 1;
    last_dc_.fill(0);
  }
  HuffmanBits bits = bits_;  // its own, so that it stays in registers
  const bool wanted = blocks != nullptr && column_ >= first_column_ && column_ <= last_column_;
  if (++column_ == columns_) column_ = 0;
  for (int k = 0; k < block_count_; ++k) {
    const Block& block = blocks_[static_cast<std::size_t>(k)];
    int difference = 0;
    if (!block.dc->read_dc(bits, difference)) return false;
    int& last = last_dc_[static_cast<std::size_t>(block.component)];
    last += difference;
    if (last < std::numeric_limits<JCOEF>::min() || last > std::numeric_limits<JCOEF>::max()) return false;
    if (!wanted) {
      if (!block.ac->skip_ac(bits)) return false;
      continue;
    }
    JCOEF* coefficients = *blocks[k];
    coefficients[0] = static_cast<JCOEF>(last);
    if (!block.ac->read_ac(bits, coefficients)) return false;
  }
  bits_ = bits;
  return !bits.overrun();
}

bool BaselineScan::decode(JBLOCKROW* blocks) {
#ifdef __x86_64__
  static const bool bmi2 = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  if (bmi2) return decode_bmi2(blocks);
#endif
  return decode_any(blocks);
}

#ifdef __x86_64__
/// Shifts by a variable number of bits, of which decoding is made, are three times as fast.
[[gnu::target("bmi,bmi2")]] bool BaselineScan::decode_bmi2(JBLOCKROW* blocks) { return decode_any(blocks); }
#endif

}  // namespace feedtune
