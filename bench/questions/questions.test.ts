// suite: slow
// The questions of the benchmark: different, reproducible, and about documents that exist.
// Otherwise the benchmark measures caches or empty answers.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type RunningService, startService } from '../../test/support/service.ts';
import type { Address } from '../client.ts';
import { AskedBefore } from '../comparison/cell.ts';
import { sampleHits } from '../comparison/hits.ts';
import { writeCorpus } from '../corpus.ts';
import { QUESTION_KINDS } from './other-questions.ts';
import type { Question, QuestionKind } from './question.ts';
import { identityOf, QuestionSource } from './question-source.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

const DOCUMENTS = 2_000;
const SEED = 7;
const QUESTIONS = 40;
const HIT_SAMPLES = 20;

describe('the questions of the benchmark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-questions-'));
  let vocabulary: Vocabulary;
  let service: RunningService;

  before(async () => {
    const corpus = await writeCorpus(join(folder, 'documents.ndjson'), DOCUMENTS);
    vocabulary = await readVocabulary(corpus);
    service = await startService();
    const lines = readFileSync(corpus.file, 'utf8').trimEnd().split('\n');
    await service.addDocuments(lines.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const takeAll = (seed: number): Question[] => {
    const source = new QuestionSource(vocabulary, seed);
    return QUESTION_KINDS.flatMap((kind) =>
      kind.sizes.flatMap((size) => source.take(kind, size, QUESTIONS)),
    );
  };

  test('no two questions of a source have the same body, whatever their page sizes', () => {
    const questions = takeAll(SEED);
    assert.equal(new Set(questions.map(identityOf)).size, questions.length);
    const askedBefore = new AskedBefore();
    askedBefore.add(questions);
    assert.throws(() => askedBefore.add(questions.slice(-1)), /Asked twice/);
  });

  test('the same seed gives the same questions, another seed gives others', () => {
    assert.deepEqual(takeAll(SEED), takeAll(SEED));
    const first = new Set(takeAll(SEED).map(identityOf));
    const shared = takeAll(SEED + 1).filter((question) => first.has(identityOf(question)));
    assert.ok(shared.length < first.size / 2, `${shared.length} of ${first.size} are the same`);
  });

  test('a page size does not change what a question asks', () => {
    for (const kind of QUESTION_KINDS.filter(({ sizes }) => sizes.length > 1)) {
      const [small, large] = kind.sizes.map(
        (size) => new QuestionSource(vocabulary, SEED).take(kind, size, 1)[0],
      );
      assert.ok(small !== undefined && large !== undefined);
      assert.equal(identityOf(small), identityOf(large));
      assert.notEqual(small.cardea.path, large.cardea.path);
    }
  });

  test('a kind without more different questions is an error', () => {
    const source = new QuestionSource(
      { ...vocabulary, people: vocabulary.people.slice(0, 3) },
      SEED,
    );
    const byId = QUESTION_KINDS.find(({ name }) => name === 'get by id') as QuestionKind;
    assert.equal(source.take(byId, 0, 3).length, 3);
    assert.throws(() => source.take(byId, 0, 1), RangeError);
  });

  for (const kind of QUESTION_KINDS) {
    const percent = kind.hitShareMin * 100;
    test(`at least ${percent} % of the questions have hits: ${kind.name}`, async () => {
      const to: Address = { port: Number(new URL(service.url).port), token: await service.token() };
      const questions = new QuestionSource(vocabulary, SEED).take(
        kind,
        kind.sizes[0] ?? 0,
        HIT_SAMPLES,
      );
      // One tenant has all documents, so every dataset is searched in it.
      const { share } = await sampleHits('cardea', questions, async () => to);
      assert.ok(share >= kind.hitShareMin, `only ${share * 100} % have hits`);
    });
  }
});
