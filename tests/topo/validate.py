"""Checks JSON files against a JSON schema: validate.py SCHEMA FILE... exits 0, 1 (a file is wrong) or 4 (no jsonschema here)."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(4)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
wrong = False
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for error in jsonschema.Draft7Validator(schema).iter_errors(json.load(file)):
            print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
            wrong = True
sys.exit(1 if wrong else 0)
