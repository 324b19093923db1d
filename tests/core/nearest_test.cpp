#include "core/nearest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace feedtune;

TEST(Nearest, EditDistanceOfTextbookPairs) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
  EXPECT_EQ(edit_distance("grid", "gird"), 1u) << "a swap of neighbours is one slip of the fingers";
}

TEST(Nearest, ASlipFindsTheNameAndAStrangerFindsNone) {
  const std::vector<std::string> known = {"batch_size", "num_workers", "host_memory", "sync"};
  EXPECT_EQ(nearest("num_worker", known), "num_workers");
  EXPECT_EQ(nearest("batchsize", known), "batch_size");
  EXPECT_EQ(nearest("snyc", known), "sync");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(did_you_mean("num_worker", known), ", did you mean num_workers?");
  EXPECT_EQ(did_you_mean("colour", known), "");
  EXPECT_EQ(joined(known), "batch_size, num_workers, host_memory, sync");
}
