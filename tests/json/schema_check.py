"""schema_check.py [--closed] SCHEMA DOCUMENT...: exits 0 when all documents follow the schema, 1 with the faults, 77
without jsonschema.

--closed: members that the schema doesn't describe are faults too (the schema itself allows them, for newer versions).
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def close(node):
    if isinstance(node, dict):
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        for child in node.values():
            close(child)
    elif isinstance(node, list):
        for child in node:
            close(child)


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


closed = sys.argv[1] == "--closed"
schema_path, *document_paths = sys.argv[2 if closed else 1 :]
with open(schema_path, encoding="utf-8") as file:
    schema = json.load(file)
validator_class = jsonschema.validators.validator_for(schema)
validator_class.check_schema(schema)
if closed:
    close(schema)
validator = validator_class(schema)
faults = 0
for path in document_paths:
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_constant=refuse)
    for error in validator.iter_errors(document):
        faults += 1
        print(path, "/".join(map(str, error.absolute_path)), error.message[:300])
sys.exit(1 if faults else 0)
