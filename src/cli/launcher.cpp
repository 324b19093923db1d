// The programs of a bundle (scripts/bundle.sh) as a user starts them: BUNDLE/NAME starts BUNDLE/lib/NAME by the loader and with the
// libraries that lie there, so that neither an older C library of the machine nor one of its own matters. Linked statically: it
// needs nothing that the machine may lack.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string self(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::size_t slash = self.rfind('/');
  if (slash == std::string::npos || self.size() == sizeof path) {
    std::fprintf(stderr, "%s: /proc/self/exe: cannot read: %s\n", argv[0], std::strerror(length < 0 ? errno : ENAMETOOLONG));
    return 5;
  }
  const std::string lib = self.substr(0, slash) + "/lib";

  // The loader's own search (cache, system folders) comes after all of these, and LD_LIBRARY_PATH is not read beside --library-path.
  std::string search = lib;
  if (const char* given = std::getenv("LD_LIBRARY_PATH"); given != nullptr && *given != '\0') search.append(":").append(given);
  search += ":/usr/local/cuda/lib64:" + lib + "/last";

  ::setenv("FEEDTUNE_LAUNCHER", self.c_str(), 1);  // what the program starts again: /proc/self/exe will be the loader
  std::string loader = lib + "/ld.so", option = "--library-path", program = lib + self.substr(slash);
  std::vector<char*> arguments = {loader.data(), option.data(), search.data(), program.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc + 1);  // with the null at the end
  ::execv(loader.c_str(), arguments.data());
  std::fprintf(stderr, "%s: %s: cannot start: %s\n", argv[0], loader.c_str(), std::strerror(errno));
  return 5;
}
