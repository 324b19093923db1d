#!/usr/bin/env bash
# A relocatable folder for machines without packages or root, as one archive: feedtune, feedtune-bench, test_gpu, the cuda plugin,
# gpu_check.sh and every library that they need but cuBLAS, which comes from the target's own CUDA installation. The opencv decoder is
# left out. Licence notices of the packed libraries: feedtune/licenses.
#   scripts/bundle.sh [-o FILE.tar.gz] [--build DIR]
# -o: default build/feedtune-bundle.tar.gz. --build: takes what is built there and builds nothing.
set -euo pipefail
started_in=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
most_bytes=60000000 cudart_most_bytes=1000000
out="" build=""
die() { echo "bundle.sh: $2" >&2; exit "$1"; }
from_here() { case "$1" in /*) echo "$1" ;; *) echo "$started_in/$1" ;; esac; }
while [ $# -gt 0 ]; do
  case "$1" in
    -h|--help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' scripts/bundle.sh; exit 0 ;;
    -o|--build)
      [ $# -ge 2 ] && [ -n "$2" ] || die 2 "$1 needs a path"
      if [ "$1" = -o ]; then out=$(from_here "$2"); else build=$(from_here "$2"); fi
      shift 2 ;;
    *) die 2 "unknown argument '$1' (accepted: -o FILE.tar.gz, --build DIR)" ;;
  esac
done

if [ -z "$build" ]; then
  build=$PWD/build
  scripts/setup.sh --tests --packages
  cmake --preset default >/dev/null
  cmake --build --preset default --target programs feedtune-launcher
  [ ! -e "$build/feedtune-cuda.so" ] || cmake --build --preset default --target test_gpu
fi
: "${out:=$build/feedtune-bundle.tar.gz}"
if [ -L "$out" ] || { [ -e "$out" ] && [ ! -f "$out" ]; }; then die 3 "-o: $out is no regular file, want a new one or one to replace"; fi
programs=(feedtune feedtune-bench test_gpu)
for file in "${programs[@]}" feedtune-launcher feedtune-cuda.so; do
  [ -e "$build/$file" ] || die 3 "$build has no $file (built where the CUDA Toolkit, Google Benchmark and GoogleTest are found)"
done

packed=()
pack() { cp -L "$1" "$2"; packed+=("$1"); }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$work/feedtune
mkdir -p "$top/lib/last" "$top/results"
for program in "${programs[@]}"; do
  strip -o "$top/lib/$program" "$build/$program"
  strip -o "$top/$program" "$build/feedtune-launcher"
done
strip -o "$top/lib/feedtune-cuda.so" "$build/feedtune-cuda.so"
cp -r configs "$top/"
cp -r results/schema "$top/results/"
cp LICENSE scripts/gpu_check.sh "$top/"

# Lines of ldd: "libfmt.so.9 => /lib/x86_64-linux-gnu/libfmt.so.9 (0x...)", and the loader's with its path alone.
# Without the caller's LD_LIBRARY_PATH: the tests' fake CUDA, or another's libraries, must not be taken for the machine's own.
needed=$(cd "$build" && env -u LD_LIBRARY_PATH ldd "${programs[@]}" feedtune-cuda.so)
while read -r name path; do
  case "$name" in
    libcublas*|libcuda.*|libnvidia*) ;;
    libcudart*)
      case "$(realpath "$path")" in */fake_cuda/*) die 3 "$path is the tests' fake CUDA, no runtime to ship" ;; esac
      # Searched after LD_LIBRARY_PATH and /usr/local/cuda, but before what only the loader's cache knows.
      if [ "$(stat -L -c %s "$path")" -lt "$cudart_most_bytes" ]; then pack "$path" "$top/lib/last/$name"
      else echo "bundle.sh: $name is left out: $path has over $cudart_most_bytes bytes; the target's own is needed" >&2; fi ;;
    *) [ -e "$top/lib/$name" ] || pack "$path" "$top/lib/$name" ;;
  esac
done < <(awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' <<<"$needed" | sort -u)
if missing=$(awk '/not found/ && $1 !~ /^lib(cublas|cuda|nvidia)/ { print $1 }' <<<"$needed" | sort -u) && [ -n "$missing" ]; then
  die 3 "libraries that the programs need are missing here: $missing"
fi
loader=$(awk '$1 ~ /^\/.*\/ld[-.]/ { print $1; exit }' <<<"$needed")
[ -n "$loader" ] || die 3 "ldd names no loader"
pack "$loader" "$top/lib/ld.so"
# The driver's libraries need these parts of the C library, and an older machine's own would not fit the one in here.
libc=$(awk '$1 == "libc.so.6" { print $3; exit }' <<<"$needed")
for part in libdl.so.2 libpthread.so.0 librt.so.1 libutil.so.1; do
  [ -e "$top/lib/$part" ] || [ ! -e "${libc%/*}/$part" ] || pack "${libc%/*}/$part" "$top/lib/$part"
done

# The licence notices of what others wrote: of each packed library's Debian package its copyright file, and CUDA's own terms.
mkdir "$top/licenses"
licence_of() {
  local package notice
  package=$(dpkg-query -S "$1" "$(realpath "$1")" "/usr${1#/usr}" "$(realpath "$1" | sed 's|^/usr||')" 2>/dev/null | sed -n '1s/[:,].*//p') || true
  notice=/usr/share/doc/$package/copyright
  if [ -n "$package" ] && [ -e "$notice" ]; then cp -L "$notice" "$top/licenses/$package"
  elif notice=$(cuda_terms "$1"); then cp -L "$notice" "$top/licenses/cuda"
  else die 3 "no licence notice of $1 is found here (Debian: /usr/share/doc/PACKAGE/copyright), so it can't be shipped"; fi
}
# An installer's toolkit has its terms at its top, one from PyPI beside it.
cuda_terms() {
  local folder notice
  case "$(basename "$1")" in libcudart*) ;; *) return 1 ;; esac
  folder=$(dirname "$(realpath "$1")")
  while [ "$folder" != / ]; do
    for notice in "$folder"/EULA.txt "$folder"/LICENSE "$folder"/*/EULA.txt "$folder"/*/nvidia_cuda_runtime*/licenses/License.txt "$folder"/nvidia_cuda_runtime*/licenses/License.txt; do
      if [ -f "$notice" ]; then echo "$notice"; return; fi
    done
    folder=$(dirname "$folder")
  done
  return 1
}
# Headers are compiled into the programs.
headers=(/usr/include/nlohmann/json.hpp /usr/include/CLI/CLI.hpp /usr/include/boost/version.hpp /usr/include/eigen3/Eigen/Core /usr/include/gtest/gtest.h)
for source in "${packed[@]}" "${headers[@]}"; do
  [ ! -e "$source" ] || licence_of "$source"
done

mkdir -p "$(dirname "$out")"
tar -C "$work" --owner=0 --group=0 --numeric-owner --sort=name -czf "$work/bundle.tar.gz" feedtune
bytes=$(stat -c %s "$work/bundle.tar.gz")
[ "$bytes" -le "$most_bytes" ] || die 3 "the bundle has $bytes bytes, more than $most_bytes"
# First beside it, so that a full disk leaves no half of it under its name.
part=$(mktemp "$out.XXXXXX") || die 5 "$(dirname "$out"): cannot be written to"
cp "$work/bundle.tar.gz" "$part" && chmod 644 "$part" && mv "$part" "$out" || { rm -f "$part"; die 5 "$out: cannot be written"; }
echo "bundle: $out: $bytes bytes; unpack it anywhere, start feedtune/feedtune or feedtune/gpu_check.sh"
