"""manifests.py CRD... -- MANIFEST...: whether each document of the manifests is what the schema of its kind in the CRDs allows.

A field that the schema does not know is wrong, as it is to a server that validates strictly. A Job is checked by the template that a
JobSet has of it. Documents of other kinds (Secret, Service) are counted, and not checked.
"""

import sys

import jsonschema
import yaml


def strict(schema):
    """The schema in the dialect of JSON Schema, with unknown fields refused."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items() if not key.startswith("x-kubernetes")}
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
        made["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
    return made


def schemas_of(paths):
    found = {}
    for path in paths:
        for document in yaml.load_all(open(path, encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if not document or document.get("kind") != "CustomResourceDefinition":
                continue
            names = document["spec"]
            for version in names["versions"]:
                schema = strict(version["schema"]["openAPIV3Schema"])
                schema["properties"]["metadata"] = {"type": "object"}
                found[f"{names['group']}/{version['name']}", names["names"]["kind"]] = schema
    jobset = found["jobset.x-k8s.io/v1alpha2", "JobSet"]
    jobs = jobset["properties"]["spec"]["properties"]["replicatedJobs"]["items"]["properties"]["template"]["properties"]
    found["batch/v1", "Job"] = {"type": "object", "properties": {"spec": jobs["spec"]}, "required": ["spec"]}
    return found


split = sys.argv.index("--")
schemas = schemas_of(sys.argv[1:split])
wrong = checked = 0
for path in sys.argv[split + 1 :]:
    for document in yaml.safe_load_all(open(path, encoding="utf-8")):
        schema = schemas.get((document["apiVersion"], document["kind"]))
        if schema is None:
            continue
        checked += 1
        for error in jsonschema.Draft7Validator(schema).iter_errors(document):
            wrong += 1
            where = "/".join(str(step) for step in error.absolute_path)
            print(f"{path}: {document['kind']}: {where}: {error.message[:200]}")
print(f"{checked} checked, {wrong} wrong")
sys.exit(wrong > 0 or checked == 0)
