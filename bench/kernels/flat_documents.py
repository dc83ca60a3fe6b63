"""Flattens the identities of a corpus to one text per field."""
import json


def flat_documents(file, fields):
    paths = [field.split(".") for field in fields]
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            if document["_type"] == "identity":
                yield [text(document, path) for path in paths]


def text(document, path):
    value = document
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, list):
        return " ".join(value)
    return "" if value is None else str(value)
