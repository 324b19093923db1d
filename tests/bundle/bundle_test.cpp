// A bundle as a user without packages meets it: unpacked into a root that holds nothing but it, /dev and /proc.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "build_paths.hpp"
#include "run_command.hpp"

namespace {

namespace fs = std::filesystem;
using feedtune::build_paths::program;
using feedtune::build_paths::sources;
using feedtune::test::Outcome;
using feedtune::test::run;
using testing::HasSubstr;

/// bundle.sh on this build, and what it writes unpacked into `root`.
class Bundle : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    root_ = fs::path(testing::TempDir()) / ("bundle-root-" + std::to_string(::getpid()));
    fs::create_directories(root_ / "dev");
    fs::create_directories(root_ / "proc");
    // With the fake CUDA in the way, as in a shell that has just rehearsed on it.
    made_ = run("LD_LIBRARY_PATH=" + std::string(feedtune::build_paths::fake_cuda) + " " + std::string(sources) + "/scripts/bundle.sh --build " + fs::path(program).parent_path().string() + " -o " + archive() +
                " && tar -xzf " + archive() + " -C " + root_.string());
  }
  static void TearDownTestSuite() {
    fs::remove_all(root_);
    fs::remove(archive());
  }
  void SetUp() override {
    if (!fs::exists(fs::path(program).parent_path() / "feedtune-bench")) GTEST_SKIP() << "this build has no feedtune-bench";
    ASSERT_EQ(made_.code, 0) << made_.out;
  }

  static std::string archive() { return root_.string() + ".tar.gz"; }

  /// Runs a program of the bundle with no other file in sight and no environment. Mounts end with it.
  static Outcome inside(const std::string& command) {
    const std::string user = ::geteuid() == 0 ? "" : "-r ", root = root_.string();
    return run("env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare " + user + "-m sh -c 'mount --rbind /dev " + root +
               "/dev && mount --rbind /proc " + root + "/proc && exec chroot " + root + " " + command + "'");
  }

  static fs::path root_;
  static Outcome made_;
};

fs::path Bundle::root_;
Outcome Bundle::made_;

TEST_F(Bundle, ItsProgramsRunWhereNothingIsInstalled) {
  if (const Outcome allowed = run(std::string("unshare ") + (::geteuid() == 0 ? "" : "-r ") + "-m chroot / true"); allowed.code != 0)
    GTEST_SKIP() << "no root of one's own can be had here: " << allowed.out;

  const Outcome devices = inside("/feedtune/feedtune devices");
  EXPECT_EQ(devices.code, 0) << devices.out;
  EXPECT_THAT(devices.out, HasSubstr("libcublas.so.")) << "says what cuda lacks";
  EXPECT_THAT(devices.out, HasSubstr("virtual:rtx-4090")) << "finds its configs";

  const Outcome data = inside("/feedtune/feedtune make-data --images 40 /data");
  EXPECT_EQ(data.code, 0) << data.out;
  EXPECT_THAT(data.out, HasSubstr("40 images"));

  // A sweep starts the program again for each trial, by the launcher.
  const Outcome swept = inside("/feedtune/feedtune sweep --data /data --out /run --device cpu --model mixer-pico --image-size 32"
                               " --axis num_workers=0,1 --axis batch_size=8 --axis loader=pooled --trial-time 0.1s --budget 8trials --no-anchors --quiet");
  EXPECT_EQ(swept.code, 0) << swept.out;
  const Outcome answer = inside("/feedtune/feedtune recommend /run");
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_THAT(answer.out, HasSubstr("images/s with batch_size 8"));

  const Outcome bench = inside("/feedtune/feedtune-bench --device virtual:t4 --benchmark_filter=copy/pinned/1MiB --benchmark_min_time=0.01");
  EXPECT_EQ(bench.code, 0) << bench.out;
  EXPECT_THAT(bench.out, HasSubstr("copy/pinned/1MiB"));
  EXPECT_EQ(inside("/feedtune/feedtune-bench --device cuda").code, 6);
  const Outcome tests = inside("/feedtune/test_gpu --gtest_brief=1");
  EXPECT_EQ(tests.code, 0) << tests.out;
  EXPECT_THAT(tests.out, HasSubstr("no GPU to test on: libcublas.so."));
}

