// cardea audit verify: checks the hash chains of the audit trail; a server may be running.
import { Command, InvalidArgumentError } from 'commander';
import { verifyAuditDatabase } from '../service/audit/audit-database.ts';
import { type AuditVerification, verifyAudit } from '../service/audit/audit-verification.ts';
import type { ChainHead } from '../service/ports/audit-chain.ts';
import type { Store, Tenant } from '../service/ports/store.ts';
import { addFlag, addSettings, newCommand, readSettings } from './common/command-line.ts';
import { CommandError, type Context } from './common/context.ts';
import { chooseTenant, withStore } from './common/data.ts';
import { grouped, type Terminal } from './common/terminal.ts';

interface Flags {
  readonly tenant?: string;
  readonly head?: readonly RecordedHead[];
  readonly json?: boolean;
}

/** The head of a tenant's chain, recorded earlier. */
interface RecordedHead extends ChainHead {
  /** Name of the tenant. */
  readonly tenant: string;
}

interface TenantResult extends AuditVerification {
  readonly tenant: string;
}

export function auditCommand(context: Context): Command {
  return new Command('audit')
    .summary('Verify the audit trail')
    .description('Verify the audit trail')
    .addCommand(verifyCommand(context));
}

function verifyCommand(context: Context): Command {
  const command = newCommand('verify', 'Check that no event was changed, removed or inserted')
    .description(
      'Check the hash chain of each tenant, its recorded end, the documents that searches read, and that the database refuses changes of events. Prints the head of each chain; store it elsewhere and pass it with --head later, to detect a trail that was truncated or rewritten. A server may be running.',
    )
    .option('--tenant <name>', 'Tenant to check [default: all]');
  const heads: RecordedHead[] = [];
  addFlag(command, '--head <tenant:number:hash>', 'A head printed earlier; repeatable', (text) => {
    heads.push(headOf(text));
    return heads;
  });
  command.option('--json', 'Print the result as JSON');
  addSettings(command, 'offline');
  return command.action(async () => {
    const config = readSettings(command, context);
    const flags = command.opts<Flags>();
    const [results, faults] = await withStore(config, context, async ({ store }) => [
      await verifyTenants(store, flags, context),
      await verifyAuditDatabase(store.read),
    ]);
    const ok = faults.length === 0 && results.every(({ faultCount }) => faultCount === 0);
    if (!ok) context.exitCode = 1;
    const { terminal } = context;
    if (flags.json === true) {
      terminal.printJson({ ok, tenants: results.map(resultJson), database: { faults } });
      return;
    }
    for (const result of results) printResult(result, terminal);
    for (const fault of faults) terminal.print(`fault   database: ${fault}`);
    if (results.length === 0) terminal.note('There is no tenant yet.');
  });
}

function headOf(text: string): RecordedHead {
  const [, tenant, digits, hash] = /^([a-z0-9-]+):(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (tenant !== undefined && digits !== undefined && hash !== undefined) {
    return { tenant, number: Number(digits), hash };
  }
  throw new InvalidArgumentError(
    `must be TENANT:NUMBER:HASH as cardea audit verify prints it (it is ${JSON.stringify(text)}).`,
  );
}

async function verifyTenants(
  store: Store,
  { tenant: name, head: heads = [] }: Flags,
  { stop, terminal }: Context,
): Promise<TenantResult[]> {
  const tenants =
    name === undefined ? await store.read.tenants() : [await chooseTenant(store.read, name)];
  rejectUnknownTenants(heads, tenants);
  const results: TenantResult[] = [];
  for (const tenant of tenants) {
    const recordedHeads = heads.filter((head) => head.tenant === tenant.name);
    const eventCount = (await store.read.auditHead(tenant.id))?.number ?? 0;
    const progress = terminal.progress(`Verifying ${tenant.name}`, eventCount, 'events');
    try {
      const verification = await verifyAudit(store.read, tenant.id, recordedHeads, (events) => {
        stop.check();
        progress.update(Math.min(events, eventCount));
      });
      results.push({ tenant: tenant.name, ...verification });
    } finally {
      progress.end();
    }
  }
  return results;
}

/** Rejects heads of tenants that are not checked. */
function rejectUnknownTenants(heads: readonly RecordedHead[], tenants: readonly Tenant[]): void {
  const names = tenants.map(({ name }) => name);
  const unknown = heads.find(({ tenant }) => !names.includes(tenant));
  if (unknown === undefined) return;
  throw new CommandError(
    `--head names the tenant ${unknown.tenant}, but checked are: ${names.join(', ') || 'none'}.`,
  );
}

function resultJson({ head, ...result }: TenantResult): object {
  return { ...result, head: headText(result.tenant, head) };
}

function headText(tenant: string, { number, hash }: ChainHead): string {
  return `${tenant}:${number}:${hash}`;
}

function printResult(result: TenantResult, terminal: Terminal): void {
  const { tenant, events, purgedBefore, head, faults, faultCount } = result;
  const status = faultCount === 0 ? 'ok' : 'fault';
  terminal.print(`${status.padEnd(8)}${tenant}: ${grouped(events)} events`);
  if (purgedBefore !== null) {
    terminal.print(
      `        ${tenant}: documents of events from before ${purgedBefore} were removed by the retention`,
    );
  }
  for (const { kind, number, message } of faults) {
    const event = number === null ? '' : ` ${number}`;
    terminal.print(`        ${tenant}${event} ${kind}: ${message}`);
  }
  if (faultCount > faults.length) {
    terminal.print(`        ${tenant}: and ${grouped(faultCount - faults.length)} more`);
  }
  terminal.print(`        --head ${headText(tenant, head)}`);
}
