// Files come from other machines, other versions and broken disks. Whatever stands in them, reading ends in a value or
// in an InputError of one line; the sanitizers watch the rest.

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/error.hpp"
#include "full_run.hpp"
#include "json/anchors.hpp"
#include "json/child_message.hpp"
#include "json/device_profile_json.hpp"
#include "json/journal_json.hpp"
#include "json/run_json.hpp"
#include "json/spec_file.hpp"
#include "json/trial_json.hpp"

namespace feedtune {
namespace {

std::string mutated(std::string text, std::mt19937_64& random) {
  static const std::string pieces[] = {"null", "-1",    "1e999", "1e308", "{",  "}",  "[",    "]",    ",",     ":",           "\"",   "\\u0000",
                                       "\\ud800", "true", "\"x\"", "[]",  "{}", "0.5", "\xFF", "\n", "18446744073709551616", "-9223372036854775808"};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: text.erase(at, 1 + below(8)); break;
      case 1: text.insert(at, pieces[below(std::size(pieces))]); break;
      case 2: text[at] = static_cast<char>(random()); break;
      case 3: text.resize(at); break;
      default: {  // a value in another's place
        const std::size_t from = below(text.size());
        text.insert(at, text.substr(from, 1 + below(40)));
      }
    }
    if (text.empty()) text = " ";
  }
  return text;
}

TEST(Mutations, TenThousandDamagedDocumentsNeverCrashTheReader) {
  feedtune::Run run = testing::full_run();
  TrialRequest request;
  request.configuration = run.trials[0].configuration;
  const auto quiet = [](const auto& decode) {
    return [decode](const std::string& text) { decode(text); };
  };
  const std::pair<std::string, std::function<void(const std::string&)>> documents[] = {
      {encode(run), quiet([](const std::string& t) { decode_run(t, "f"); })},
      {encode(run), quiet([](const std::string& t) { validate_result(t, "f"); })},
      {journal_line(run.trials[0]), quiet([](const std::string& t) { decode_journal_line(t, "f", 3); })},
      {journal_line(run), quiet([](const std::string& t) { decode_journal_line(t, "f", 1); })},
      {encode_message(ParentMessage(request)), quiet([](const std::string& t) { decode_parent_message(t); })},
      {encode_message(ChildMessage(run.trials[1])), quiet([](const std::string& t) { decode_child_message(t); })},
      {encode_message(ChildMessage(ChildProgress{})), quiet([](const std::string& t) { decode_child_message(t); })},
      {R"({"axes": {"batch_size": [1, 2]}, "current": {"loader": "pooled"}, "budget": {"seconds": 3}, "step": "85ms@64", "within": "2%", "seed": 1})",
       quiet([](const std::string& t) { decode_spec(t, "f"); })},
      {R"({"version": "v", "images": 1, "seed": 1, "image_size": 1, "model": "m", "precision": "fp32", "trial_time": "1s", "common": {"a": 1}, "configurations": [{"b": 2}]})",
       quiet([](const std::string& t) { decode_anchors(t, "f"); })},
      {encode(DeviceProfile{}), quiet([](const std::string& t) { decode_device_profile(t, "f"); })},
  };
  std::mt19937_64 random(20261201);
  int refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto& [text, decode] = documents[static_cast<std::size_t>(i) % std::size(documents)];
    const std::string damaged = mutated(text, random);
    try {
      decode(damaged);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_LT(std::string(error.what()).size(), 2000u);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 5000) << "the mutations do not reach the reader's checks";
}

}  // namespace
}  // namespace feedtune