TEST_F(Bundle, EveryLibraryThatOthersWroteComesWithItsLicence) {
  // The package that owns each library here, asked of dpkg; what is not a package's (the CUDA Toolkit's runtime) has NVIDIA's own terms.
  const fs::path licenses = root_ / "feedtune" / "licenses";
  int libraries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "feedtune" / "lib")) {
    const std::string name = entry.path().filename().string();
    if (name.find(".so.") == std::string::npos) continue;
    ++libraries;
    const Outcome owner = run("dpkg-query -S '*-linux-gnu/" + name + "' | sed -n '1s/[:,].*//p'");
    std::string package = owner.out.substr(0, owner.out.find('\n'));
    if (package.find(' ') != std::string::npos || package.empty()) package = "cuda";
    EXPECT_TRUE(fs::exists(licenses / package)) << name << " is of " << package;
  }
  EXPECT_GT(libraries, 5);
  for (const auto& entry : fs::directory_iterator(licenses)) EXPECT_GT(entry.file_size(), 100u) << entry.path();
  const std::string jpeg = feedtune::test::read(licenses / "libjpeg62-turbo");
  EXPECT_THAT(jpeg, HasSubstr("Independent JPEG Group")) << "its licence asks for this acknowledgement";
}

TEST_F(Bundle, TheTestsFakeCudaIsNotInIt) {
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "feedtune" / "lib")) {
    if (!entry.path().filename().string().starts_with("libcudart")) continue;
    EXPECT_THAT(feedtune::test::read(entry.path()), testing::Not(HasSubstr("fake CUDA"))) << entry.path();
  }
}

TEST_F(Bundle, ALauncherThatAnotherProgramInheritedIsNotTakenForItsOwn) {
  const std::string other = program;
  const Outcome devices = run("env -u FEEDTUNE_CONFIGS FEEDTUNE_LAUNCHER=/nowhere/feedtune " + other + " devices");
  EXPECT_EQ(devices.code, 0) << "it looks for its configs beside itself: " << devices.out;
  const Outcome data = run(other + " make-data --quiet --images 20 " + (root_ / "other-data").string());
  EXPECT_EQ(data.code, 0) << data.out;
  // Started again for its trials it must be itself, also where the launcher named is a real one.
  const Outcome swept = run("FEEDTUNE_LAUNCHER=/bin/false " + other + " sweep --data " + (root_ / "other-data").string() + " --out " +
                            (root_ / "other-run").string() + " --device null --axis batch_size=4 --axis num_workers=0 --axis loader=pooled"
                            " --image-size 32 --trial-time 0.1s --budget 2trials --no-anchors --quiet");
  EXPECT_EQ(swept.code, 0) << swept.out;
}

TEST_F(Bundle, ALibraryPathOfTheUsersIsSearchedForWhatTheBundleLacks) {
  const std::string feedtune = (root_ / "feedtune" / "feedtune").string();
  const Outcome devices = run("LD_LIBRARY_PATH=" + std::string(feedtune::build_paths::fake_cuda) + " " + feedtune + " devices");
  EXPECT_EQ(devices.code, 0) << devices.out;
  EXPECT_THAT(devices.out, testing::ContainsRegex("cuda +yes +fake"));
}

TEST(BundleScript, WrongArgumentsAndAnUnfitBuildAreRefused) {
  const std::string script = std::string(sources) + "/scripts/bundle.sh";
  const Outcome unknown = run(script + " --bogus");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.out, HasSubstr("accepted: -o FILE.tar.gz, --build DIR"));
  EXPECT_EQ(run(script + " -o").code, 2);
  EXPECT_EQ(run(script + " --build " + fs::path(program).parent_path().string() + " -o /dev/null").code, 3) << "it would be replaced by a file";
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(run(script + " --help").code, 0);
  const Outcome empty = run(script + " --build /nowhere");
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.out, HasSubstr("/nowhere has no feedtune"));
}

}  // namespace
