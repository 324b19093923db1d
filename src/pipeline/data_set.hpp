#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trial_setup.hpp"
#include "pipeline/file_log.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"
#include "pipeline/loader.hpp"
#include "pipeline/packed_store.hpp"
#include "pipeline/page_cache.hpp"
#include "pipeline/sampler.hpp"
#include "pipeline/worker_activity.hpp"

namespace feedtune {

/// What a child process keeps from trial to trial over the same data: the list, and the files in memory or the maps of
/// the pack once a trial has asked for storage=memory or storage=packed.
struct DataCache {
  std::shared_ptr<const ImageList> list;
  std::shared_ptr<const MemoryStore> store;
  std::shared_ptr<const PackedStore> packed;
};

/// Empty: this data can be read that way. Else why not, and what would help.
std::string storage_unavailable(const ImageList& list, Storage storage);

/// One trial's data: which image comes when, and how each is prepared. Outlives the loader that it feeds.
class DataSet {
 public:
  /// Lists the data (unless `cache` has it), checks the set-up and, for storage=memory, reads every file. Leaves what
  /// it made in `cache`, which must be of the same data path. Throws InputError (the data path, an unknown decoder, a
  /// damaged pack), TrialFailure{unsupported} (data that lacks this storage, the opencv module missing) and
  /// OutOfMemory{host}.
  DataSet(const DataSetup& data, const LoaderSetup& loader, DataCache& cache);

  /// Everything a loader needs. The functions refer to this data set. With affinity, on_worker_start pins the calling
  /// thread: worker k of cores to its own CPUs, of node to all of NUMA node `numa_node` (where the GPU is).
  LoaderParts parts(std::shared_ptr<HostAllocator> pageable, std::shared_ptr<HostAllocator> batch_memory,
                    int numa_node = 0);

  /// Throws DataChangedError where the listed data isn't that of data.fingerprint any more; so does the constructor.
  void check_unchanged() const;

  const ImageList& list() const { return *list_; }
  /// What is read: the listed files, or the pack's shards. Lives no longer than this data set.
  DataFiles files() const;
  FileLog& log() { return log_; }
  const ActivityBoard& activity() const { return activity_; }
  /// "worker 3: decode n01440764/x.jpg for 12.3 s": for heartbeats. Safe from many threads.
  std::string doing() const { return activity_.longest(*list_); }

 private:
  std::unique_ptr<ImagePreparer> make_preparer(int worker);
  std::unique_ptr<ImageSource> make_source() const;

  DataSetup data_;
  LoaderSetup loader_;
  std::shared_ptr<const ImageList> list_;
  std::shared_ptr<const MemoryStore> store_;
  std::shared_ptr<const PackedStore> packed_;
  Sampler sampler_;
  std::vector<int> allowed_cpus_;
  FileLog log_;
  ActivityBoard activity_;
};

}  // namespace feedtune
