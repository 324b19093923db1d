#include "json/explanation_json.hpp"

#include "json/run_fields.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<Finding> auto& v) {
  io.field("rule", v.rule);
  io.field("verdict", v.verdict);
  io.field("evidence", v.evidence);
  io.field("share", v.share);
  io.text_or_null("gain_of", v.gain_of);
  io.field("gain", v.gain);
  io.text_or_null("gain_unknown", v.gain_unknown);
  io.field("next", v.next);
}

template <class Io>
void fields(Io& io, Like<TrialExplanation> auto& v) {
  io.field("id", v.id);
  io.field("role", v.role);
  io.field("configuration", v.configuration);
  io.field("images_per_s", v.images_per_s);
  io.field("step_ms", v.step_ms);
  io.field("waiting_share", v.waiting_share);
  io.field("copying_share", v.copying_share);
  io.text_or_null("primary", v.has_primary ? v.findings.front().rule : std::string());
  io.field("findings", v.findings);
}

std::string encode(const Explanation& explanation) {
  ObjectWriter writer;
  writer.field("schema", std::string("feedtune.explanation"));
  writer.field("schema_version", std::string("0.1"));
  writer.field("modelled", explanation.modelled);
  writer.field("trials", explanation.trials);
  writer.field("run", explanation.run);
  return pretty_text(std::move(writer).take());
}

}  // namespace feedtune
