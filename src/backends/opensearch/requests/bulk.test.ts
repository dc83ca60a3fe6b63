import assert from 'node:assert/strict';
import test from 'node:test';
import { BulkWriter } from './bulk.ts';
import type { OpenSearchClient } from './client.ts';
import type { DocumentWriter } from './documents.ts';

/** A client that records the requests and gives the same answer to each. */
function clientOf(answer: object): { readonly client: OpenSearchClient; readonly sent: string[] } {
  const sent: string[] = [];
  const send = async ({ lines }: { lines: Buffer }): Promise<object> => {
    sent.push(lines.toString());
    return answer;
  };
  return { client: { send } as unknown as OpenSearchClient, sent };
}

const ADDED = { errors: false, items: [] };
/** Writes every document as this many characters. */
const writerOf = (chars: number) =>
  ({ write: () => Buffer.alloc(chars, 'x') }) as unknown as DocumentWriter;
const change = (sequence: number, deleted = false) => ({
  ...({ sequence, tenantId: 't', index: 'identities', id: `i${sequence}` } as const),
  document: deleted ? null : ({} as never),
});

test('sends changes in their order, with the sequence as the version', async () => {
  const { client, sent } = clientOf(ADDED);
  const bulk = new BulkWriter(client);
  await bulk.add('a', change(7), writerOf(3));
  await bulk.add('a', change(8, true), writerOf(3));
  assert.deepEqual(sent, []);
  await bulk.flush();
  const action = (sequence: number) =>
    `{"_index":"a","_id":"i${sequence}","version":${sequence},"version_type":"external","require_alias":true}`;
  assert.deepEqual(sent, [`{"index":${action(7)}}\nxxx\n{"delete":${action(8)}}\n`]);
});

test('sends nothing where nothing was added since the last request', async () => {
  const { client, sent } = clientOf(ADDED);
  const bulk = new BulkWriter(client);
  await bulk.flush();
  await bulk.add('a', change(1), writerOf(1));
  await bulk.flush();
  await bulk.flush();
  assert.equal(sent.length, 1);
});

test('sends a request of its own for every 2 MiB', async () => {
  const { client, sent } = clientOf(ADDED);
  const bulk = new BulkWriter(client);
  for (let sequence = 1; sequence <= 7; sequence++) {
    await bulk.add('a', change(sequence), writerOf(768 * 1024));
  }
  await bulk.flush();
  const documents = sent.map((lines) => lines.split('\n').filter((line) => line.startsWith('x')));
  assert.deepEqual(
    documents.map(({ length }) => length),
    [3, 3, 1],
  );
});

const item = (status: number, type: string, reason = 'because') => ({
  index: { _id: 'i1', _index: 'a-1', status, error: { type, reason } },
});
const REFUSALS = [
  { status: 429, type: 'rejected_execution_exception', fault: { code: 'unavailable' } },
  { status: 503, type: 'unavailable_shards_exception', fault: { code: 'unavailable' } },
  { status: 500, type: 'internal', fault: { code: 'unavailable' } },
  { status: 403, type: 'cluster_block_exception', fault: { message: /\(document i1 of a-1\)/ } },
  { status: 400, type: 'index_closed_exception', fault: { type: 'index_closed_exception' } },
];
for (const { status, type, fault } of REFUSALS) {
  test(`an item refused with ${status} ${type} fails the request`, async () => {
    const { client } = clientOf({
      errors: true,
      items: [{ index: { status: 201 } }, item(status, type)],
    });
    const bulk = new BulkWriter(client);
    await bulk.add('a', change(1), writerOf(1));
    await assert.rejects(bulk.flush(), fault);
  });
}

const INDEX_REASONS = [
  'no write index is defined for alias [a]. The write index may be explicitly disabled',
  'pipeline with id [p] does not exist',
  "Number of documents in the index can't exceed [2147483519]",
];
for (const reason of INDEX_REASONS) {
  test(`a document is not refused because of its index: ${reason}`, async () => {
    const type = 'illegal_argument_exception';
    const { client } = clientOf({ errors: true, items: [item(400, type, reason)] });
    const bulk = new BulkWriter(client);
    await bulk.add('a', change(1), writerOf(1));
    await assert.rejects(bulk.flush(), { type, status: 400 });
  });
}

test('a document is refused whatever the error quotes of it', async () => {
  for (const type of ['mapper_parsing_exception', 'illegal_argument_exception']) {
    for (const quoted of INDEX_REASONS) {
      const reason = `failed to parse field [name], which is '${quoted}'`;
      const { client } = clientOf({ errors: true, items: [item(400, type, reason)] });
      const bulk = new BulkWriter(client);
      await bulk.add('a', change(1), writerOf(1));
      const refusals = await bulk.flush();
      assert.deepEqual(refusals, [{ change: change(1), reason: `${type}: ${reason}` }]);
    }
  }
});

test('a deletion that fails is not a refused document', async () => {
  const type = 'illegal_argument_exception';
  const { index: result } = item(400, type);
  const { client } = clientOf({ errors: true, items: [{ delete: result }] });
  const bulk = new BulkWriter(client);
  await bulk.add('a', change(1, true), writerOf(1));
  await assert.rejects(bulk.flush(), { type, message: /\(document i1 of a-1\)/ });
});

test('returns the changes whose documents are refused, after the others are written', async () => {
  const { client } = clientOf({
    errors: true,
    items: [{ index: { status: 201 } }, item(400, 'mapper_parsing_exception')],
  });
  const bulk = new BulkWriter(client);
  await bulk.add('a', change(1), writerOf(1));
  await bulk.add('a', change(2), writerOf(1));
  const reason = 'mapper_parsing_exception: because';
  assert.deepEqual(await bulk.flush(), [{ change: change(2), reason }]);
  assert.deepEqual(await bulk.flush(), []);
});

test('after a fault the requests in flight are still waited for', async () => {
  const answers: { resolve(answer: object): void; reject(error: Error): void }[] = [];
  const send = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const client = { send } as unknown as OpenSearchClient;
  const bulk = new BulkWriter(client);
  for (const sequence of [1, 2]) await bulk.add('a', change(sequence), writerOf(2 * 1024 * 1024));
  answers[0]?.reject(new Error('refused'));
  await new Promise(setImmediate);
  await assert.rejects(bulk.add('a', change(3), writerOf(2 * 1024 * 1024)), /refused/);
  let isSettled = false;
  const settled = bulk.settled().then(() => {
    isSettled = true;
  });
  await new Promise(setImmediate);
  assert.equal(isSettled, false);
  answers[1]?.resolve(ADDED);
  await settled;
});

test('ignores a change that is older than the document, if nothing says that it is the last', async () => {
  const { client } = clientOf({
    errors: true,
    items: [item(409, 'version_conflict_engine_exception')],
  });
  const bulk = new BulkWriter(client);
  await bulk.add('a', change(1), writerOf(1));
  await bulk.flush();
});
