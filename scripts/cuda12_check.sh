#!/usr/bin/env bash
# Builds and tests the cuda device for CUDA 12 on a machine that has another toolkit or no GPU: headers and libraries of CUDA 12 from
# PyPI (650 MB, kept in build/cuda12), the .cpp files with the build's own compiler and flags, the kernels with clang (there is no
# nvcc on PyPI), the plugin linked against NVIDIA's libcudart.so.12 and libcublas.so.12, and the tests run on a fake of these names.
# Needs a toolkit for the default build, clang 18 or later (apt: clang-19) and python3. Not part of test.sh.
#   scripts/cuda12_check.sh [VERSION]        VERSION: 12.9 by default; 12.0 and later
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-12.9}
[[ "$version" =~ ^12\.[0-9]+$ ]] || { echo "cuda12_check.sh: unknown version '$version' (accepted: 12.0 and later, as 12.N)" >&2; exit 2; }
clang=""
for candidate in clang++ clang++-{18..22}; do
  if command -v "$candidate" >/dev/null && [ "$("$candidate" -dumpversion | cut -d. -f1)" -ge 18 ]; then clang=$candidate; fi
done
fatbinary=$(command -v fatbinary || echo /usr/local/cuda/bin/fatbinary)
[ -n "$clang" ] || { echo "cuda12_check.sh: no clang 18 or later (apt: clang-19)" >&2; exit 2; }

echo "== the default build"
cmake --preset default >/dev/null
cmake --build --preset default --target test_cuda
[ -e build/feedtune-cuda.so ] || { echo "cuda12_check.sh: the default build has no cuda device" >&2; exit 2; }

work=$PWD/build/cuda12/$version
wheels=(nvidia-cuda-runtime-cu12 nvidia-cuda-nvcc-cu12 nvidia-cublas-cu12)
if [ ! -e "$work/toolkit/complete" ]; then
  echo "== CUDA $version from PyPI"
  rm -rf "$work"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "${wheels[@]/%/==$version.*}"
  mkdir -p "$work/toolkit"
  for part in "$work"/venv/lib/python3*/site-packages/nvidia/*/; do cp -rsf "$part". "$work/toolkit/"; done
  # PyPI has ptxas but no fatbinary; the installed toolkit's no longer knows the words that clang uses before version 20.
  if ! "$fatbinary" --help 2>&1 | grep -q -- '--image '; then
    cat >"$work/toolkit/bin/fatbinary" <<EOF
#!/usr/bin/env bash
for argument; do
  shift
  argument=\${argument/#--image=profile=sm_/--image3=kind=elf,sm=}
  set -- "\$@" "\${argument/#--image=profile=compute_/--image3=kind=ptx,sm=}"
done
exec "$fatbinary" "\$@"
EOF
    chmod +x "$work/toolkit/bin/fatbinary"
  fi
  touch "$work/toolkit/complete"
fi

echo "== compile"
rm -rf "$work/objects"
mkdir -p "$work/objects" "$work/fake" "$work/bin"
# What the build did, with CUDA 12's headers in the place of its own.
python3 - "$work" <<'PYTHON'
import json, pathlib, shlex, subprocess, sys

work = pathlib.Path(sys.argv[1])
folders = {"src/device/cuda": "plugin", "tests/fake_cuda": "fake"}
for entry in json.loads(pathlib.Path("build/compile_commands.json").read_text()):
    file = pathlib.Path(entry["file"])
    if pathlib.Path.cwd() not in file.parents:
        continue
    file = file.relative_to(pathlib.Path.cwd())
    kind = folders.get(str(file.parent))
    command = shlex.split(entry["command"])
    if kind is None or file.suffix != ".cpp" or "-isystem" not in command:  # the fake NVML is none of the toolkit's: it has no version
        continue
    command[command.index("-isystem") + 1] = str(work / "toolkit/include")
    command[command.index("-o") + 1] = str(work / "objects" / f"{kind}-{file.stem}.o")
    print(file)
    subprocess.run(command, cwd=entry["directory"], check=True)
PYTHON
echo "src/device/cuda/kernels/launch.cu ($clang)"
architectures=(--cuda-gpu-arch=sm_{60,70,75,80,86,89,90})
"$clang" -x cuda -c src/device/cuda/kernels/launch.cu -o "$work/objects/kernels.o" -std=c++20 -O2 -fPIC -fvisibility=hidden -Isrc \
  --cuda-path="$work/toolkit" "${architectures[@]}" -Wno-unknown-cuda-version

echo "== link"
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/CMakeCache.txt)
# Every symbol has to be in NVIDIA's libraries.
"$compiler" -shared -o "$work/bin/feedtune-cuda.so" "$work"/objects/plugin-*.o "$work/objects/kernels.o" \
  build/src/libfeedtune_measure.a build/src/libfeedtune_core.a -lfmt -ldl -Wl,--exclude-libs,ALL -Wl,--no-undefined \
  "$work/toolkit/lib/libcudart.so.12" "$work/toolkit/lib/libcublas.so.12" -Wl,-rpath-link,"$work/toolkit/lib"
readelf -d "$work/bin/feedtune-cuda.so" | grep -E 'NEEDED.*(libcudart.so.12|libcublas.so.12)'
# fake NAME OBJECTS AND LIBRARIES...
fake() {
  local name=$1
  shift
  echo "$name.so.12 { global: *; };" >"$work/objects/$name.map"
  "$compiler" -shared -o "$work/fake/$name.so.12" -Wl,-soname,"$name.so.12" -Wl,--version-script="$work/objects/$name.map" -Wl,--no-undefined \
    "$@" -pthread
}
fake libcudart $(ls "$work"/objects/fake-*.o | grep -v 'fake-cublas.o$')
fake libcublas "$work/objects/fake-cublas.o" "$work/fake/libcudart.so.12" -ldnnl -fopenmp
cp build/fake_cuda/libnvidia-ml.so.1 "$work/fake/"
cp build/feedtune build/tests/cuda/test_cuda "$work/bin/"  # which load the plugin beside them

echo "== test"
export LD_LIBRARY_PATH=$work/fake OMP_NUM_THREADS=1 FEEDTUNE_CONFIGS=$PWD/configs
FAKE_CUDA=old_driver "$work/bin/feedtune" devices | grep "this build needs $version"
"$work/bin/test_cuda" --gtest_brief=1 --gtest_filter='-*CudaProgram*'  # those start the default build's program
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
"$work/bin/feedtune" make-data "$run/images" --images 64 >/dev/null 2>&1
"$work/bin/feedtune" sweep --data "$run/images" --out "$run/run" --device cuda --model mixer-pico --image-size 32 --trial-time 0.2s \
  --axis batch_size=8 --axis num_workers=1 --axis loader=pooled --axis pinning=alloc,register --no-anchors --quiet >/dev/null
"$work/bin/feedtune" validate "$run/run"
echo "cuda12_check: passed with CUDA $version (kernels by $("$clang" --version | head -1))"
