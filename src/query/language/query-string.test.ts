// The query language, one text per row, with its query on the identities of a small tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPrintedQuery } from '../../../test/support/printed-query.ts';
import { testContext } from '../../../test/support/query-context.ts';
import { ServiceError } from '../../errors.ts';
import { formatQuery } from '../explain/format-query.ts';
import { planSearch } from '../search-request.ts';

const MEANINGS: readonly (readonly [text: string, plan: string])[] = [
  // Lexer (section 2.1)
  ['a b', '((_all:a | _all.folded:a | name:a^4) (_all:b | _all.folded:b | name:b^4))'],
  ['a\tb', '((_all:a | _all.folded:a | name:a^4) (_all:b | _all.folded:b | name:b^4))'],
  ['a　b', '((_all:a | _all.folded:a | name:a^4) (_all:b | _all.folded:b | name:b^4))'],
  ['name:android', 'name:android'],
  ['name:ANDROID', 'name:android'],
  ['name:And', 'name:and'],
  ['name:a && name:b', '(+name:a +name:b)'],
  ['name:a || name:b', '(name:a name:b)'],
  ['name:a !name:b', '(name:a -name:b)'],
  ['!name:a', '(-name:a)'],
  ['name:a&b', '(name:a name:b)'],
  ['name:R&D', '(name:r name:d)'],
  ['+name:a -name:b', '(+name:a -name:b)'],
  ['name:a + name:b', '(name:a name:b)'],
  ['name:a - name:b', '(name:a name:b)'],
  ['name:a ! name:b', '(name:a name:b)'],
  ['- name:a', 'name:a'],
  ['name:a-b+c', '(name:a name:b name:c)'],
  ['name:@mention', 'name:mention'],
  ['name:a=b', '(name:a name:b)'],
  ["name:O'Neil", "name:o'neil"],
  ["name:'quoted'", 'name:quoted'],
  ['name:a\\ b', '(name:a name:b)'],
  ['name:a\\:b', 'name.word:"a:b"'],
  ['name:\\(a\\)', 'name:a'],
  ['name:\\u0041da', 'name:ada'],
  ['name:\\"a\\"', 'name:a'],
  ['name:a\\\\b', '(name:a name:b)'],
  ['name:a\\*', 'name:a'],
  ['name:a\\*b*', 'name:"a*b"*'],
  ['name:*a\\?b', 'name:*a\\?b'],
  ['name:a\\**', 'name:"a*"*'],
  ['name:Ü*', 'name:ü*'],
  [
    'created: [2024-01-01 TO 2024-01-02]',
    'created:[2024-01-01T00:00:00.000Z TO 2024-01-02T23:59:59.999Z]',
  ],
  ['name : a', 'name:a'],
  ['name: ( a b )', '(name:a name:b)'],
  ['name:[a:b TO c/d]', 'name:["a:b" TO "c/d"]'],
  ['name:["a b" TO "c d"]', 'name:["a b" TO "c d"]'],
  ['id:["*" TO *]', 'id.folded:["*" TO *]'],
  ['AND\\ name:a', '-*:*'],
  [
    'source.name:\\"Active Directory\\"',
    '(source.name:active (_all:directory | _all.folded:"directory\\"" | name:directory^4))',
  ],
  ['\\AND', '(_all:and | _all.folded:and | name:and^4)'],

  // Boolean assembly (section 2.3)
  ['name:a name:b', '(name:a name:b)'],
  ['name:a OR name:b', '(name:a name:b)'],
  ['name:a AND name:b', '(+name:a +name:b)'],
  ['name:a OR name:b AND name:c', '(+name:b +name:c name:a)'],
  ['name:a AND name:b OR name:c', '(+name:a +name:b name:c)'],
  ['name:a AND NOT name:b', '(+name:a -name:b)'],
  ['name:a -name:b', '(name:a -name:b)'],
  ['name:a OR NOT name:b', '(name:a -name:b)'],
  ['NOT name:a', '(-name:a)'],
  ['NOT name:a OR name:b', '(name:b -name:a)'],
  ['-name:a -name:b', '(-name:a -name:b)'],
  ['name:a AND (name:b OR NOT name:c)', '(+name:a +(name:b -name:c))'],
  ['name:a AND (NOT name:b)', '(+name:a +(-name:b))'],
  ['NOT (name:a OR name:b)', '(-(name:a name:b))'],
  ['+name:a name:b', '(+name:a name:b)'],
  ['name:a AND +name:b', '(+name:a +name:b)'],
  ['name:a AND -name:b AND name:c', '(+name:a +name:c -name:b)'],
  ['NOT name:a AND name:b', '(+name:b -name:a)'],
  ['name:a OR name:b OR name:c AND name:d OR name:e', '(+name:c +name:d name:a name:b name:e)'],
  ['(name:a OR name:b) AND (name:c OR name:d)', '(+(name:a name:b) +(name:c name:d))'],
  ['((name:a))', 'name:a'],
  ['(name:a)^2', 'name:a^2'],
  ['(name:a name:b)^2', '(name:a name:b)^2'],
  ['(name:a^2 name:b)^3', '(name:a^2 name:b)^3'],
  ['name:"" AND name:b', 'name:b'],
  ['name:a AND name:"" AND name:b', '(+name:a +name:b)'],
  ['name:a OR name:"" AND name:b', '(+name:a +name:b)'],
  ['name:a OR "..." OR name:b', '(name:a name:b)'],
  ['name:""', '-*:*'],
  ['- ', '-*:*'],
  ['name:"..." name:","', '-*:*'],
  ['(name:"")', '-*:*'],
  ['NOT name:""', '-*:*'],
  ['nope:a', '-*:*'],
  ['nope:a OR name:b', 'name:b'],
  ['nope:a AND name:b', '-*:*'],
  ['NOT nope:a', '*:*'],
  ['name:a AND NOT nope:b', 'name:a'],

  // Groups and fields
  ['name:(a b)', '(name:a name:b)'],
  ['name:(a AND b)', '(+name:a +name:b)'],
  ['name:(+a -b)', '(+name:a -name:b)'],
  ['name:(a email:b)', '(name:a email:b)'],
  ['name:((a b) AND c)', '(+(name:a name:b) +name:c)'],
  ['name:(a AND (b OR "c d"))', '(+name:a +(name:b name:"c d"))'],
  ['name:(a OR b)^2', '(name:a name:b)^2'],
  ['email:(NOT a)', '(-email:a)'],
  ['source.name:AD', 'source.name:ad'],
  ['Name:a', '-*:*'],
  ['_id:abc', 'id.folded:abc'],
  ['tagsCount:3', 'tagCount=3'],
  ['tagCount:3', 'tagCount=3'],

  // Text fields (section 2.4)
  ['name:Ada', 'name:ada'],
  ['name:ADA.Lovelace@acme.com', '(name:ada.lovelace name:acme.com)'],
  ['name:CN=Sales,OU=EU', '(name:cn name:sales name:ou name:eu)'],
  ['name:ROLE_CREATE_PASSED', 'name:role_create_passed'],
  ['name:"Ada Lovelace"', 'name:"ada lovelace"'],
  ['name:"Ada"', 'name:ada'],
  ['name:"Ada Lovelace"~2', 'name:"ada lovelace"~2'],
  ['name:"Ada Lovelace"~', 'name:"ada lovelace"'],
  ['name:"Ada Lovelace"^2~3', 'name:"ada lovelace"~3^2'],
  ['name:"Ada Lovelace"~3^2', 'name:"ada lovelace"~3^2'],
  ['name:Ad*', 'name:ad*'],
  ['name:John.Doe@Ac*', 'name:john.doe@ac*'],
  ['name:*da', 'name:*da'],
  ['name:A?a', 'name:a?a'],
  ['name:A*a*', 'name:a*a*'],
  ['name:**', 'name:**'],
  ['name:?', 'name:?'],
  ['name:/[A-C]da/', 'name:/[a-c]da/'],
  ['name:/a\\/b/', 'name:/a\\/b/'],
  ['name:/\\D+\\W/', 'name:/\\D+\\W/'],
  ['name:/<1-31>&@/', 'name:/<1-31>&@/'],
  ['name:Ada~', 'name:ada~1'],
  ['name:Ad~', 'name:ad'],
  ['name:Adalove~', 'name:adalove~2'],
  ['name:Ada~1', 'name:ada~1'],
  ['name:Ada~2', 'name:ada~2'],
  ['name:Ada~5', 'name:ada~2'],
  ['name:Ada~0', 'name:ada'],
  ['name:Adas~0.5', 'name:adas~2'],
  ['name:Ada~^2', 'name:ada~1^2'],
  ['name:Ada^2~', 'name:ada~1^2'],
  ['name:[A TO m]', 'name:[a TO m]'],
  ['name:{A TO m}', 'name:{a TO m}'],
  ['name:[a TO m}', 'name:[a TO m}'],
  ['name:{a TO *]', 'name:{a TO *]'],
  ['name:[* TO *]', '_exists_:name'],
  ['name:>m', 'name:{m TO *]'],
  ['name:>=M', 'name:[m TO *]'],
  ['name:<m', 'name:[* TO m}'],
  ['name:<=m', 'name:[* TO m]'],
  ['name:(>a AND <m)', '(+name:{a TO *] +name:[* TO m})'],
  ['name:\\>m', 'name:m'],
  ['name:>', '-*:*'],
  ['name:>=', '-*:*'],
  ['name:*', '_exists_:name'],
  ['name:*^2', '_exists_:name^2'],
  ['name:null', 'name:null'],
  ['name:a^2.5', 'name:a^2.5'],
  ['name:a^0', 'name:a^0'],
  ['name.exact:"Ada Lovelace"', 'name.exact:"Ada Lovelace"'],
  ['name.exact:Ada', 'name.exact:Ada'],
  ['name.exact:Ad*', 'name.exact:Ad*'],
  ['name.exact:/[A-C].*/', 'name.exact:/[A-C].*/'],
  ['name.exact:Ada~1', 'name.exact:Ada~1'],
  ['name.exact:[A TO B]', 'name.exact:[A TO B]'],
  ['name.exact:*', '_exists_:name'],

  // Keyword fields
  ['id:2C91', 'id.folded:2c91'],
  ['id:"A b"', 'id.folded:"a b"'],
  ['id:2C*', 'id.folded:2c*'],
  ['id:*f?', 'id.folded:*f?'],
  ['id:/2C.*/', 'id.folded:/2c.*/'],
  ['id:2C91~1', 'id.folded:2c91~1'],
  ['id:[A TO b]', 'id.folded:[a TO b]'],
  ['id:>A', 'id.folded:{a TO *]'],
  ['id.exact:2C91', 'id.exact:2C91'],
  ['id:"---"', 'id.folded:"---"'],
  ['id:...', 'id.folded:"..."'],

  // Long, double and boolean fields
  ['accessCount:3', 'accessCount=3'],
  ['accessCount:"3"', 'accessCount=3'],
  ['accessCount:3.0', 'accessCount=3'],
  ['accessCount:3.5', '-*:*'],
  ['accessCount:[1 TO 5]', 'accessCount:[1 TO 5]'],
  ['accessCount:{1 TO 5.5}', 'accessCount:{1 TO 5.5}'],
  ['accessCount:["-5" TO *]', 'accessCount:[-5 TO *]'],
  ['accessCount:>3', 'accessCount:{3 TO *]'],
  ['accessCount:>=3', 'accessCount:[3 TO *]'],
  ['accessCount:<3', 'accessCount:[* TO 3}'],
  ['accessCount:<=1e3', 'accessCount:[* TO 1000]'],
  ['accessCount:\\-3', 'accessCount=-3'],
  ['accessCount:*', '_exists_:accessCount'],
  ['attributes.ratio:>0.5', 'attributes.ratio:{0.5 TO *]'],
  ['attributes.ratio:0.25', 'attributes.ratio=0.25'],
  ['disabled:true', 'disabled=1'],
  ['disabled:FALSE', 'disabled=0'],
  ['disabled:"True"', 'disabled=1'],
  ['disabled:[false TO true]', 'disabled:[0 TO 1]'],
  ['accessCount.exact:3', '-*:*'],

  // Existence
  ['_exists_:name', '_exists_:name'],
  ['_exists_:"name"', '_exists_:name'],
  ['_exists_:name.exact', '_exists_:name'],
  ['_exists_:manager', '(_exists_:manager.displayName _exists_:manager.id _exists_:manager.name)'],
  [
    '_exists_:owns',
    '(_exists_:owns.accessProfiles.id _exists_:owns.accessProfiles.name _exists_:owns.apps.id _exists_:owns.apps.name _exists_:owns.entitlements.id _exists_:owns.entitlements.name _exists_:owns.fallbackApprover _exists_:owns.governanceGroups.id _exists_:owns.governanceGroups.name _exists_:owns.roles.id _exists_:owns.roles.name _exists_:owns.sources.id _exists_:owns.sources.name)',
  ],
  [
    '_exists_:accounts.source',
    '@accounts(_exists_:accounts.source.id _exists_:accounts.source.name _exists_:accounts.source.type)',
  ],
  ['_exists_:accounts.name', '@accounts(_exists_:accounts.name)'],
  [
    '_exists_:apps',
    '@apps(_exists_:apps.account.accountId _exists_:apps.account.id _exists_:apps.id _exists_:apps.name _exists_:apps.source.id _exists_:apps.source.name)',
  ],
  [
    '_exists_:attributes',
    '(_exists_:attributes.active _exists_:attributes.city _exists_:attributes.endDate _exists_:attributes.level _exists_:attributes.ratio)',
  ],
  [
    '_exists_:attributes.\\*',
    '(_exists_:attributes.active _exists_:attributes.city _exists_:attributes.endDate _exists_:attributes.level _exists_:attributes.ratio)',
  ],
  ['_exists_:attributes.ci*', '_exists_:attributes.city'],
  ['_exists_:attributes.*y', '_exists_:attributes.city'],
  ['_exists_:nope', '-*:*'],
  ['_exists_:(name email)', '(_exists_:name _exists_:email)'],
  ['_exists_:_type', '*:*'],
  ['_exists_:*', '*:*'],
  ['NOT _exists_:name', '(-_exists_:name)'],
  ['-name:*', '(-_exists_:name)'],
  ['NOT name:*', '(-_exists_:name)'],
  ['manager:*', '(_exists_:manager.displayName _exists_:manager.id _exists_:manager.name)'],
  ['*', '*:*'],
  ['*:*', '*:*'],
  ['* AND name:a', '(+*:* +name:a)'],
  ['NOT *', '-*:*'],

  // Constants
  ['_type:identity', '*:*'],
  ['_type:Identity', '*:*'],
  ['_type:role', '-*:*'],
  ['type:identity', '*:*'],
  ['type:IDENT*', '*:*'],
  ['type:/iden.*|x/', '*:*'],
  ['type:?dentity', '*:*'],
  ['type:idntity~', '*:*'],
  ['type:[a TO j]', '*:*'],
  ['type:(role OR identity) AND name:a', '(+*:* +name:a)'],
  ['type.exact:Identity', '-*:*'],
  ['type.exact:identity', '*:*'],
  ['pod:local AND org:acme', '(+*:* +*:*)'],
  ['NOT _type:role', '*:*'],
  ['_version:v2', '*:*'],
  ['_type:*', '*:*'],

  // Patterns of field names
  ['attributes.\\*:london', '(attributes.city:london | attributes.endDate:london)'],
  [
    'attributes.\\*:3',
    '(attributes.city:3 | attributes.endDate:3 | attributes.level=3 | attributes.ratio=3)',
  ],
  [
    'attributes.\\*:"2024-01-01"',
    '(attributes.city:"2024 01 01" | attributes.endDate:"2024 01 01")',
  ],
  [
    'attributes.\\*:*',
    '(_exists_:attributes.active _exists_:attributes.city _exists_:attributes.endDate _exists_:attributes.level _exists_:attributes.ratio)',
  ],
  [
    'attributes.\\*.exact:London',
    '(attributes.city.exact:London | attributes.endDate.exact:London)',
  ],
  [
    'accounts.source.\\*:AD',
    '(@accounts(accounts.source.id.folded:ad) | @accounts(accounts.source.name:ad) | @accounts(accounts.source.type:ad))',
  ],
  ['nope.\\*:a', '-*:*'],
  ['\\*:adam', '(_all:adam | _all.folded:adam | name:adam^4)'],
  ['*:adam', '(_all:adam | _all.folded:adam | name:adam^4)'],

  // Dynamic maps
  ['attributes.city:London', 'attributes.city:london'],
  [
    'attributes.endDate:2024-01-01',
    '(attributes.endDate:2024 attributes.endDate:01 attributes.endDate:01)',
  ],
  [
    'attributes.endDate:[now TO now+7d]',
    'attributes.endDate.date:[2024-05-15T12:34:56.789Z TO 2024-05-22T12:34:56.789Z]',
  ],
  ['attributes.endDate:>2024-01-01', 'attributes.endDate.date:{2024-01-01T23:59:59.999Z TO *]'],
  ['attributes.endDate:[2024-01 TO *]', 'attributes.endDate.date:[2024-01-01T00:00:00.000Z TO *]'],
  ['attributes.city:[1 TO 10]', 'attributes.city.number:[1 TO 10]'],
  ['attributes.city:[1.5 TO "-2"]', 'attributes.city.number:[1.5 TO -2]'],
  ['attributes.city:>5', 'attributes.city.word:{5 TO *]'],
  ['attributes.city:[5 TO m]', 'attributes.city:[5 TO m]'],
  ['attributes.city:[a TO 2024-01-01]', 'attributes.city:[a TO 2024-01-01]'],
  [
    'attributes.city.exact:[2024-01-01 TO 2024-01-02]',
    'attributes.city.exact:[2024-01-01 TO 2024-01-02]',
  ],
  ['attributes.level:3', 'attributes.level=3'],
  ['attributes.active:True', 'attributes.active=1'],

  // Nested (section 2.6)
  [
    '@accounts(source.name:"HR" AND disabled:true)',
    '@accounts(+accounts.source.name:hr +accounts.disabled=1)',
  ],
  ['@accounts (name:a)', '@accounts(accounts.name:a)'],
  ['@accounts(accounts.source.name:HR)', '@accounts(accounts.source.name:hr)'],
  ['@accounts(accounts.name:a AND name:b)', '@accounts(+accounts.name:a +accounts.name:b)'],
  ['@accounts(NOT source.name:AD)', '@accounts(-accounts.source.name:ad)'],
  ['NOT @accounts(source.name:AD)', '(-@accounts(accounts.source.name:ad))'],
  ['-@accounts(name:a)', '(-@accounts(accounts.name:a))'],
  [
    '@access(type:ROLE AND name:"Auditor") AND NOT @apps(name:Payroll)',
    '(+@access(+access.type.folded:role +access.name:auditor) -@apps(apps.name:payroll))',
  ],
  ['@accounts(name:a)^2', '@accounts(accounts.name:a)^2'],
  ['@accounts(name:a OR name:b)^2', '@accounts(accounts.name:a accounts.name:b)^2'],
  ['@accounts(email:a)', '-*:*'],
  ['@accounts(attributes.city:a)', '-*:*'],
  ['@accounts(_type:identity)', '-*:*'],
  ['@accounts(*)', '@accounts(*:*)'],
  [
    '@accounts(_exists_:source)',
    '@accounts(_exists_:accounts.source.id _exists_:accounts.source.name _exists_:accounts.source.type)',
  ],
  ['@accounts(_exists_:nope)', '-*:*'],
  ['@accounts(NOT _exists_:source.name)', '@accounts(-_exists_:accounts.source.name)'],
  [
    '@accounts(created:2024)',
    '@accounts(accounts.created:[2024-01-01T00:00:00.000Z TO 2024-12-31T23:59:59.999Z])',
  ],
  ['@accounts(@accounts(name:a))', '@accounts(accounts.name:a)'],
  ['@accounts(@apps(name:a))', '-*:*'],
  ['@accounts(name:"")', '-*:*'],
  ['@entitlements(name:a)', '-*:*'],
  ['@nope(name:a)', '-*:*'],
  ['@nope(name:a) OR name:b', 'name:b'],
  ['@accounts.source.name:AD', '@accounts(accounts.source.name:ad)'],
  ['@accounts.source.name:(a AND b)', '@accounts(+accounts.source.name:a +accounts.source.name:b)'],
  ['@accounts.name:"a b"', '@accounts(accounts.name:"a b")'],
  ['@accounts.accounts.name:a', '-*:*'],
  ['@accounts.disabled:true', '@accounts(accounts.disabled=1)'],
  ['@accounts:a', '-*:*'],
  ['@nope.name:a', '-*:*'],
  ['@manager.name:a', '-*:*'],
  ['@accounts(apps.name:a)', '-*:*'],
  [
    '@apps(adam)',
    '@apps((apps.account.accountId:adam | apps.account.id.folded:adam | apps.id.folded:adam | apps.name:adam | apps.source.id.folded:adam | apps.source.name:adam))',
  ],
  [
    '@apps("ada lovelace")',
    '@apps((apps.account.accountId:"ada lovelace" | apps.account.id.folded:"ada lovelace" | apps.id.folded:"ada lovelace" | apps.name:"ada lovelace" | apps.source.id.folded:"ada lovelace" | apps.source.name:"ada lovelace"))',
  ],
  [
    '@apps(42)',
    '@apps((apps.account.accountId:42 | apps.account.id.folded:42 | apps.id.folded:42 | apps.name:42 | apps.source.id.folded:42 | apps.source.name:42))',
  ],
  [
    '@apps(ad*)',
    '@apps((apps.account.accountId:ad* | apps.account.id.folded:ad* | apps.id.folded:ad* | apps.name:ad* | apps.source.id.folded:ad* | apps.source.name:ad*))',
  ],
  ['@mention', '(_all:mention | _all.folded:"@mention" | name:mention^4)'],
  ['name:@mention', 'name:mention'],
  ['\\@accounts', '(_all:accounts | _all.folded:"@accounts" | name:accounts^4)'],
  [
    'accounts.source.name:AD AND accounts.disabled:true',
    '(+@accounts(accounts.source.name:ad) +@accounts(accounts.disabled=1))',
  ],
  ['accounts.source.type:"Non-Employee"', '@accounts(accounts.source.type:"non employee")'],
  ['accounts.name:a-b', '@accounts(accounts.name:a accounts.name:b)'],
  ['accounts.created:>2024', '@accounts(accounts.created:{2024-12-31T23:59:59.999Z TO *])'],
  ['accounts.accountAttributes.city:x', '@accounts(accounts.accountAttributes.city:x)'],
  ['accounts:AD', '-*:*'],

  // Words without a field
  ['adam', '(_all:adam | _all.folded:adam | name:adam^4)'],
  ['"Ada Lovelace"', '(_all:"ada lovelace" | _all.folded:"ada lovelace" | name:"ada lovelace"^4)'],
  [
    'john.doe@acme.com',
    '((_all:john.doe _all:acme.com) | _all.folded:john.doe@acme.com | (name:john.doe name:acme.com)^4)',
  ],
  ['42', '(_all:42 | _all.folded:42 | name:42^4 | _all=42)'],
  ['"42"', '(_all:42 | _all.folded:42 | name:42^4 | _all=42)'],
  ['4.2', '(_all:4.2 | _all.folded:4.2 | name:4.2^4)'],
  [
    '9007199254740993',
    '(_all:9007199254740993 | _all.folded:9007199254740993 | name:9007199254740993^4)',
  ],
  ['Ad*', '(_all:ad* | _all.folded:ad* | name:ad*^4)'],
  ['a?b', '(_all:a?b | _all.folded:a?b | name:a?b^4)'],
  ['/ad.*/', '(_all:/ad.*/ | _all.folded:/ad.*/ | name:/ad.*/^4)'],
  ['adma~', '(_all:adma~1 | _all.folded:adma~1 | name:adma~1^4)'],
  ['[a TO m]', '(_all:[a TO m] | _all.folded:[a TO m] | name:[a TO m]^4)'],
  ['>5', '(_all:5 | _all.folded:">5" | name:5^4)'],
  ['adam^3', '(_all:adam | _all.folded:adam | name:adam^4)^3'],
  ['...', '-*:*'],
  [
    'adam ... bea',
    '((_all:adam | _all.folded:adam | name:adam^4) (_all:bea | _all.folded:bea | name:bea^4))',
  ],
  [
    'adam AND & AND bea',
    '(+(_all:adam | _all.folded:adam | name:adam^4) +(_all:bea | _all.folded:bea | name:bea^4))',
  ],
  [
    '(adam bea) AND carl',
    '(+((_all:adam | _all.folded:adam | name:adam^4) (_all:bea | _all.folded:bea | name:bea^4)) +(_all:carl | _all.folded:carl | name:carl^4))',
  ],
];

