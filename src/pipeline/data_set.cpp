#include "pipeline/data_set.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/cpu_affinity.hpp"
#include "pipeline/image_decoder.hpp"
#include "pipeline/image_preparer.hpp"

namespace feedtune {
namespace {

void check_supported(const LoaderSetup& loader) {
  if (loader.storage == Storage::packed)
    throw TrialFailure(TrialStatus::unsupported,
                       "storage=packed is not available: this version reads files and memory");
  if (loader.input_type != InputType::uint8 && loader.input_type != InputType::float32)
    throw TrialFailure(TrialStatus::unsupported, fmt::format("input_type={}: the native loader makes uint8 and float32",
                                                             to_text(loader.input_type)));
  if (const std::string missing = decoder_unavailable(loader.decoder); !missing.empty())
    throw TrialFailure(TrialStatus::unsupported, fmt::format("decoder={}: {}", loader.decoder, missing));
}

std::shared_ptr<const ImageList> cached_list(const DataSetup& data, const LoaderSetup& loader, DataCache& cache) {
  check_supported(loader);
  if (!cache.list) cache.list = std::make_shared<const ImageList>(ImageList::from_path(data.path));
  return cache.list;
}

}  // namespace

DataSet::DataSet(const DataSetup& data, const LoaderSetup& loader, DataCache& cache)
    : data_(data),
      loader_(loader),
      list_(cached_list(data, loader, cache)),
      sampler_(list_->size(), data.seed),
      allowed_cpus_(allowed_cpus()) {
  if (loader.storage != Storage::memory) return;
  if (!cache.store) cache.store = std::make_shared<const MemoryStore>(*list_, std::nullopt);
  store_ = cache.store;
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
  parts.source = store_ ? make_memory_source(store_) : make_file_source(*list_);
  parts.decoder = make_image_decoder(loader_.decoder);
  parts.transform = {.side = data_.image_size,
                     .output = loader_.input_type,
                     .resize = loader_.resize,
                     .threads = loader_.worker_threads};
  return make_image_preparer(std::move(parts));
}

}  // namespace feedtune
