#include "trial/process_runner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "core/enums.hpp"
#include "core/error.hpp"
#include "json/child_message.hpp"
#include "machine/oom_kills.hpp"
#include "trial/run_trial.hpp"

namespace feedtune {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds quit_grace{2000};   // for a child that was told to quit: OpenMP and allocators take their time
constexpr milliseconds kill_grace{200};    // between SIGTERM and SIGKILL
constexpr std::size_t reason_tail_bytes = 400;

/// The last lines of what the child wrote, on one line.
std::string tail_for_reason(const std::string& tail) {
  std::string text = tail.size() > reason_tail_bytes ? tail.substr(tail.size() - reason_tail_bytes) : tail;
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string where_text(const ChildProgress& last) {
  if (last.progress.phase.empty()) return "before its first heartbeat";
  return last.doing.empty() ? fmt::format("while {}", last.progress.phase)
                            : fmt::format("while {} ({})", last.progress.phase, last.doing);
}

/// What is read: a folder's files, or what was packed of them.
std::string data_of(const TrialRequest& request) {
  return fmt::format("{} {}", to_text(request.setup.loader.storage), request.setup.data.path);
}

}  // namespace

ProcessRunner::ProcessRunner(Options options, std::shared_ptr<Clock> clock)
    : options_(std::move(options)), clock_(std::move(clock)) {
  if (!options_.oom_kills) options_.oom_kills = [] { return oom_kills(); };
}

ProcessRunner::~ProcessRunner() { retire(); }

void ProcessRunner::retire() {
  if (!child_) return;
  child_->send(encode_message(ParentMessage{QuitRequest{}}));
  child_->wait(quit_grace);
  child_.reset();
  served_ = 0;
}

TrialResult ProcessRunner::run(const TrialRequest& request, const OnProgress& on_progress) {
  const double started = now_s();
  TrialRequest asked = without_vain_warming(request);
  asked.asked_ns = SteadyClock().now().count();  // before the child is started: that is start-up too
  TrialResult result = converse(asked, on_progress);
  const auto& share = result.host.cache_resident_share;
  if (request.target.cache == CachePolicy::warm && (share ? *share < warm_enough : result.unknown.contains("cache_resident_share")))
    stays_cold_.insert(data_of(request));
  result.id = request.id;
  result.configuration = request.configuration;
  result.purpose = request.purpose;
  result.stage = request.stage;
  result.block = request.block;
  result.incarnation = incarnation_;
  result.cost_s = now_s() - started;
  if (child_ && (result.status != TrialStatus::ok || ++served_ >= options_.trials_per_child)) retire();
  return result;
}

TrialRequest ProcessRunner::without_vain_warming(const TrialRequest& request) const {
  TrialRequest asked = request;
  if (asked.target.cache == CachePolicy::warm && stays_cold_.contains(data_of(asked))) asked.target.cache = CachePolicy::as_is;
  return asked;
}

TrialResult ProcessRunner::converse(const TrialRequest& request, const OnProgress& on_progress) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(request.time_limit_s));
  TrialResult result;
  const auto fail = [&](TrialStatus status, std::string reason) {
    result.status = status;
    result.reason = std::move(reason);
    result.stop_reason = status == TrialStatus::timeout ? "deadline" : "error";
    return result;
  };

  if (!child_) {
    Child::Options options;
    options.arguments = options_.command;
    options.environment = options_.environment;
    options.stop = options_.stop;
    child_ = std::make_unique<Child>(std::move(options));
    ++incarnation_;
    served_ = 0;
  }

  ChildProgress last;
  const auto kills_before = options_.oom_kills();
  const auto died = [&] {
    const ChildExit exit = child_->wait(kill_grace);
    const std::string tail = tail_for_reason(child_->output_tail());
    child_.reset();
    // The kernel ends a process that runs out of a container's or the machine's memory by SIGKILL, and counts it.
    if (exit.signal == SIGKILL && options_.oom_kills().value_or(0) > kills_before.value_or(0)) {
      result.memory_kind = MemoryKind::host;
      return fail(TrialStatus::out_of_memory, fmt::format("out of host memory: the kernel killed the trial's process {}", where_text(last)));
    }
    return fail(TrialStatus::crashed, fmt::format("the trial's process ended with {} {}{}{}", exit.text(), where_text(last),
                                                  tail.empty() ? "" : "; its last output: ", tail));
  };

  if (!child_->send(encode_message(ParentMessage{request}))) return died();
  for (;;) {
    std::string text;
    switch (child_->receive(text, deadline)) {
      case Child::Receive::message: break;
      case Child::Receive::closed: return died();
      case Child::Receive::malformed:
        child_->kill(kill_grace);
        child_.reset();
        return fail(TrialStatus::crashed, "the trial's process sent a malformed message");
      case Child::Receive::timeout:
        if (options_.stop && options_.stop()) {
          child_->kill(kill_grace);
          child_.reset();
          fail(TrialStatus::invalid, "interrupted");
          result.stop_reason = "interrupted";
          return result;
        }
        if (std::chrono::steady_clock::now() < deadline) continue;
        child_->kill(kill_grace);
        child_.reset();
        return fail(TrialStatus::timeout, fmt::format("not done after {:.0f} s, killed {}", request.time_limit_s, where_text(last)));
    }
    try {
      ChildMessage message = decode_child_message(text);
      if (auto* finished = std::get_if<TrialResult>(&message)) {
        return std::move(*finished);
      }
      last = std::get<ChildProgress>(message);
      if (on_progress) on_progress(last.progress);
    } catch (const InputError& error) {
      child_->kill(kill_grace);
      child_.reset();
      return fail(TrialStatus::crashed, fmt::format("the trial's process sent {}", error.what()));
    }
  }
}

int serve_trials() {
  ParentChannel channel;
  channel.end_with_parent();
  DataCache cache;
  std::string text;
  while (channel.receive(text)) {
    const ParentMessage message = decode_parent_message(text);
    if (std::holds_alternative<QuitRequest>(message)) break;
    const auto result = run_trial(std::get<TrialRequest>(message), std::make_shared<SteadyClock>(), cache,
                                  [&](const ChildProgress& progress) { channel.send(encode_message(ChildMessage{progress})); });
    if (!channel.send(encode_message(ChildMessage{result}))) break;
  }
  return 0;
}

}  // namespace feedtune
