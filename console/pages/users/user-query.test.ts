import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCollectionFilter } from '../../../src/query/collections/collection-filter.ts';
import { DEFAULT_LIMITS } from '../../../src/query/limits.ts';
import { AUTH_USER_FIELDS } from '../../../src/service/ports/auth-user-list.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { filterOf, userQueryOf } from './user-query.ts';

const check = (address: string, filter: string) =>
  test(`?${address} asks for ${filter === '' ? 'all users' : filter}`, () => {
    assert.equal(filterOf(userQueryOf(new URLSearchParams(address))), filter);
  });

check('', '');
check('q=+&state=other&capability=', '');
check('q=ada', '(name co "ada" or uid co "ada" or email co "ada" or id eq "ada")');
check('capability=ORG_ADMIN', 'capabilities ca ("ORG_ADMIN")');
check('capability=A&capability=B&capability=A', 'capabilities ca ("A", "B")');
check('capability=A&capability=B&match=any', 'capabilities in ("A", "B")');
check('capability=*&state=disabled', 'capabilities pr and enabled eq false');
check('capability=-&capability=A&state=enabled', 'capabilities isnull and enabled eq true');

check('view=sales', 'view eq "sales"');
check('view=*&state=enabled', 'enabled eq true and view pr');

test('writes filters that the service accepts, whatever the words are', () => {
  fc.assert(
    fc.property(anyText(), anyText(), fc.array(anyText(), { maxLength: 3 }), (q, view, names) => {
      const parameters = new URLSearchParams({ q, view });
      for (const name of names) parameters.append('capability', name);
      const query = userQueryOf(parameters);
      fc.pre(query.words.split(/\s+/).length <= 20);
      const filter = filterOf(query);
      if (filter !== '') readCollectionFilter(filter, AUTH_USER_FIELDS, DEFAULT_LIMITS);
    }),
  );
});
