// Composition root's entry: arguments -> command -> exit code.

#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <variant>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "core/error.hpp"
#include "core/single_line.hpp"

namespace {

int fail(const std::exception& error, int code) {
  std::cerr << "feedtune: " << feedtune::single_line(error.what()) << '\n';
  return code;
}

int finish_output(int code) {
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "feedtune: standard output: cannot write\n";
  return feedtune::exit_code::io;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace feedtune;
  // A closed pipe (`feedtune ... | head`) or a dead child is an error to report, not a silent end.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto parsed = parse_arguments(argc, argv);
    if (const auto* show = std::get_if<ShowText>(&parsed)) {
      std::cout << show->text;
      return finish_output(exit_code::ok);
    }
    return finish_output(std::visit([](const auto& arguments) { return run_command(arguments); }, std::get<Arguments>(parsed)));
  } catch (const UsageError& error) {
    return fail(error, exit_code::usage);
  } catch (const InputError& error) {
    return fail(error, exit_code::bad_input);
  } catch (const RunInUseError& error) {
    return fail(error, exit_code::run_in_use);
  } catch (const IoError& error) {
    return fail(error, exit_code::io);
  } catch (const DeviceUnavailableError& error) {
    return fail(error, exit_code::device_unavailable);
  } catch (const TrialFailure& error) {
    return fail(error, exit_code::bad_input);
  } catch (const std::bad_alloc&) {
    std::cerr << "feedtune: out of memory\n";
    return exit_code::io;
  } catch (const std::exception& error) {
    // A system call that no code below names (the folder one stands in is gone, no thread is left): still one line.
    return fail(error, exit_code::io);
  }
}