const REJECTED: readonly (readonly [text: string, offset: number, expected: RegExp])[] = [
  ['', 0, /blank/],
  [' \t\n', 0, /blank/],
  ['\u3000', 0, /blank/],
  ['(a', 2, /expected \) for the \( at offset 0/],
  ['a)', 1, /expected a clause/],
  ['()', 1, /expected a word/],
  ['"a', 0, /quote is not closed/],
  ['/a', 0, /not closed/],
  ['AND a', 0, /expected a word/],
  ['a AND', 5, /expected a word/],
  ['a OR OR b', 5, /unexpected OR/],
  ['NOT NOT a', 4, /unexpected NOT/],
  ['+-a', 1, /unexpected "-"/],
  ['a -', 3, /unexpected end of the query/],
  ['f:', 2, /expected a value or \( after "f:"/],
  ['f:a:b', 3, /unexpected ":"/],
  [':a', 0, /unexpected ":"/],
  ['"a":b', 3, /unexpected ":"/],
  ['f:-5', 2, /unexpected "-"/],
  ['[1 TO', 5, /upper bound/],
  ['[1 TO 2', 7, /expected \] or \}/],
  ['[ TO 2]', 2, /lower bound/],
  ['f:[1 2]', 5, /expected TO/],
  ['f:["a TO b]', 3, /quote is not closed/],
  ['a]', 1, /closes no range/],
  ['a^', 2, /number after \^/],
  ['a^x', 2, /number after \^/],
  ['a^2^3', 3, /unexpected \^3/],
  ['[a TO b]~1', 8, /unexpected ~/],
  ['~1', 0, /unexpected ~/],
  ['a~1.5', 0, /whole/],
  ['a\\', 1, /character after/],
  ['name:\\u12', 5, /four hexadecimal digits/],
  ['"\\uZZZZ"', 1, /four hexadecimal digits/],
  ['@accounts(', 10, /expected a word/],
  ['@accounts()', 10, /expected a word/],
  ['@(a)', 1, /nested array after @/],
  ['attributes.*:x', 12, /unexpected ":"/],
  ['attributes.?:x', 12, /unexpected ":"/],
  ['created:2024-05-01T10:00:00Z', 21, /unexpected ":"/],
  ['created:now-1d/d', 14, /not closed/],
  ['accessCount:abc', 12, /expected a number/],
  ['accessCount:99999999999999999999', 12, /expected a number/],
  ['accessCount:[a TO 3]', 12, /expected a number/],
  ['accessCount:3*', 12, /holds numbers, a prefix query is for strings/],
  ['accessCount:/3/', 12, /a regular expression is for strings/],
  ['accessCount:3~1', 12, /a fuzzy query is for strings/],
  ['created:foo', 8, /expected a date like/],
  ['created:2024-02-30', 8, /expected a date like/],
  ['created:[2024 TO foo]', 8, /expected a date like/],
  ['created:20*', 8, /a prefix query is for strings/],
  ['disabled:maybe', 9, /expected true or false/],
  ['disabled:t*', 9, /a prefix query is for strings/],
  ['name:a AND @accounts(disabled:maybe)', 30, /expected true or false/],
  ['_exists_:[a TO b]', 9, /name of a field/],
  ['_exists_:na?e', 9, /only \* is a wildcard/],
  ['name:/a~b/', 7, /complement ~ is not supported; use \[\^/],
  ['name:/(a/', 8, /expected \)/],
  ['nope:/[a/', 8, /expected \]/],
  ['name:/[Z-a]/', 5, /runs backwards/],
];

