#pragma once
// Packed folders to try things on: their pictures, their bytes, and what comes out of them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "core/trial_setup.hpp"
#include "image_jpeg_fixture.hpp"
#include "pipeline/pack.hpp"

namespace feedtune::packed_test {

namespace fs = std::filesystem;
using test::TemporaryFolder;

/// Photographs' kinds in two classes, of 90 to 180 pixels.
void write_pictures(const TemporaryFolder& folder, int count);
std::string in(const TemporaryFolder& folder, const std::string& name);
/// Of "images" in the folder, to `to` in it, in several shards.
PackOptions options_of(const TemporaryFolder& folder, const PackRecipe& recipe = {}, const std::string& to = "packed");
/// A pack of 8 raw pictures of a page and more each, in one shard.
PackOptions packed_pixels(const TemporaryFolder& folder);

std::vector<std::byte> read_bytes(const fs::path& path);
void write_bytes(const fs::path& path, std::span<const std::byte> bytes);
/// Name -> content of every file.
std::map<std::string, std::vector<std::byte>> contents(const fs::path& folder);

LoaderSetup loader_setup(Storage storage, LoaderKind kind = LoaderKind::pooled, int workers = 0);

struct Delivered {
  std::vector<std::vector<std::byte>> pixels;  ///< of each batch
  std::vector<std::int32_t> labels;
  std::vector<FileNote> notes;
  int images = 0;
};
Delivered deliver(const std::string& path, const LoaderSetup& setup, int steps = 11, int image_size = 40);

/// What opening says, or "opens".
std::string said_of(const std::string& path);

}  // namespace feedtune::packed_test
