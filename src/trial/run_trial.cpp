#include "trial/run_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/counted.hpp"
#include "core/error.hpp"
#include "device/make_device.hpp"
#include "device/null/null_device.hpp"
#include "device/registered_allocator.hpp"
#include "machine/memory.hpp"
#include "machine/process_reader.hpp"
#include "measure/gpu_window.hpp"
#include "measure/host_window.hpp"
#include "measure/profiler_range.hpp"
#include "trial/heartbeat.hpp"
#include "trial/measured_window.hpp"
#include "trial/page_warming.hpp"
#include "trial/resident_loader.hpp"
#include "trial/step_work.hpp"
#include "trial/training_loop.hpp"

namespace feedtune {
namespace {

constexpr double share_of_time_limit = 0.9;  // a trial that gets no further ends by itself before its deadline kills it
// Over the first share a trial is invalid once more than three different files failed (in a small data set each comes
// round again and again), over the second one in any case.
constexpr double failed_share_limit = 0.01;
constexpr double failed_share_end = 0.1;
constexpr std::int64_t failed_files_limit = 3;

/// Everything a trial holds while it runs; destroyed in reverse order, the loader's workers before what they read.
struct Parts {
  std::unique_ptr<Device> device;
  std::unique_ptr<DataSet> data;
  std::shared_ptr<HostAllocator> pageable;
  std::shared_ptr<HostAllocator> batch_memory;
  std::unique_ptr<Loader> loader;
  std::unique_ptr<StepWork> work;
  std::unique_ptr<TrainingLoop> loop;
};

class LiveTrial {
 public:
  LiveTrial(const TrialRequest& request, std::shared_ptr<Clock> clock, DataCache& cache, TrialResult& result, Heartbeat& heartbeat)
      : request_(request), setup_(request.setup), clock_(std::move(clock)), cache_(cache), result_(result), heartbeat_(heartbeat) {}
  ~LiveTrial() { heartbeat_.doing({}); }

  void run() {
    name_profiled_thread("ft-train");
    started_ = clock_->now();
    if (const Nanoseconds asked{request_.asked_ns}; asked.count() > 0 && asked < started_) started_ = asked;
    reader_.reset_resident_peak();
    build();
    measure();
    account();
  }

 private:
  bool loads() const { return request_.purpose == Purpose::trial || request_.purpose == Purpose::loader_only; }

  void build() {
    // The loader alone feeds a device that takes no time; the copy alone and the step alone have a batch at hand.
    const auto left = [memory = std::make_shared<AvailableMemory>()] { return memory->bytes(); };
    parts_.device = request_.purpose == Purpose::loader_only ? make_null_device(clock_, left) : make_device(setup_, clock_, left);
    result_.modelled = parts_.device->facts().modelled && request_.purpose != Purpose::loader_only;
    parts_.pageable = parts_.device->memory().host(HostMemory::pageable);
    parts_.batch_memory = batch_memory();
    if (loads()) {
      heartbeat_.phase("listing");
      parts_.data = std::make_unique<DataSet>(setup_.data, setup_.loader, cache_);
      heartbeat_.doing([data = parts_.data.get()] { return data->doing(); });
      prepare_cache();
    }
    heartbeat_.phase("building");
    const bool computes = request_.purpose == Purpose::trial || request_.purpose == Purpose::step_only;
    parts_.work = computes ? make_step_work(*parts_.device, setup_) : make_no_work();
    loader_started_ = clock_->now();
    parts_.loader = loads() ? make_loader(setup_.loader, parts_.data->parts(parts_.pageable, parts_.batch_memory))
                            : make_resident_loader(setup_, *parts_.batch_memory);
    parts_.loop = std::make_unique<TrainingLoop>(*parts_.device, *parts_.loader, *parts_.work, *clock_, setup_,
                                                 request_.purpose == Purpose::step_only);
    result_.startup_s = to_s(clock_->now() - started_);
  }

  std::shared_ptr<HostAllocator> batch_memory() const {
    DeviceMemory& memory = parts_.device->memory();
    const LoaderSetup& loader = setup_.loader;
    if (loader.host_memory == HostMemory::pinned && loader.pinning == Pinning::registered)
      return std::make_shared<RegisteredAllocator>(memory);
    return memory.host(loader.host_memory);
  }

