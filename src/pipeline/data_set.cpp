#include "pipeline/data_set.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/cpu_affinity.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_preparer.hpp"
#include "pipeline/packed_folder.hpp"

namespace feedtune {
namespace {

void check_supported(const LoaderSetup& loader, const ImageList& list) {
  if (const std::string missing = storage_unavailable(list, loader.storage); !missing.empty())
    throw TrialFailure(TrialStatus::unsupported, fmt::format("storage={}: {}", to_text(loader.storage), missing));
  if (const std::string missing = decoder_unavailable(loader.decoder); !missing.empty())
    throw TrialFailure(TrialStatus::unsupported, fmt::format("decoder={}: {}", loader.decoder, missing));
}

void check_unchanged(const DataSetup& data, const ImageList& list) {
  if (!data.fingerprint.empty() && list.fingerprint() != data.fingerprint)
    throw DataChangedError(data.path, "the data changed since the sweep began (files came, went or were written anew)");
}

std::shared_ptr<const ImageList> cached_list(const DataSetup& data, const LoaderSetup& loader, DataCache& cache) {
  if (!cache.list) cache.list = std::make_shared<const ImageList>(ImageList::from_path(data.path));
  check_unchanged(data, *cache.list);
  check_supported(loader, *cache.list);
  return cache.list;
}

std::shared_ptr<const PackedStore> cached_pack(const ImageList& list, DataCache& cache) {
  if (cache.packed) return cache.packed;
  const std::string& folder = list.packed_folder();
  auto store = std::make_shared<const PackedStore>(folder, read_packed_index(folder));
  if (store->size() != list.size()) throw InputError(folder, "was packed anew while it was in use");
  return cache.packed = std::move(store);
}

}  // namespace

std::string storage_unavailable(const ImageList& list, Storage storage) {
  if (storage != Storage::packed) return list.originals_missing();
  if (!list.packed_folder().empty()) return {};
  return "this data is not packed; `feedtune pack DIR --data ...` makes a packed folder DIR, to be given as --data";
}

DataSet::DataSet(const DataSetup& data, const LoaderSetup& loader, DataCache& cache)
    : data_(data),
      loader_(loader),
      list_(cached_list(data, loader, cache)),
      sampler_(list_->size(), data.seed),
      allowed_cpus_(allowed_cpus()) {
  if (loader.storage == Storage::packed) packed_ = cached_pack(*list_, cache);
  if (loader.storage != Storage::memory) return;
  if (!cache.store) cache.store = std::make_shared<const MemoryStore>(*list_, std::nullopt);
  store_ = cache.store;
}

void DataSet::check_unchanged() const { feedtune::check_unchanged(data_, *list_); }

DataFiles DataSet::files() const {
  DataFiles files(*list_);
  if (packed_) {
    files.count = packed_->shards();
    files.open = [this](std::size_t shard) { return packed_->open_shard(shard); };
    files.unmap = [this] { packed_->release_pages(); };
  }
  return files;
}

std::unique_ptr<ImageSource> DataSet::make_source() const {
  if (packed_) return make_packed_source(packed_);
  return store_ ? make_memory_source(store_) : make_file_source(*list_);
}

LoaderParts DataSet::parts(std::shared_ptr<HostAllocator> pageable, std::shared_ptr<HostAllocator> batch_memory,
                           int numa_node) {
  LoaderParts parts;
  parts.sample_at = [this](std::int64_t position) { return sampler_.at(position); };
  parts.label_of = [this](std::size_t image) { return list_->label(image); };
  parts.make_preparer = [this](int worker) { return make_preparer(worker); };
  if (loader_.affinity != Affinity::none) {
    parts.on_worker_start = [this, node = node_cpus("", numa_node)](int worker) {
      const auto cpus = worker_cpus(loader_.affinity, worker, loader_.worker_threads, allowed_cpus_, node);
      if (!cpus.empty()) pin_this_thread(cpus);
    };
  }
  const auto side = static_cast<std::size_t>(data_.image_size);
  parts.image_bytes = 3 * side * side * bytes_per_value(loader_.input_type);
  parts.images_per_epoch = static_cast<std::int64_t>(list_->size());
  parts.pageable = std::move(pageable);
  parts.batch_memory = std::move(batch_memory);
  return parts;
}

std::unique_ptr<ImagePreparer> DataSet::make_preparer(int worker) {
  PreparerParts parts;
  parts.list = list_.get();
  parts.log = &log_;
  parts.activity = &activity_.join(worker);
  parts.source = make_source();
  parts.decoder = make_image_decoder(loader_.decoder, data_.image_size);
  parts.transform = {.side = data_.image_size,
                     .output = loader_.input_type,
                     .resize = loader_.resize,
                     .threads = loader_.worker_threads};
  return make_image_preparer(std::move(parts));
}

}  // namespace feedtune
