// The printed Python is run by a real interpreter, and in the slow lane given to a real DataLoader.

#include "report/recommend_pytorch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "analyze/recommend.hpp"
#include "example_run.hpp"

using namespace feedtune;
using namespace feedtune::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// What std::system() says of `python check.py printed.py`.
int run_python(const std::string& python, const std::string& printed, const std::string& check) {
  const std::string stem = ::testing::TempDir() + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string printed_file = stem + "_printed.py", check_file = stem + "_check.py";
  std::ofstream(printed_file) << printed;
  std::ofstream(check_file) << check;
  const int status = std::system((python + " " + check_file + " " + printed_file).c_str());
  std::remove(printed_file.c_str());
  std::remove(check_file.c_str());
  return status;
}

bool have(const std::string& python, const std::string& statement) {
  return std::system((python + " -c '" + statement + "' >/dev/null 2>&1").c_str()) == 0;
}

// Parameters of torch.utils.data.DataLoader (torch 2.x; in_order since 2.6), and its rule about 0 workers.
const std::string check_arguments = R"(
import sys
printed = open(sys.argv[1], encoding="utf-8").read()
names = {}
exec(compile(printed, "printed", "exec"), names)
kwargs = names["loader_kwargs"]
known = {"dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory",
         "drop_last", "timeout", "worker_init_fn", "multiprocessing_context", "generator", "prefetch_factor",
         "persistent_workers", "pin_memory_device", "in_order"}
assert set(kwargs) <= known, set(kwargs) - known
assert kwargs["shuffle"] is True and isinstance(kwargs["batch_size"], int)
if kwargs["num_workers"] == 0:
    assert "prefetch_factor" not in kwargs and "persistent_workers" not in kwargs
else:
    assert kwargs["prefetch_factor"] >= 1 and kwargs["persistent_workers"] is True
)";

RunBuilder pytorch_run(const Settings& s) {
  RunBuilder b;
  b.confirm(make(s), {1000, 1001, 1002});
  return b;
}

std::string printed(const Run& run) { return recommend_pytorch(run, recommend(run, {})); }

}  // namespace

TEST(RecommendPyTorch, PythonTakesItAndEveryArgumentIsOneOfDataLoaders) {
  if (!have("python3", "pass")) GTEST_SKIP() << "no python3";
  for (const Settings& s :
       {Settings{.workers = 4, .prefetch = 4}, Settings{.workers = 0, .memory = "pageable"}, Settings{.workers = 0}}) {
    const std::string text = printed(pytorch_run(s).run);
    EXPECT_EQ(run_python("python3", text, check_arguments), 0) << text;
  }
  EXPECT_EQ(run_python("python3", printed(example_run().run), check_arguments), 0);
}

TEST(RecommendPyTorch, TheValuesAreThoseOfTheConfiguration) {
  const std::string text = printed(pytorch_run({.batch = 96, .workers = 6, .prefetch = 4}).run);
  for (const char* line : {"    batch_size=96,\n", "    num_workers=6,\n", "    pin_memory=True,\n",
                           "    prefetch_factor=4,\n", "    persistent_workers=True,\n", "    shuffle=True,\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, HasSubstr("non_blocking=True"));
  EXPECT_THAT(text, HasSubstr("# Measured with feedtune's native loader, not in PyTorch.\n"));
  EXPECT_THAT(text, HasSubstr("modelled: virtual:rtx-4090"));
  const std::string pageable = printed(pytorch_run({.workers = 0, .memory = "pageable"}).run);
  EXPECT_THAT(pageable, HasSubstr("pin_memory=False"));
  EXPECT_THAT(pageable, Not(HasSubstr("non_blocking")));
}

TEST(RecommendPyTorch, NeverFromPooledThoughItIsFaster) {
  const std::string text = printed(example_run().run);
  EXPECT_THAT(text, HasSubstr("num_workers=8"));
  EXPECT_THAT(text, HasSubstr("700 images/s"));
  EXPECT_THAT(text, HasSubstr("1,002 images/s, is not a DataLoader setting"));
}

TEST(RecommendPyTorch, WithoutASuitableSettingItPrintsCommentsOnly) {
  RunBuilder b;
  b.confirm(make({.loader = "pooled"}), {1000, 1001, 1002});
  const std::string text = printed(b.run);
  EXPECT_THAT(text, Not(HasSubstr("loader_kwargs")));
  EXPECT_THAT(text, HasSubstr("No setting that PyTorch's DataLoader can take"));
}

TEST(RecommendPyTorch, AStrangeDeviceNameCannotBecomeCode) {
  RunBuilder b = pytorch_run({});
  b.run.device.title = "x\nimport os; os.abort()\r\x0b";
  b.run.device.name = "y\n raise SystemExit(3)";
  const std::string text = printed(b.run);
  EXPECT_EQ(text.find("\nimport"), std::string::npos);
  if (!have("python3", "pass")) GTEST_SKIP() << "no python3";
  EXPECT_EQ(run_python("python3", text, check_arguments), 0) << text;
}

TEST(SlowRecommendPyTorch, ARealDataLoaderIsConstructedWithIt) {
  const char* given = std::getenv("FEEDTUNE_TORCH_PYTHON");
  const std::string python = given != nullptr ? given : "python3";
  std::string all;  // one start of torch for all of them
  for (const Settings& s :
       {Settings{.workers = 2, .prefetch = 4}, Settings{.workers = 0, .memory = "pageable"}, Settings{.workers = 8}})
    all += printed(pytorch_run(s).run) + "construct(loader_kwargs)\n";
  const std::string check = R"(
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

def construct(kwargs):
    dataset = torch.utils.data.TensorDataset(torch.zeros(512, 3))
    loader = torch.utils.data.DataLoader(dataset, **kwargs)
    assert loader.num_workers == kwargs["num_workers"]
    if loader.num_workers <= 2:
        assert len(next(iter(loader))[0]) == kwargs["batch_size"]

exec(compile(open(sys.argv[1], encoding="utf-8").read(), "printed", "exec"), {"construct": construct})
)";
  const int status = run_python(python, all, check);
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
    GTEST_SKIP() << "no torch in " << python << " (FEEDTUNE_TORCH_PYTHON names another)";
  EXPECT_EQ(status, 0) << all;
}
