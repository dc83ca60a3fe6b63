import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../migrate.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { compile, type Executor, type SqlValue } from '../sql/statement.ts';
import { openConnection } from '../sqlite/sqlite-driver.ts';
import { authUserEvents, targetIdIn } from './audit-targets.ts';

test('reads and counts the events about a user in an index', async () => {
  const connection = await openConnection(':memory:', 0);
  const executor = new SqlExecutor('sqlite', connection);
  await migrate('sqlite', executor);
  const plans: unknown[] = [];
  const query: Executor['query'] = async (tree) => {
    const { sql, parameters } = compile(tree, 'sqlite');
    const plan = connection.all(`explain query plan ${sql}`, parameters as SqlValue[]);
    plans.push(plan.map(({ detail }) => detail).join('; '));
    return executor.query(tree);
  };
  const events = { targetId: 'u', limit: 10, offset: 0, count: true };
  await authUserEvents({ ...executor, query }, 't', events);
  const indexed = 'SEARCH audit_event USING INDEX audit_event_target (tenant_id=? AND target_id=?)';
  assert.deepEqual(plans, [indexed, indexed]);
  connection.close();
});

const TEXTS: readonly (readonly [attributes: object, targetId: string | null])[] = [
  [{ targetId: 'u1' }, 'u1'],
  [{ before: '{"targetId":"u2"}', targetId: 'u1' }, 'u1'],
  [{ targetId: 'u"\\1' }, 'u\\"\\\\1'],
  [{ targetId: 'é😀' }, 'é😀'],
  [{ targetId: '' }, ''],
  [{ targetId: 'x'.repeat(400) }, 'x'.repeat(300)],
  [{ targetId: 7 }, null],
  [{ target: '"targetId":"u1"' }, null],
  [{}, null],
];
for (const [attributes, targetId] of TEXTS) {
  const text = JSON.stringify({ id: 'e1', attributes });
  test(`finds ${JSON.stringify(targetId)?.slice(0, 20)} in ${text.slice(0, 80)}`, () => {
    assert.equal(targetIdIn(text), targetId);
  });
}
