// The advice: what would go wrong against the public service, and how to mend it.
import type { Advice } from '../../../src/testing/types.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/notice.tsx';
import { requestText } from './request-text.ts';

export function AdviceList({
  advice,
  hasRequests,
}: {
  advice: readonly Advice[];
  hasRequests: boolean;
}) {
  return (
    <section class="related" aria-label="Advice">
      {advice.length === 0 && (
        <Empty
          icon={hasRequests ? 'check' : 'flask'}
          title={hasRequests ? 'Nothing to mend' : 'No requests yet'}
        >
          {hasRequests
            ? 'The recorded requests would also work against the public service.'
            : 'Run your integration against this tenant. Advice on its requests appears here.'}
        </Empty>
      )}
      {advice.map(({ rule, problem, mend, count, request, requests }) => (
        <article class="tile advice" key={rule}>
          <h3>
            <Icon name="alert" size={16} /> {problem}
          </h3>
          <p>{mend}</p>
          <p class="quiet">
            <span class="chip">{rule}</span>{' '}
            {count === 1 ? 'Request' : `${count} requests, the first is`} number {request.number},{' '}
            <code>{requestText(request)}</code>
            {requests.length > 1 && `; also ${requests.slice(1).join(', ')}`}
            {count > requests.length && ' …'}
          </p>
        </article>
      ))}
    </section>
  );
}