  void prepare_cache() {
    const CacheShare share = prepare_page_cache(parts_.data->files(), request_.target.cache, {.memory_bytes = available_memory_bytes()},
                                                *clock_, [this](const char* name) { heartbeat_.phase(name); });
    result_.host.cache_resident_share = share.value;
    if (!share.value) result_.unknown["cache_resident_share"] = share.unknown;
  }

  void measure() {
    const Nanoseconds hard_end = started_ + Nanoseconds{static_cast<std::int64_t>(request_.time_limit_s * share_of_time_limit * 1e9)};
    MeasuredWindow window(request_.target, make_window_rule(setup_.loader, parts_.loader->capacity(), request_.purpose));
    HostWindow host({[&] { return reader_.counters(); }, [&] { return reader_.sample(); }});
    const auto monitor = request_.purpose == Purpose::loader_only ? nullptr : parts_.device->monitor();
    GpuWindow gpu([&] { return monitor->sample(); });
    bool counting = false;
    Nanoseconds host_started{0};
    heartbeat_.phase("warming up");
    for (;;) {
      const auto step = parts_.loop->run_step();
      if (step) {
        window.add(*step, parts_.loader->ready());
        if (!counting && window.filled()) {
          counting = true;
          heartbeat_.phase("measuring");
          host.start();
          host_started = clock_->now();
          if (monitor) gpu.start();
          before_ = parts_.loader->totals();
          if (parts_.data) parts_.data->log().clear();
        }
        heartbeat_.images_per_s(window.images_per_s());
        if (const auto reason = window.stop_reason()) {
          result_.stop_reason = *reason;
          break;
        }
      }
      if (clock_->now() > hard_end) {
        result_.stop_reason = "deadline";
        break;
      }
    }
    after_ = parts_.loader->totals();
    const auto cache_share = result_.host.cache_resident_share;
    if (counting) {
      result_.host = host.stop(window.images(), result_.unknown);
      result_.host.window_s = to_s(clock_->now() - host_started);
    }
    if (counting && monitor) result_.gpu = gpu.stop(window.mean_step_s(), monitor->limits(), result_.unknown);
    result_.host.cache_resident_share = cache_share;
    if (parts_.data) result_.host.bytes_read = after_.bytes_read - before_.bytes_read;
    heartbeat_.phase("ending");
    window.summarise(result_, parts_.work->has_parts(), request_.purpose != Purpose::loader_only);
    if (request_.purpose == Purpose::trial) result_.oscillation = window.oscillation(result_.unknown);
    else result_.unknown["oscillation"] = "looked for in whole trials only";
    if (window.too_short()) {
      result_.status = TrialStatus::too_short;
      result_.reason = fmt::format("{} steps in {:.1f} s after the queue's fill of {}; {} are needed (three batches a worker, ten at least)",
                                   window.steps(), window.seconds(), window.rule().fill_steps, window.rule().least_steps);
    } else if (const auto unsteady = window.unsteady_reason()) {
      result_.status = TrialStatus::no_steady_state;
      result_.reason = *unsteady;
    }
  }

  void account() {
    if (parts_.loop->first_batch_at().count() > 0) result_.first_batch_ms = to_ms(parts_.loop->first_batch_at() - loader_started_);
    parts_.loop->drain();
    MemoryUse& memory = result_.memory;
    memory.batch_buffer_bytes = static_cast<std::int64_t>(parts_.loader->buffer_bytes());
    const auto pinned = parts_.device->memory().host(HostMemory::pinned);
    memory.pinned_bytes = static_cast<std::int64_t>(pinned->allocated_bytes());
    memory.pinned_locked_bytes = static_cast<std::int64_t>(pinned->locked_bytes());
    if (request_.purpose != Purpose::loader_only) {
      memory.device_peak_bytes = static_cast<std::int64_t>(parts_.device->memory().peak_bytes());
      if (const auto driver = parts_.device->memory().driver_bytes()) memory.device_driver_bytes = static_cast<std::int64_t>(*driver);
      if (const auto limit = parts_.device->memory().limit_bytes(); limit > 0) memory.device_limit_bytes = static_cast<std::int64_t>(limit);
    }
    memory.resident_peak_bytes = reader_.resident_peak_bytes();
    if (!parts_.data) return;
    count_images();
    parts_.data->check_unchanged();
  }

