#include "cli/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace feedtune {
namespace {

volatile std::sig_atomic_t received = 0;

void on_signal(int number) {
  if (received != 0) {
    // SIG_DFL and again, so that the parent sees a death by signal.
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  received = number;
}

}  // namespace

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a wait for the trial's child has to end.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    // Ignored by whoever started this program (nohup, a shell's background job): it is meant to outlive the signal.
    if (::sigaction(number, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) continue;
    ::sigaction(number, &action, nullptr);
  }
}

int stop_signal() { return received; }

}  // namespace feedtune
