#!/usr/bin/env bash
# Installs what is missing (apt), configures and builds. The program ends at build/feedtune, the micro-benchmarks at
# build/feedtune-bench. Re-runnable; asks nothing.
#   scripts/setup.sh            what users need
#   scripts/setup.sh --tests    what scripts/test.sh needs too
#   scripts/setup.sh --packages only install, don't build
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build ccache git ca-certificates pkg-config libfmt-dev libcli11-dev nlohmann-json3-dev
  libjpeg-dev libopencv-imgcodecs-dev libopencv-imgproc-dev libdnnl-dev libhwy-dev libbenchmark-dev libboost-dev libeigen3-dev nettle-dev)
test_packages=(libgtest-dev libgmock-dev librapidcheck-dev libhwloc-dev dmidecode python3 python3-jsonschema valgrind)
build=1
for argument in "$@"; do
  case "$argument" in
    --tests) packages+=("${test_packages[@]}") ;;
    --packages) build=0 ;;
    *) echo "setup.sh: unknown argument '$argument' (accepted: --tests, --packages)" >&2; exit 2 ;;
  esac
done

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
missing=()
for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done

if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "setup.sh: this system has no apt-get; install the equivalents of: ${missing[*]}" >&2; exit 2
  fi
  if [ "$(id -u)" = 0 ]; then as_root=(env)
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo -n env)
  else
    echo "setup.sh: packages are missing and this user may not install them. Run this, then setup.sh again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 2
  fi
  echo "setup: installing ${missing[*]}"
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update &&
         "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1
  then
    tail -n 20 "$log" >&2
    echo "setup.sh: apt-get failed; its whole output is in $log" >&2
    exit 1
  fi
  rm -f "$log"
fi
[ "$build" = 1 ] || exit 0

cmake --preset default >build-configure.log 2>&1 || { cat build-configure.log >&2; exit 1; }
grep 'feedtune:' build-configure.log || true
rm -f build-configure.log
cmake --build --preset default --target programs
echo "setup: done: build/feedtune, build/feedtune-bench"
