#include "json/journal_json.hpp"

#include "json/run_fields.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {
namespace {

ObjectWriter typed(const char* type) {
  ObjectWriter writer;
  writer.field("type", std::string(type));
  return writer;
}

std::string finish(ObjectWriter writer) { return compact_text(std::move(writer).take()); }

}  // namespace

std::string journal_line(const Run& header) {
  ObjectWriter writer = typed("run");
  writer.field("schema", std::string(journal_schema));
  writer.field("schema_version", std::string(journal_schema_version));
  header_fields(writer, header);
  return finish(std::move(writer));
}

std::string journal_line(const TrialResult& trial) {
  ObjectWriter writer = typed("trial");
  const TrialResult clean = without_non_finite(trial);
  fields(writer, clean);
  return finish(std::move(writer));
}

std::string journal_line(const RunNote& note) {
  ObjectWriter writer = typed("note");
  fields(writer, note);
  return finish(std::move(writer));
}

JournalRecord decode_journal_line(std::string_view line, const std::string& where, int line_number) {
  const JsonValue json = parse_json(line, where, line_number);
  const Place place(where, false);
  ObjectReader reader(json, place);
  std::string type;
  reader.field("type", type);
  if (type == "trial") {
    TrialResult trial;
    fields(reader, trial);
    return trial;
  }
  if (type == "note") {
    RunNote note;
    fields(reader, note);
    return note;
  }
  if (type != "run") Place(place, "type").want(*json.find("type"), "run, trial, note");
  check_schema(json, place, journal_schema);
  Run header;
  header_fields(reader, header);
  return header;
}

}  // namespace feedtune
