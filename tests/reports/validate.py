#!/usr/bin/env python3
"""validate.py SCHEMA FILE: checks each line of a JSON Lines file against a JSON schema; exit code 1 and a sentence when one fails.
validate.py --refused SCHEMA FILE: none of the lines may be valid; exit code 1 and the lines that are.
Exit code 4: there is no jsonschema for Python."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(4)


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


refused = sys.argv[1] == "--refused"
schema_path, file_path = sys.argv[2 if refused else 1 :]
valid = []
with open(schema_path, encoding="utf-8") as schema_file:
    schema = json.load(schema_file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
with open(file_path, encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        try:
            if not line.endswith("\n"):
                raise ValueError("the line has no end")
            validator.validate(json.loads(line, parse_constant=refuse_constant))
            valid.append(number)
        except (ValueError, jsonschema.ValidationError) as error:
            if refused:
                continue
            sys.exit(f"{file_path}:{number}: {getattr(error, 'message', error)}")
if refused and valid:
    sys.exit(f"{file_path}: lines {valid} are valid")
