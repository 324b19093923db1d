#pragma once
// The fitted predictor: what the parts did alone and what whole trials did -> images/s of every configuration.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/configuration.hpp"
#include "core/trial.hpp"
#include "predict/pipeline_costs.hpp"
#include "predict/pipeline_setting.hpp"

namespace feedtune {

/// What is known of the machine before anything is measured.
struct PipelineFacts {
  Cores cores;
  bool copies = true;         ///< batches are copied to a device
  bool step_on_cores = false; ///< the step computes on the cores that the workers use
  int image_size = 224;       ///< pixels
};

/// One set of parameters for the whole space: seconds to load an image, USL, memory roof, affine copy and step, pin, and
/// a factor for each value of the other axes; fitted by robust least squares with weak priors, so that it works with
/// components, with whole trials alone, and best with both. Pure; for one thread.
class PipelinePredictor {
 public:
  PipelinePredictor(std::span<const Configuration> space, PipelineFacts facts, std::span<const TrialResult> components);

  /// Fits to the components and to whole trials (those that did not work are ignored), from the last fit on. At most
  /// `steps` steps.
  void fit(std::span<const TrialResult> trials, int steps);
  /// False: nothing has been measured, or the space has no batch size and workers; then nothing can be predicted.
  bool fitted() const { return !parameters_.empty(); }
  /// Some part was measured alone.
  bool knows_parts() const { return !components_.empty(); }
  /// Around the fit, linear in the parameters, with whole trials left out: what the priors and the components alone say,
  /// and how unsure they are. A Gaussian process that takes whole trials by these features fits the parameters again.
  struct Prediction {
    double log_images_per_s = 0;
    std::vector<double> features;  ///< of unknown weights with mean 0 and sd 1
  };
  /// Absent where the configuration has no batch size or workers. fitted() only.
  std::optional<Prediction> predict(const Configuration& configuration) const;
  /// Natural logarithm of images/s by the fit itself.
  std::optional<double> log_images_per_s(const Configuration& configuration) const;

 private:
  /// What a part alone was measured at, where: the fit is corrected towards it.
  using Corrections = std::map<std::string, std::vector<std::pair<double, double>>>;

  PipelineCosts costs(const PipelineSetting& setting, const std::vector<double>& parameters) const;
  double log_component(const PipelineSetting& setting, Purpose purpose, const std::vector<double>& parameters) const;
  std::vector<double> start(std::span<const TrialResult> trials) const;
  void correct();
  /// Mean and spread of the parameters by priors and components, linear around the fit.
  void leave_trials_out(const std::vector<double>& centre);

  struct Component {
    PipelineSetting setting;
    Purpose purpose = Purpose::loader_only;
    double log_rate = 0;
    double sd = 0;
  };
  EffectTable effects_;
  PipelineFacts facts_;
  std::vector<Component> components_;
  double image_cv_ = 0;
  std::vector<double> parameters_;
  std::vector<double> away_;                ///< from the fit to the mean without whole trials
  std::vector<std::vector<double>> spread_; ///< lower Cholesky factor of the covariance without whole trials
  Corrections corrections_[pipeline_parts];
};

}  // namespace feedtune
