"""SQLite FTS5 in process, with the same documents, fields, queries and output as tantivy_kernel.py."""
import json
import sqlite3
import sys
import time

from flat_documents import flat_documents

TOP = 10


def build(file, fields):
    database = sqlite3.connect(":memory:")
    columns = [field.replace(".", "_") for field in fields]
    database.execute(f"CREATE VIRTUAL TABLE documents USING fts5({', '.join(columns)})")
    placeholders = ", ".join("?" for _ in fields)
    database.executemany(
        f"INSERT INTO documents VALUES ({placeholders})", flat_documents(file, fields)
    )
    database.execute("INSERT INTO documents(documents) VALUES ('optimize')")
    database.commit()
    return database


def match(kind, value):
    # Quoted, because of apostrophes.
    if kind["form"] == "words":
        return " OR ".join(f'"{word}"' for word in value.split())
    if kind["form"] == "term":
        return f"{kind['field'].replace('.', '_')} : \"{value}\""
    return f'"{value}" *'


def main():
    task = json.load(sys.stdin)
    database = build(task["file"], task["fields"])
    best = f"SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT {TOP}"
    every = "SELECT count(*) FROM documents WHERE documents MATCH ?"
    results = {}
    for kind in task["kinds"]:
        (found,) = database.execute(every, [match(kind, kind["values"][0])]).fetchone()
        for value in kind["warmUp"]:
            database.execute(best, [match(kind, value)]).fetchall()
        times = []
        for value in kind["values"]:
            start = time.perf_counter()
            database.execute(best, [match(kind, value)]).fetchall()
            times.append((time.perf_counter() - start) * 1000)
        results[kind["name"]] = {"found": found, "timesMs": times}
    json.dump(results, sys.stdout)


main()
