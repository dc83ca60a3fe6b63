"""tantivy in process: identities as flat text fields, queries timed one by one.

Reads a JSON object from standard input: file, fields, kinds (name, form, field, warmUp, values).
Writes one JSON object: for each kind the milliseconds of every query, and the number of
matches of its first value.
"""
import json
import sys
import tempfile
import time

import tantivy

from flat_documents import flat_documents

TOP = 10
HEAP_BYTES = 512 * 1024 * 1024


def build(file, fields):
    builder = tantivy.SchemaBuilder()
    for field in fields:
        builder.add_text_field(field.replace(".", "_"), stored=False)
    schema = builder.build()
    index = tantivy.Index(schema, path=tempfile.mkdtemp())
    writer = index.writer(HEAP_BYTES)
    for values in flat_documents(file, fields):
        document = tantivy.Document()
        for field, value in zip(fields, values):
            if value:
                document.add_text(field.replace(".", "_"), value)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return schema, index


def query(schema, index, names, kind, value):
    if kind["form"] == "words":
        # An apostrophe would begin a quoted phrase.
        return index.parse_query(value.replace("'", "\\'"), names)
    if kind["form"] == "term":
        return tantivy.Query.term_query(schema, kind["field"].replace(".", "_"), value.lower())
    return tantivy.Query.boolean_query(
        [
            (tantivy.Occur.Should, tantivy.Query.regex_query(schema, name, value + ".*"))
            for name in names
        ]
    )


def main():
    task = json.load(sys.stdin)
    names = [field.replace(".", "_") for field in task["fields"]]
    schema, index = build(task["file"], task["fields"])
    searcher = index.searcher()
    results = {}
    for kind in task["kinds"]:
        found = searcher.search(query(schema, index, names, kind, kind["values"][0]), TOP).count
        for value in kind["warmUp"]:
            searcher.search(query(schema, index, names, kind, value), TOP, count=False)
        times = []
        for value in kind["values"]:
            start = time.perf_counter()
            searcher.search(query(schema, index, names, kind, value), TOP, count=False)
            times.append((time.perf_counter() - start) * 1000)
        results[kind["name"]] = {"found": found, "timesMs": times}
    json.dump(results, sys.stdout)


main()
