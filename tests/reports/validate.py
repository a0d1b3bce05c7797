#!/usr/bin/env python3
"""validate.py SCHEMA FILE: checks each line of a JSON Lines file against a JSON schema; exit code 1 and a sentence when one fails."""
import json
import sys

import jsonschema


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


schema_path, file_path = sys.argv[1:]
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
        except (ValueError, jsonschema.ValidationError) as error:
            sys.exit(f"{file_path}:{number}: {getattr(error, 'message', error)}")
