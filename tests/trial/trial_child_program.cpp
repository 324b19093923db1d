// Plays the child of a trial, by the batch size it is asked for: 1 serves for real, the others misbehave.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "json/child_message.hpp"
#include "process/child.hpp"
#include "trial/process_runner.hpp"

using namespace feedtune;

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "serve";
  if (mode == "slow-start") std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (mode == "serve" || mode == "slow-start") return serve_trials();
  ParentChannel channel;
  channel.end_with_parent();
  std::string text;
  while (channel.receive(text)) {
    const ParentMessage message = decode_parent_message(text);
    if (std::holds_alternative<QuitRequest>(message)) return 0;
    if (mode == "lukewarm") {  // data that does not get warm; says how it was asked for
      TrialResult result;
      result.host.cache_resident_share = 0.4;
      result.reason = to_text(std::get<TrialRequest>(message).target.cache);
      channel.send(encode_message(ChildMessage{result}));
      continue;
    }
    ChildProgress progress;
    progress.progress.phase = "measuring";
    progress.doing = mode == "exit" ? "workers idle" : "worker 3: decode n01440764/slow.jpg for 12.3 s";
    channel.send(encode_message(ChildMessage{progress}));
    if (mode == "segv") {
      std::cerr << "about to touch what is not mine" << std::endl;
      ::signal(SIGSEGV, SIG_DFL);
      ::raise(SIGSEGV);
    }
    if (mode == "exit") ::_exit(9);
    if (mode == "killed") ::raise(SIGKILL);
    if (mode == "garbage") channel.send("this is no message");
    if (mode == "hang" || mode == "garbage") std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  return 0;
}