const context = testContext();

for (const [text, plan] of MEANINGS) {
  test(`${text} means ${plan}`, () => {
    const [target] = planSearch(
      { indices: ['identities'], query: { query: text } },
      {},
      context,
    ).targets;
    assert.ok(target);
    assert.deepEqual(JSON.parse(JSON.stringify(target)), target);
    const printed = formatQuery(target.query);
    assert.deepEqual(readPrintedQuery(printed), target.query);
    assert.equal(
      printed.replace(/-?\b\d{12,13}\b/g, (ms) => new Date(Number(ms)).toISOString()),
      plan,
    );
  });
}

for (const [text, offset, expected] of REJECTED) {
  test(`rejects ${JSON.stringify(text)} at offset ${offset}`, () => {
    assert.throws(
      () => planSearch({ indices: ['identities'], query: { query: text } }, {}, context),
      (error) => {
        assert.ok(error instanceof ServiceError, String(error));
        assert.equal(error.code, 'query_malformed');
        assert.match(error.details.causes?.[0] ?? '', expected);
        assert.equal(error.details.offset, offset);
        return true;
      },
    );
  });
}

const BOUNDED: readonly (readonly [name: string, text: string, limit: string])[] = [
  ['51 levels', `${'('.repeat(51)}a${')'.repeat(51)}`, 'CARDEA_MAX_DEPTH'],
  ['20,000 levels', '('.repeat(20_000), 'CARDEA_MAX_DEPTH'],
  ['nested levels', `${'(@accounts('.repeat(26)}a`, 'CARDEA_MAX_DEPTH'],
  [
    '1,025 clauses',
    Array.from({ length: 1025 }, (_, at) => `t${at}`).join(' '),
    'CARDEA_MAX_CLAUSES',
  ],
  [
    '16,000 words on each leaf of an array',
    `@accounts(${'a,'.repeat(16_000)})`,
    'CARDEA_MAX_TERMS',
  ],
  ['32,769 characters', 'a'.repeat(32_769), 'CARDEA_MAX_QUERY_LENGTH'],
  [
    'a regular expression of 1,001 characters',
    `name:/${'a'.repeat(1001)}/`,
    'CARDEA_MAX_REGEX_LENGTH',
  ],
];
for (const [name, text, limit] of BOUNDED) {
  test(`rejects ${name} and names the limit`, () => {
    assert.throws(
      () => planSearch({ query: { query: text } }, {}, context),
      (error) =>
        error instanceof ServiceError &&
        error.code === 'limit_exceeded' &&
        (error.details.causes?.[0] ?? '').includes(limit),
    );
  });
}

