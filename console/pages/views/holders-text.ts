// Who has a view, in words.
import { countedText } from '../../model/amount.ts';

/** `ViewHolders`, of which only the numbers count. */
export interface HolderCounts {
  readonly userCount: number;
  readonly tokens: readonly unknown[] | null;
  readonly clients: readonly unknown[] | null;
}

/** What the deletion of a view does to those who have it. @param holders undefined: not known */
export function holdersText(holders: HolderCounts | undefined): string {
  if (holders === undefined) return 'Who is restricted to it sees nothing from then on.';
  const { userCount, tokens, clients } = holders;
  const counts = [
    [userCount, 'auth user'],
    [tokens?.length ?? 0, 'token'],
    [clients?.length ?? 0, 'API client'],
  ] as const;
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => countedText(count, noun));
  const isComplete = tokens !== null && clients !== null;
  if (parts.length === 0) {
    return isComplete
      ? 'Nobody is restricted to it.'
      : 'No auth user is restricted to it; tokens or clients that are would see nothing.';
  }
  const total = counts.reduce((sum, [count]) => sum + count, 0);
  const verb = total === 1 ? 'is restricted to it and sees' : 'are restricted to it and see';
  return `${new Intl.ListFormat('en').format(parts)} ${verb} nothing from then on.`;
}