  void count_images() {
    result_.images.decoded = after_.images - before_.images;
    result_.images.failed = after_.failed - before_.failed;
    result_.images.damaged = after_.damaged - before_.damaged;
    result_.files = parts_.data->log().notes();
    if (const std::int64_t decoded = result_.images.decoded; decoded > 0) {
      const auto per_image = [&](std::int64_t nanoseconds) { return to_ms(Nanoseconds{nanoseconds}) / static_cast<double>(decoded); };
      auto& ms = result_.worker_ms_per_image;
      ms["open"] = per_image(after_.open - before_.open);
      ms["read"] = per_image(after_.read - before_.read);
      ms["decode"] = per_image(after_.decode - before_.decode);
      ms["decode_cpu"] = per_image(after_.decode_cpu - before_.decode_cpu);
      ms["transform"] = per_image(after_.transform - before_.transform);
      ms["collate"] = per_image(after_.collate - before_.collate);
      ms["blocked"] = per_image(after_.blocked - before_.blocked);
      ms["starved"] = per_image(after_.starved - before_.starved);
    }
    refuse_bad_data();
  }

  void refuse_bad_data() {
    const std::int64_t failed = result_.images.failed;
    const std::int64_t tried = result_.images.decoded + failed;
    const std::int64_t files = parts_.data->log().failed_files();
    const double share = tried == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(tried);
    if (share <= (files <= failed_files_limit ? failed_share_end : failed_share_limit)) return;
    const auto first = std::find_if(result_.files.begin(), result_.files.end(), [](const FileNote& note) { return note.failed(); });
    result_.status = TrialStatus::invalid;
    result_.reason = fmt::format("{} of {} images, of {}{}, could not be read or decoded (limit: 1 % where they are over 3 files, else 10 %){}",
                                 failed, tried, files < static_cast<std::int64_t>(FileLog::most_bad) ? "" : "at least ",
                                 counted(files, "different file"),
                                 first == result_.files.end() ? "" : fmt::format("; {}: {}", first->path, first->reason));
  }

  const TrialRequest& request_;
  const TrialSetup& setup_;
  std::shared_ptr<Clock> clock_;
  DataCache& cache_;
  TrialResult& result_;
  Heartbeat& heartbeat_;
  ProcessReader reader_;
  Nanoseconds started_{0};
  Nanoseconds loader_started_{0};
  WorkerSums before_;
  WorkerSums after_;
  Parts parts_;
};

}  // namespace

TrialResult run_trial(const TrialRequest& request, std::shared_ptr<Clock> clock, DataCache& cache, const OnHeartbeat& on_heartbeat) {
  TrialResult result;
  result.id = request.id;
  result.configuration = request.configuration;
  result.purpose = request.purpose;
  result.stage = request.stage;
  result.block = request.block;
  const auto fail = [&](TrialStatus status, const std::string& reason) {
    result.status = status;
    result.reason = reason;
    result.stop_reason = "error";
    result.images_per_s.reset();
  };
  try {
    Heartbeat heartbeat(on_heartbeat, *clock);
    LiveTrial trial(request, clock, cache, result, heartbeat);
    trial.run();
  } catch (const OutOfMemory& error) {
    fail(error.status(), error.what());
    result.memory_kind = error.where();
  } catch (const TrialFailure& error) {
    fail(error.status(), error.what());
  } catch (const DeviceUnavailableError& error) {
    fail(TrialStatus::unsupported, error.what());
  } catch (const DataChangedError& error) {
    fail(TrialStatus::invalid, result.reason.empty() ? error.what() : fmt::format("{}; {}", error.what(), result.reason));
    result.stop_reason = "data_changed";
  } catch (const Error& error) {
    fail(TrialStatus::invalid, error.what());
  } catch (const std::bad_alloc&) {
    fail(TrialStatus::out_of_memory, "out of host memory");
    result.memory_kind = MemoryKind::host;
  }
  return result;
}

}  // namespace feedtune
