// Lucene in process: identities as flat text fields, queries timed one by one.
//
// Arguments: a file with one identity per line and its fields between tabs, and the names of the
// fields between commas. Standard input has a question per line: kind, form, field, "warm-up" or
// "timed", value. Writes one JSON object: for each kind the milliseconds of every timed query, and
// the number of matches of its first value.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;

public final class LuceneKernel {
  private static final int TOP = 10;

  private record Result(int found, List<Double> timesMs) {}

  public static void main(String[] args) throws IOException {
    String[] fields = args[1].split(",");
    Path folder = Files.createTempDirectory("lucene");
    try (Directory directory = new MMapDirectory(folder)) {
      build(directory, Path.of(args[0]), fields);
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        System.out.println(json(measure(new IndexSearcher(reader), fields)));
      }
    } finally {
      try (var files = Files.walk(folder)) {
        files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
      }
    }
  }

  private static void build(Directory directory, Path file, String[] fields) throws IOException {
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setRAMBufferSizeMB(512);
    try (IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] values = line.split("\t", -1);
        Document document = new Document();
        for (int at = 0; at < fields.length; at++) {
          if (!values[at].isEmpty()) {
            document.add(new TextField(fields[at], values[at], Field.Store.NO));
          }
        }
        writer.addDocument(document);
      }
      writer.commit();
    }
  }

  private static Map<String, Result> measure(IndexSearcher searcher, String[] fields)
      throws IOException {
    Map<String, Result> results = new LinkedHashMap<>();
    var questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().toList();
    for (String question : questions) {
      String[] parts = question.split("\t", -1);
      Query query = query(parts[1], parts[2], parts[4], fields);
      boolean isTimed = parts[3].equals("timed");
      if (isTimed && !results.containsKey(parts[0])) {
        results.put(parts[0], new Result(searcher.count(query), new ArrayList<>()));
      }
      long start = System.nanoTime();
      // Counts no more hits than it returns, so that it may skip blocks.
      searcher.search(query, new TopScoreDocCollectorManager(TOP, TOP));
      double tookMs = (System.nanoTime() - start) / 1e6;
      if (isTimed) results.get(parts[0]).timesMs().add(tookMs);
    }
    return results;
  }

  /** As query_string builds it: of several fields the best one counts. */
  private static Query query(String form, String field, String value, String[] fields) {
    if (form.equals("term")) return new TermQuery(new Term(field, value));
    List<Query> byField = new ArrayList<>();
    for (String name : fields) {
      if (form.equals("prefix")) {
        byField.add(new PrefixQuery(new Term(name, value)));
        continue;
      }
      BooleanQuery.Builder words = new BooleanQuery.Builder();
      for (String word : value.split(" ")) {
        words.add(new TermQuery(new Term(name, word)), Occur.SHOULD);
      }
      byField.add(words.build());
    }
    return new DisjunctionMaxQuery(byField, 0);
  }

  private static String json(Map<String, Result> results) {
    List<String> members = new ArrayList<>();
    results.forEach(
        (name, result) ->
            members.add(
                "\"%s\":{\"found\":%d,\"timesMs\":%s}"
                    .formatted(name, result.found(), result.timesMs())));
    return "{" + String.join(",", members) + "}";
  }
}
