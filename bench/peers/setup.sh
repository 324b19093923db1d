#!/usr/bin/env bash
# Installs the other loaders from PyPI, each into an environment of its own kind, below $FEEDTUNE_PEERS (default
# ~/.cache/feedtune-peers; about 9 GB in all). Re-runnable: what is there stays. What can't be installed is named at the end
# and left out of the comparison; the exit code is 0 as long as the reference's environment (venv) works.
#   setup.sh [torch] [pillow-simd] [dali] [spdl] [tensorflow] [ffcv]     (default: all)
# FFCV and pillow-simd are compiled: g++, pkg-config and the headers of libjpeg, libturbojpeg, zlib and OpenCV are needed
# (Debian: libjpeg-dev libturbojpeg0-dev zlib1g-dev libopencv-dev). SPDL loads the system's FFmpeg (libavdevice59 libavfilter8).
set -uo pipefail
home=${FEEDTUNE_PEERS:-$HOME/.cache/feedtune-peers}
python=${PYTHON:-python3}
mkdir -p "$home" && cd "$home" || exit 1
export PIP_DISABLE_PIP_VERSION_CHECK=1
wanted=${*:-torch pillow-simd dali spdl tensorflow ffcv}
failed=()

# try NAME COMMAND...: what it prints goes to NAME.log.
try() {
  local name=$1
  shift
  if "$@" > "$home/$name.log" 2>&1; then
    echo "$name: ok"
  else
    echo "$name: FAILED; the end of $home/$name.log:"
    tail -n 4 "$home/$name.log" | sed 's/^/    /'
    failed+=("$name")
  fi
}

environment() {
  [ -x "$1/bin/python" ] || "$python" -m venv "$1"
}

# works ENVIRONMENT CODE: whether that runs in the environment.
works() {
  "$home/$1/bin/python" -c "$2" > /dev/null 2>&1
}

torch() {
  environment venv || return
  works venv 'import torch, torchvision, cv2, PIL, numpy' && return
  venv/bin/pip install -q torch torchvision opencv-python-headless Pillow numpy
}

pillow-simd() {
  PYTHONPATH=$home/pillow-simd works venv 'import PIL; assert "post" in PIL.__version__' && return
  rm -rf pillow-simd
  # Its binary packages and its default build stop at SSE4.
  CC="cc -mavx2" venv/bin/pip install -q --no-binary :all: --no-deps --target pillow-simd pillow-simd
}

dali() {
  works venv 'import nvidia.dali.fn' && return
  venv/bin/pip install -q nvidia-dali-cuda130 || venv/bin/pip install -q nvidia-dali-cuda120
}

spdl() {
  works venv 'import spdl.io, spdl.pipeline; spdl.io.demux_image' || venv/bin/pip install -q spdl spdl-io || return
  venv/bin/python -c 'import spdl.io; spdl.io.demux_image'
}

tensorflow() {
  environment venv-tensorflow || return
  works venv-tensorflow 'import tensorflow' && return
  venv-tensorflow/bin/pip install -q tensorflow-cpu || venv-tensorflow/bin/pip install -q tensorflow
}

ffcv() {
  environment venv-ffcv || return
  local site
  site=$(echo "$home"/venv/lib/python3*/site-packages)
  # torch is large, so FFCV uses the other environment's; FFCV's own packages come first.
  echo "$site" > "$(echo venv-ffcv/lib/python3*/site-packages)/zz_torch.pth"
  works venv-ffcv 'import ffcv.loader' && return
  # FFCV 1.0.2 is from before NumPy 2 and builds with the old setuptools.
  venv-ffcv/bin/pip install -q wheel 'setuptools<80' 'numpy<2' pybind11 &&
    venv-ffcv/bin/pip install -q --no-build-isolation --no-deps --no-binary ffcv ffcv &&
    venv-ffcv/bin/pip install -q assertpy fastargs imgcat matplotlib numba tqdm psutil terminaltables pyyaml pandas \
      'opencv-python-headless<4.11' 'numpy<2' Pillow &&
    venv-ffcv/bin/python -c 'import ffcv.loader'
}

for name in $wanted; do
  case $name in
    torch | pillow-simd | dali | spdl | tensorflow | ffcv) try "$name" "$name" ;;
    *) echo "setup.sh: unknown loader '$name' (accepted: torch, pillow-simd, dali, spdl, tensorflow, ffcv)" >&2; exit 2 ;;
  esac
done
[ ${#failed[@]} -eq 0 ] || echo "not installed: ${failed[*]}; run.py leaves them out and says so"
works venv 'import torch, PIL, numpy'
