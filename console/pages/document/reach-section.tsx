// Who holds a role, access profile or entitlement, who reaches a source through it, and who of them
// has left; each number opens its search.
import type { IndexName } from '../../../src/query/query.ts';
import { count } from '../../api/search-api.ts';
import { firstText } from '../../model/document-value.ts';
import { searchAddress } from '../../model/reference.ts';
import type { Document } from '../../model/wire.ts';
import { FaultNotice, Waiting } from '../../ui/notice.tsx';
import { TableFrame, TableHead } from '../../ui/table-frame.tsx';
import { useLoad } from '../../ui/use-load.ts';
import { loadGraph } from './graph/load-graph.ts';
import { entitlementQuestions, grantQuestions, inactiveOnly, type ReachQuestion } from './reach.ts';

export interface ReachSectionProps {
  readonly index: IndexName;
  readonly document: Document;
}

/** Questions whose people are counted, with two requests each. */
const COUNTED_MAX = 12;

export function ReachSection({ index, document }: ReachSectionProps) {
  const { value, fault, reload } = useLoad(`${index} ${firstText(document, 'id')}`, (signal) =>
    questionsOf(index, document, signal),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  if (value === undefined) return <Waiting lines={3} />;
  const hasAmounts = value.some(({ entitlements }) => entitlements !== null);
  const numbers = ['All', 'Inactive', ...(hasAmounts ? ['Entitlements', 'Privileged'] : [])];
  return (
    <section class="related" aria-label="Who has access">
      <h2>Who has access</h2>
      <TableFrame label="Who has access">
        <TableHead labels={['People who', ...numbers]} numbers={numbers} />
        <tbody>
          {value.map((question, at) => (
            <tr key={question.label}>
              <th scope="row">{question.label}</th>
              <PeopleCells question={question} isCounted={at < COUNTED_MAX} />
              {hasAmounts && (
                <>
                  <td class="cell-number">{question.entitlements ?? ''}</td>
                  <td class="cell-number">{question.privileged ?? ''}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}

async function questionsOf(index: IndexName, document: Document, signal: AbortSignal) {
  const named = { id: firstText(document, 'id'), name: firstText(document, 'name', 'id') };
  if (index === 'entitlements')
    return entitlementQuestions(named, firstText(document, 'source.name'));
  const { graph } = await loadGraph(index, document, signal);
  return grantQuestions(index === 'roles' ? 'role' : 'accessProfile', named, graph);
}

function PeopleCells({ question, isCounted }: { question: ReachQuestion; isCounted: boolean }) {
  const { label, query } = question;
  const { value, fault } = useLoad(isCounted ? query : null, async (signal) => {
    const countOf = (one: string) =>
      count({ indices: ['identities'], query: { query: one } }, signal);
    const [all, inactive] = await Promise.all([countOf(query), countOf(inactiveOnly(query))]);
    return { all, inactive };
  });
  if (fault !== null)
    return (
      <td colSpan={2} class="cell-number quiet">
        {fault.message}
      </td>
    );
  const text = (amount: number | undefined) =>
    isCounted ? (amount?.toLocaleString('en') ?? '…') : 'Show';
  return (
    <>
      <td class="cell-number">
        <a href={searchAddress('identities', query)} aria-label={`${text(value?.all)}: ${label}`}>
          {text(value?.all)}
        </a>
      </td>
      <td class="cell-number">
        <a
          class={value !== undefined && value.inactive > 0 ? 'reach-inactive' : undefined}
          href={searchAddress('identities', inactiveOnly(query))}
          aria-label={`${text(value?.inactive)} inactive: ${label}`}
        >
          {text(value?.inactive)}
        </a>
      </td>
    </>
  );
}
