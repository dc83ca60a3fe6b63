// The examples at the end of each command's help. A test compares the commands and flags in them with
// those that exist.

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  cardea: [
    'cardea demo',
    "cardea search 'isManager:true'",
    'cardea serve --data-dir /var/lib/cardea',
  ],
  serve: ['cardea serve', 'cardea serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem'],
  demo: ['cardea demo', 'cardea demo --identities 2000 --port 9090 --data-dir ./demo'],
  start: [
    'cardea start --ephemeral --print-env',
    'cardea start --ephemeral --fixture company.yaml',
  ],
  search: [
    "cardea search 'attributes.department:Finance AND isManager:true'",
    "cardea search '@accounts(privileged:true AND disabled:false)' --rows accounts \\\n    --columns 'displayName=Owner,manager.displayName=Manager,@accounts.name' --csv > accounts.csv",
    'cardea search --index events --sort=-created --limit 20',
    "cardea search 'inactive:true' --count",
    "SAIL_BASE_URL=https://acme.api.identitynow.com cardea search 'name:a*' --ndjson",
  ],
  import: [
    'cardea import identities.ndjson events.ndjson.gz',
    'cardea import --auth-users auth-users.json',
    'cardea import people.csv --suggest-map > people.yaml',
    'cardea import people.csv --map people.yaml',
    'curl -s https://example.com/roles.json | cardea import - --index roles',
  ],
  mirror: [
    'cardea mirror --from https://acme.api.identitynow.com --watch 15m',
    'cardea mirror --status',
  ],
  export: [
    'cardea export --to ./copy --auth-users --profiles --gzip',
    "cardea export --to ./sales --query 'attributes.department:Sales'",
  ],
  reindex: ['cardea reindex', 'cardea reindex --search-url http://opensearch:9200'],
  tenant: ['cardea tenant list', 'cardea tenant create acme --admin ada'],
  'tenant create': ['cardea tenant create acme --admin ada --email ada@example.com'],
  'tenant list': ['cardea tenant list', 'cardea tenant list --json'],
  user: ['cardea user list --capability ORG_ADMIN', 'cardea user show ada'],
  'user list': [
    'cardea user list --capability ORG_ADMIN',
    'cardea user list --csv > who-holds-what.csv',
  ],
  'user show': ['cardea user show ada --json'],
  'user create': [
    'cardea user create --uid ada --name "Ada Lovelace" --email ada@acme.test --capability HELPDESK',
  ],
  'user grant': ['cardea user grant ada ROLE_ADMIN'],
  'user revoke': ['cardea user revoke ada ROLE_ADMIN'],
  'user disable': ['cardea user disable ada --tenant acme'],
  'user enable': ['cardea user enable ada'],
  'user sign-out': ['cardea user sign-out ada'],
  'user delete': ['cardea user delete ada'],
  field: ['cardea field list --index identities'],
  'field list': ['cardea field list --index identities', 'cardea field list --json'],
  'field set': ['cardea field set identities attributes.costCenter text'],
  pat: ['cardea pat list', 'cardea pat create --owner ada --name nightly'],
  'pat create': [
    'cardea pat create --owner ada --name nightly',
    'eval "$(cardea pat create --owner ada --name shell --scope sp:search:read)"',
  ],
  'pat list': ['cardea pat list --owner ada', 'cardea pat list --json'],
  'pat delete': ['cardea pat delete 0c9d5be01f22c4a67f3c0d51aa9e4be8'],
  view: ['cardea view list', "cardea view create clerks --show roles='name:clerk'"],
  'view create': [
    "cardea view create sales --show identities='attributes.department:Sales' --show roles='*' --hide phone",
  ],
  'view replace': [
    "cardea view replace sales --show identities='attributes.department:Sales' --hide phone --hide email",
  ],
  'view list': ['cardea view list --json'],
  'view show': ['cardea view show sales'],
  'view test': ['cardea view test sales'],
  'view assign': ['cardea view assign ines.okafor sales', 'cardea view assign ines.okafor'],
  'view delete': ['cardea view delete sales'],
  client: ['cardea client list', 'cardea client create --name reports'],
  'client create': ['cardea client create --name reports --scope sp:search:read --json'],
  'client list': ['cardea client list --json'],
  'client delete': ['cardea client delete 0c9d5be01f22c4a67f3c0d51aa9e4be8'],
  mcp: ['cardea mcp', 'cardea mcp --server https://acme.api.identitynow.com'],
  'api-key': ['cardea api-key list', 'cardea api-key create --name form'],
  'api-key create': ['cardea api-key create --name form --expires 2027-01-31'],
  'api-key list': ['cardea api-key list --json'],
  'api-key delete': ['cardea api-key delete 6f1f2b6c-54b9-4f3e-8f0e-0d3f6f7c2a11'],
  keys: ['cardea keys list', 'cardea keys rotate'],
  'keys list': ['cardea keys list --json'],
  'keys rotate': ['cardea keys rotate', 'cardea keys rotate --revoke'],
  'keys reseal': ['cardea keys reseal --new-key-file /run/secrets/cardea-key'],
  certificate: [
    'cardea certificate acme.api.identitynow.com',
    "cardea certificate '*.api.identitynow.com' acme.identitynow.com 192.0.2.7 --dir ./tls",
  ],
  audit: ['cardea audit verify'],
  'audit verify': ['cardea audit verify --tenant acme'],
  backup: ['cardea backup /backups/2026-11-25'],
  restore: ['cardea restore /backups/2026-11-25'],
  doctor: ['cardea doctor', 'cardea doctor --data-dir /var/lib/cardea'],
  health: ['cardea health && echo ready'],
  'migrate-store': ['cardea migrate-store --to postgres://cardea@db/cardea'],
};

/** The examples of a command as help text; '' if it has none. @param path such as `pat create` */
export function examplesOf(path: string): string {
  const lines = EXAMPLES[path] ?? [];
  return lines.length === 0 ? '' : ['Examples:', ...lines.map((line) => `  ${line}`)].join('\n');
}
