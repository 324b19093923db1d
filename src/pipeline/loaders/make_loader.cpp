#include "core/error.hpp"
#include "pipeline/loader.hpp"

namespace feedtune {

std::unique_ptr<Loader> make_loader(const LoaderSetup& setup, LoaderParts parts) {
  switch (setup.kind) {
    case LoaderKind::batch_per_worker: return make_batch_per_worker(setup, std::move(parts));
    case LoaderKind::pooled: return make_pooled(setup, std::move(parts));
    case LoaderKind::external: break;
  }
  throw TrialFailure(TrialStatus::unsupported, "loader=external needs --adapter: it is the user's own loader");
}

}  // namespace feedtune
