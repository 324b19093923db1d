#include "json/run_json.hpp"

#include "json/recommendation_fields.hpp"
#include "json/run_fields.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {
namespace {

/// The gain that matters most, apart: over the current settings where there are any, else over the baseline.
JsonValue headline_gain(const Recommendation& recommendation) {
  const Gain* headline = nullptr;
  for (const auto& gain : recommendation.gains)
    if (headline == nullptr || gain.over == "current") headline = &gain;
  return headline == nullptr ? JsonValue{} : write_value(*headline);
}

JsonValue to_json(const Recommendation& recommendation) {
  JsonValue json = write_value(recommendation);
  std::get<JsonValue::Object>(json.data).push_back({"gain", headline_gain(recommendation)});
  return json;
}

}  // namespace

std::string encode(const Run& run) {
  ObjectWriter writer;
  writer.field("schema", std::string(result_schema));
  writer.field("schema_version", std::string(result_schema_version));
  writer.field("complete", run.complete);
  header_fields(writer, run);
  JsonValue ceilings, recommendation;
  if (run.recommendation) {
    ceilings = write_value(run.recommendation->ceilings);
    recommendation = to_json(*run.recommendation);
  }
  std::vector<JsonValue> trials;
  for (const auto& trial : run.trials) trials.push_back(write_value(without_non_finite(trial)));

  JsonValue json = std::move(writer).take();
  auto& members = std::get<JsonValue::Object>(json.data);
  members.push_back({"ceilings", std::move(ceilings)});
  members.push_back({"trials", {.data = std::move(trials)}});
  members.push_back({"notes", write_value(run.notes)});
  members.push_back({"recommendation", std::move(recommendation)});
  return pretty_text(json);
}

Run decode_run(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, false);
  check_schema(json, place, result_schema);
  ObjectReader reader(json, place);
  Run run;
  reader.field("complete", run.complete);
  header_fields(reader, run);
  reader.field("trials", run.trials);
  reader.field("notes", run.notes);
  reader.field("recommendation", run.recommendation);
  std::optional<Ceilings> ceilings;
  reader.field("ceilings", ceilings);
  if (ceilings && run.recommendation) run.recommendation->ceilings = *ceilings;
  return run;
}

std::string encode(const Recommendation& recommendation) {
  JsonValue json = to_json(recommendation);
  std::get<JsonValue::Object>(json.data).push_back({"ceilings", write_value(recommendation.ceilings)});
  return pretty_text(json);
}

}  // namespace feedtune
