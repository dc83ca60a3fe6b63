// The frame around every page: navigation, account menu and connection banner.
import type { ComponentChildren, RefObject } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { nodeStatus } from './api/admin-api.ts';
import { reachable } from './api/connection.ts';
import { endSession, session } from './api/session.ts';
import mark from './style/mark.svg';
import { Icon, type IconName } from './ui/icon.tsx';
import { KeyHelp } from './ui/key-help.tsx';
import { Menu } from './ui/menu.tsx';
import { useShortcuts } from './ui/shortcuts.ts';
import { chooseTheme, chosenTheme, nextTheme, type Theme } from './ui/theme.ts';
import { useCell } from './ui/use-cell.ts';
import { useLoad } from './ui/use-load.ts';

interface Page {
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
}

const PAGES: readonly Page[] = [
  { name: 'search', label: 'Search', icon: 'search' },
  { name: 'dashboard', label: 'Dashboard', icon: 'chart' },
  { name: 'profiles', label: 'Profiles', icon: 'cards' },
  { name: 'users', label: 'Auth users', icon: 'shield' },
  { name: 'operations', label: 'Operations', icon: 'gauge' },
];
/** Only on a server with the powers for tests, for administrators. */
const TESTS_PAGE: Page = { name: 'tests', label: 'Tests', icon: 'flask' };
const THEME_ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };

export interface ShellProps {
  readonly page: string;
  readonly main: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

export function Shell({ page, main, children }: ShellProps) {
  const isReachable = useCell(reachable);
  const hasTests = useHasTests();
  const [helpShown, setHelpShown] = useState(false);
  const showHelp = useCallback(() => setHelpShown(true), []);
  useShortcuts(showHelp);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="shell-head">
        <a class="brand" href="#/search">
          <img src={mark} alt="" width={24} height={24} />
          <span>Cardea</span>
        </a>
        <nav class="shell-nav" aria-label="Pages">
          {(hasTests ? [...PAGES, TESTS_PAGE] : PAGES).map(({ name, label, icon }) => (
            <a
              key={name}
              href={`#/${name}`}
              aria-current={page === name ? 'page' : undefined}
              title={label}
            >
              <Icon name={icon} />
              <span>{label}</span>
            </a>
          ))}
        </nav>
        <div class="shell-tools">
          <ThemeButton />
          <button
            type="button"
            class="button-icon shell-keys"
            onClick={showHelp}
            aria-label="Keyboard"
            title="Keyboard (?)"
          >
            <Icon name="keyboard" />
          </button>
          <Account />
        </div>
      </header>
      {!isReachable && (
        <p class="banner" role="alert">
          <Icon name="alert" size={16} /> The service cannot be reached. Reconnecting automatically.
        </p>
      )}
      <main id="main" class="shell-main" tabIndex={-1} ref={main}>
        {children}
      </main>
      {helpShown && <KeyHelp onClose={() => setHelpShown(false)} />}
    </div>
  );
}

/** Whether the server has the powers for tests; only administrators may know. */
function useHasTests(): boolean {
  const isAdmin = useCell(session)?.levels.includes('ORG_ADMIN') ?? false;
  const { value } = useLoad(isAdmin ? 'powers for tests' : null, nodeStatus);
  return value?.node.testing ?? false;
}

function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = () => {
    const next = nextTheme(theme);
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      class="button-icon"
      onClick={choose}
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}`}
    >
      <Icon name={THEME_ICONS[theme]} />
    </button>
  );
}

function Account() {
  const current = useCell(session);
  if (current === null) return null;
  return (
    <Menu icon="people" label={current.userName}>
      {() => (
        <div class="account">
          <p class="account-name">{current.userName}</p>
          <p class="quiet">{current.org === '' ? 'No tenant' : `Tenant ${current.org}`}</p>
          <p class="quiet">{current.levels.join(', ') || 'No capabilities'}</p>
          <TimeLeft until={current.expiresAt} />
          <button type="button" class="button" onClick={() => endSession(null)}>
            <Icon name="leave" size={16} /> Sign out
          </button>
        </div>
      )}
    </Menu>
  );
}

function TimeLeft({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (until === Number.MAX_SAFE_INTEGER) return null;
  const minutes = Math.max(0, Math.round((until - now) / 60_000));
  return (
    <p class="quiet">
      Session expires in{' '}
      {minutes >= 120 ? `${Math.round(minutes / 60)} hours` : `${minutes} minutes`}
    </p>
  );
}
