#pragma once
// A decompressor that knows nothing of the image before. libjpeg keeps quantisation and Huffman tables from one image to the next
// (for streams that send them once); a file without its own would then look different after each other file.

#include <cstdio>

#include <jpeglib.h>

namespace feedtune {

/// The first member of a struct, so that libjpeg's pointer to it is one to the whole; only after jpeg_create_decompress().
struct JpegWithoutMemory {
  jpeg_decompress_struct info;

  /// Once, after jpeg_create_decompress().
  void begin();
  /// Before each header: takes the tables away. Their memory, which libjpeg would never give back, serves the next ones.
  void forget_tables();

  // Its own; public, since only then is a pointer to `info` one to all of it.
  static void* allocate(j_common_ptr info, int pool, std::size_t bytes);

  void* (*libjpegs_)(j_common_ptr, int, std::size_t);
  void* quantisation_[NUM_QUANT_TBLS];
  void* huffman_[2 * NUM_HUFF_TBLS];
  int quantisations_;
  int huffmans_;
};

}  // namespace feedtune
