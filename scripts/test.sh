#!/usr/bin/env bash
# Set-up if needed, then the tests: the fast ones, with --all the slow ones too. Fast lane: everything in the default build; the
# GPU's tests, skipped where there is none; the device's users in a build without the CUDA Toolkit; json, store, pipeline and process
# under ASan+UBSan; pipeline, process and trial under TSan. --all: every fast test under both sanitizers as well.
set -euo pipefail
cd "$(dirname "$0")/.."
all=0
for argument in "$@"; do
  case "$argument" in
    --all) all=1 ;;
    *) echo "test.sh: unknown argument '$argument' (accepted: --all)" >&2; exit 2 ;;
  esac
done

scripts/setup.sh --tests --packages
jobs=$(nproc)

# lane NAME PRESET LABEL TESTS TARGETS...: builds and runs one build's tests: those with the label whose name ("folder.Suite.Test")
# matches TESTS.
lane() {
  local name=$1 preset=$2 label=$3 tests=$4
  shift 4
  echo "== $name"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" --target "$@"
  # ThreadSanitizer needs a memory layout that newer kernels' randomisation may refuse.
  local wrap=()
  [ "$preset" = tsan ] && wrap=(setarch "$(uname -m)" -R)
  ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1 \
    "${wrap[@]}" ctest --test-dir "build${preset_suffix[$preset]}" --output-on-failure -j "$jobs" -L "$label" -R "$tests" --no-tests=error
}
declare -A preset_suffix=([default]="" [asan]="-asan" [tsan]="-tsan")

lane "all fast tests, default build" default fast . programs tests
lane "ASan+UBSan" asan fast '^(json|store|pipeline|process)\.' test_json test_store test_pipeline test_process
lane "TSan" tsan fast '^(pipeline|process|trial)\.' test_pipeline test_process test_trial
if [ -e build/feedtune-cuda.so ]; then
  lane "GPU (skipped where there is none)" default gpu . programs test_gpu
  # The same build without the toolkit: one file is compiled anew. Whatever happens, the build gets its cuda device back.
  echo "== without the CUDA Toolkit"
  trap 'cmake --preset default -DFEEDTUNE_CUDA=ON >/dev/null' EXIT
  cmake --preset default -DFEEDTUNE_CUDA=OFF >/dev/null
  cmake --build --preset default --target programs test_device test_trial test_cli
  FEEDTUNE_CONFIGS=configs build/feedtune devices | grep 'cuda .*this build has no CUDA backend'
  ctest --test-dir build --output-on-failure -j "$jobs" -L fast -R '^(device|trial|cli)\.' --no-tests=error
  cmake --preset default -DFEEDTUNE_CUDA=ON >/dev/null
  cmake --build --preset default --target programs tests
fi
if [ "$all" = 1 ]; then
  lane "slow tests, default build" default slow . programs tests
  lane "every fast test under ASan+UBSan" asan fast . programs tests
  lane "every fast test under TSan" tsan fast . programs tests
fi
