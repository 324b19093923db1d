#include "benchmarks.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/make_data.hpp"

namespace feedtune {

std::shared_ptr<const ImageList> sample_images(const std::string& folder) {
  MakeDataOptions options;
  options.folder = folder;
  options.images = 64;
  make_data(options);
  return std::make_shared<const ImageList>(ImageList::from_path(folder));
}

}  // namespace feedtune
