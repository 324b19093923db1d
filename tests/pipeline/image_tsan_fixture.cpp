// OpenCV's imgcodecs brings GDAL, which takes two of its own locks in either order at its start. Not ours to mend.

#if defined(__SANITIZE_THREAD__)
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "deadlock:libgdal\n";
}
#endif