test('plans queries just within the limits without dropping a clause', () => {
  const planned = (query: string): string => {
    const { targets } = planSearch({ indices: ['identities'], query: { query } }, {}, context);
    return formatQuery(targets[0]?.query ?? { kind: 'matchNone' });
  };
  const clauses = (length: number, clause: (at: number) => string) =>
    Array.from({ length }, (_, at) => clause(at)).join(' ');
  assert.equal(planned(`${'('.repeat(50)}a${')'.repeat(50)}`), planned('a'));
  assert.equal(
    planned(`id:(${clauses(800, (at) => `"${at}"`).replaceAll(' ', ' OR ')})`),
    `(${clauses(800, (at) => `id.folded:${at}`)})`,
  );
  const words = planned(clauses(1024, (at) => `t${at}`));
  for (let at = 0; at < 1024; at++) assert.ok(words.includes(`_all:t${at} |`), `t${at}`);
  assert.equal(planned(`name:${'?'.repeat(5000)}`), `name:${'?'.repeat(5000)}`);
  const parts = [...planned('a'.repeat(32_768)).matchAll(/\bname:(a+)/g)].map(([, part]) => part);
  assert.equal(parts.join(''), 'a'.repeat(32_768));
  assert.equal(planned(`name:${'a,'.repeat(16_000)}`), `(${clauses(16_000, () => 'name:a')})`);
  const uuid = 'ef38f943-47e9-4562-b5bb-8424a56397d8';
  assert.equal(
    planned(`id:(${clauses(800, () => uuid).replaceAll(' ', ' OR ')})`),
    `(${clauses(800, () => `id.folded:${uuid}`)})`,
  );
});

test('a pattern of field names counts one clause per matching field', () => {
  const many = testContext(Array.from({ length: 1100 }, (_, at) => `attributes.a${at}`));
  assert.throws(
    () => planSearch({ indices: ['identities'], query: { query: 'attributes.\\*:x' } }, {}, many),
    { code: 'limit_exceeded' },
  );
  planSearch({ indices: ['identities'], query: { query: '_exists_:attributes' } }, {}, many);
});
