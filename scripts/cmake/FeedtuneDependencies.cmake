# Third-party libraries, all from the distribution (scripts/setup.sh installs them). Optional ones leave a variable
# FEEDTUNE_HAVE_X and one line of output, so that a user sees what a build lacks.
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(JPEG REQUIRED)
find_path(FEEDTUNE_HWY_INCLUDE hwy/highway.h REQUIRED)  # Debian's libhwy-dev has no CMake package
find_library(FEEDTUNE_HWY_LIBRARY hwy REQUIRED)
add_library(feedtune_hwy INTERFACE)
target_include_directories(feedtune_hwy SYSTEM INTERFACE "${FEEDTUNE_HWY_INCLUDE}")
target_link_libraries(feedtune_hwy INTERFACE "${FEEDTUNE_HWY_LIBRARY}")
find_path(FEEDTUNE_NETTLE_INCLUDE nettle/hmac.h REQUIRED)  # SHA-256 for the fingerprint; no CMake package either
find_library(FEEDTUNE_NETTLE_LIBRARY nettle REQUIRED)
add_library(feedtune_nettle INTERFACE)
target_include_directories(feedtune_nettle SYSTEM INTERFACE "${FEEDTUNE_NETTLE_INCLUDE}")
target_link_libraries(feedtune_nettle INTERFACE "${FEEDTUNE_NETTLE_LIBRARY}")
find_package(Boost 1.74 REQUIRED)  # headers only: Boost.Math
find_package(Eigen3 3.3 REQUIRED NO_MODULE)  # headers only: the predictor's fits

# Debian's dnnl-config.cmake drags in OpenCL's development files, which the CPU engine doesn't use.
set(FEEDTUNE_HAVE_ONEDNN OFF)
if(FEEDTUNE_ONEDNN)
  find_path(FEEDTUNE_DNNL_INCLUDE dnnl.hpp)
  find_library(FEEDTUNE_DNNL_LIBRARY dnnl)
  find_package(OpenMP QUIET COMPONENTS CXX)  # whose threads oneDNN computes on; the cpu device's kernels share them
  if(FEEDTUNE_DNNL_INCLUDE AND FEEDTUNE_DNNL_LIBRARY AND OpenMP_CXX_FOUND)
    set(FEEDTUNE_HAVE_ONEDNN ON)
    add_library(feedtune_dnnl INTERFACE)
    target_include_directories(feedtune_dnnl SYSTEM INTERFACE "${FEEDTUNE_DNNL_INCLUDE}")
    target_link_libraries(feedtune_dnnl INTERFACE "${FEEDTUNE_DNNL_LIBRARY}" OpenMP::OpenMP_CXX)
  endif()
endif()
if(NOT FEEDTUNE_HAVE_ONEDNN)
  message(STATUS "feedtune: oneDNN or OpenMP not found: the cpu device is left out (apt: libdnnl-dev)")
endif()

# Only two of OpenCV's libraries are used; Debian's OpenCVConfig.cmake comes with the package of all of them.
set(FEEDTUNE_HAVE_OPENCV OFF)
if(FEEDTUNE_OPENCV)
  find_path(FEEDTUNE_OPENCV_INCLUDE opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4)
  find_library(FEEDTUNE_OPENCV_CORE opencv_core)
  find_library(FEEDTUNE_OPENCV_IMGPROC opencv_imgproc)
  find_library(FEEDTUNE_OPENCV_IMGCODECS opencv_imgcodecs)
  if(FEEDTUNE_OPENCV_INCLUDE AND FEEDTUNE_OPENCV_CORE AND FEEDTUNE_OPENCV_IMGPROC AND FEEDTUNE_OPENCV_IMGCODECS)
    set(FEEDTUNE_HAVE_OPENCV ON)
    file(STRINGS "${FEEDTUNE_OPENCV_INCLUDE}/opencv2/core/version.hpp" version_lines REGEX "define CV_VERSION_(MAJOR|MINOR|REVISION) ")
    string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]*([0-9]+)[^0-9]*([0-9]+).*" "\\1.\\2.\\3" FEEDTUNE_OPENCV_VERSION "${version_lines}")
    add_library(feedtune_opencv INTERFACE)
    target_include_directories(feedtune_opencv SYSTEM INTERFACE "${FEEDTUNE_OPENCV_INCLUDE}")
    target_link_libraries(feedtune_opencv INTERFACE "${FEEDTUNE_OPENCV_IMGCODECS}" "${FEEDTUNE_OPENCV_IMGPROC}" "${FEEDTUNE_OPENCV_CORE}")
  endif()
endif()
if(NOT FEEDTUNE_HAVE_OPENCV)
  message(STATUS "feedtune: OpenCV not found: no opencv decoder, no PNG or WebP (apt: libopencv-imgcodecs-dev libopencv-imgproc-dev)")
endif()

# The cuda device is a plugin. Without nvcc, or without what it links, the rest is the same.
set(FEEDTUNE_HAVE_CUDA OFF)
if(FEEDTUNE_CUDA)
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cudart AND TARGET CUDA::cublas
     AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12)
    set(FEEDTUNE_HAVE_CUDA ON)
    # Headers alone, which come with the toolkit: names of phases for profilers.
    find_path(FEEDTUNE_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
      set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
    endif()
  endif()
endif()
set(FEEDTUNE_HAVE_NVTX OFF)
if(FEEDTUNE_HAVE_CUDA AND FEEDTUNE_NVTX_INCLUDE)
  set(FEEDTUNE_HAVE_NVTX ON)
endif()
if(NOT FEEDTUNE_HAVE_CUDA)
  message(STATUS "feedtune: CUDA Toolkit 12 or later (nvcc, cudart, cublas) not found: the cuda device is left out")
endif()
