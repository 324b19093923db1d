#pragma once
#include <gtest/gtest.h>

#include <string>

#include "machine/facts.hpp"
#include "machine/fake_root.hpp"

namespace feedtune {

/// A fact as text; "null: REASON" where it is unknown.
inline std::string shown(const MachineFacts& machine, const std::string& name) {
  const auto fact = machine.facts.find(name);
  if (fact == machine.facts.end()) return "no such fact";
  return fact->second.value ? to_text(*fact->second.value) : "null: " + fact->second.reason;
}

inline bool is_null(const MachineFacts& machine, const std::string& name) { return shown(machine, name).rfind("null: ", 0) == 0; }

}  // namespace feedtune
