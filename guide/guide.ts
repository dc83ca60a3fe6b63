// What the pages of the guide do in a browser: the theme that was chosen in the console, the search, and a button that
// copies an example. Without scripts all pages read the same; only these are missing.
// Invariant: texts are put on the page as text, and nothing is requested but files of the guide.
import { applyTheme, chosenTheme } from '../console/ui/theme.ts';
import type { Found, GuideSearch } from './search.ts';

applyTheme(chosenTheme());
document.addEventListener('DOMContentLoaded', () => {
  const input = document.querySelector<HTMLInputElement>('#search');
  const list = document.querySelector<HTMLElement>('#results');
  if (input !== null && list !== null) offerSearch(input, list);
  if (navigator.clipboard !== undefined) offerCopies();
});

function offerSearch(input: HTMLInputElement, list: HTMLElement): void {
  let loading: Promise<GuideSearch> | null = null;
  const load = () => {
    loading ??= import('./search.ts').then(({ loadSearch }) => loadSearch());
    return loading;
  };
  const close = () => {
    list.hidden = true;
  };
  const show = async () => {
    const text = input.value.trim();
    if (text === '') {
      close();
      return;
    }
    try {
      const search = await load();
      // The reader may have typed on.
      if (text === input.value.trim()) showFound(list, search(text), text);
    } catch {
      loading = null;
      showLine(list, 'The search could not be loaded. Try again.');
    }
  };
  input.closest<HTMLElement>('.search')?.removeAttribute('hidden');
  input.addEventListener('focus', () => void load().catch(() => {}), { once: true });
  input.addEventListener('input', () => void show());
  input.addEventListener('focus', () => void show());
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !input.parentElement?.contains(target)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === 'Escape' && !list.hidden) {
      close();
      input.focus();
    }
  });
  input.parentElement?.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll<HTMLElement>('a')];
    if (list.hidden || links.length === 0) return;
    const at = links.findIndex((link) => link.matches(':focus'));
    if (event.key === 'Enter' && at === -1) links[0]?.click();
    else if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  // A link to a section of this page loads nothing, so nothing else would close the list.
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') !== null) close();
  });
}

function showFound(list: HTMLElement, found: readonly Found[], text: string): void {
  if (found.length === 0) {
    showLine(list, `Nothing found for “${text}”.`);
    return;
  }
  const items = found.map(({ href, page, section, excerpt }) => {
    const link = document.createElement('a');
    link.href = href;
    const title = document.createElement('strong');
    title.textContent = section === page ? page : `${page} › ${section}`;
    const line = document.createElement('span');
    line.append(...excerpt.map(({ text: part, isHit }) => (isHit ? marked(part) : part)));
    link.append(title, line);
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  const all = document.createElement('ul');
  all.append(...items);
  list.replaceChildren(all);
  list.hidden = false;
}

function marked(text: string): HTMLElement {
  const mark = document.createElement('mark');
  mark.className = 'hit';
  mark.textContent = text;
  return mark;
}

function showLine(list: HTMLElement, text: string): void {
  const line = document.createElement('p');
  line.setAttribute('role', 'status');
  line.textContent = text;
  list.replaceChildren(line);
  list.hidden = false;
}

/** Gives each example a button that copies it. */
function offerCopies(): void {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const copied = navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '');
      button.textContent = await copied.then(
        () => 'Copied',
        () => 'Not copied',
      );
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
    block.append(button);
  }
}
