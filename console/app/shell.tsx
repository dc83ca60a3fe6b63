// The frame around every page: navigation, account menu, and banners about the connection and the end
// of the session. On a phone the navigation is a sheet behind a button.
import type { ComponentChildren, RefObject } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { mirrorStatus, nodeStatus } from '../api/admin-api.ts';
import type { Session } from '../api/claims.ts';
import { reachable } from '../api/connection.ts';
import { mayUser } from '../api/rights.ts';
import { ending, session } from '../api/session.ts';
import { settings } from '../api/settings.ts';
import { visibleTypes } from '../api/views/sight.ts';
import { spanText } from '../model/amount.ts';
import { signOut } from '../sign-in/provider-session.ts';
import mark from '../style/mark.svg';
import { Confirm } from '../ui/confirm.tsx';
import { Dialog, DialogBanners } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { useKeptFocus } from '../ui/kept-focus.ts';
import { KeyHelp } from '../ui/key-help.tsx';
import { areKeysOn } from '../ui/keyboard/single-keys.ts';
import { Menu } from '../ui/menu.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { chooseTheme, chosenTheme, nextTheme, type Theme } from '../ui/theme.ts';
import { useCell } from '../ui/use-cell.ts';
import { useLoad } from '../ui/use-load.ts';
import { hasUnsaved } from '../ui/use-unsaved.ts';
import { type Offer, PAGES, type PageRow } from './pages.ts';
import { ViewLine } from './view-line.tsx';

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { auto: 'auto', light: 'sun', dark: 'moon' };

export interface ShellProps {
  readonly page: string;
  readonly main: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

export function Shell({ page, main, children }: ShellProps) {
  const areKeysUsed = useCell(areKeysOn);
  const offered = useOfferedPages();
  const [menuShown, setMenuShown] = useState(false);
  const [helpShown, setHelpShown] = useState(false);
  const showHelp = useCallback(() => setHelpShown(true), []);
  useShortcuts(showHelp);
  useKeptFocus(main);
  return (
    <DialogBanners.Provider value={Banners}>
      <div class="shell">
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <header class="shell-head">
          <a class="brand" href="#/">
            <img src={mark} alt="" width={24} height={24} />
            <span>Cardea</span>
          </a>
          <PageLinks pages={offered} current={page} />
          <button type="button" class="button shell-menu" onClick={() => setMenuShown(true)}>
            <Icon name="menu" size={16} />{' '}
            {PAGES.find(({ name }) => name === page)?.label ?? 'Pages'}
          </button>
          <div class="shell-tools">
            <ThemeButton />
            <button
              type="button"
              // On a small screen it is shown while its key does nothing.
              class={areKeysUsed ? 'button-icon shell-keys' : 'button-icon'}
              onClick={showHelp}
              aria-label="Keyboard"
              title={areKeysUsed ? 'Keyboard (?)' : 'Keyboard'}
            >
              <Icon name="keyboard" />
            </button>
            <Account />
          </div>
        </header>
        <div class="banners">
          <ViewLine />
          <Banners />
        </div>
        <main id="main" class="shell-main" tabIndex={-1} ref={main}>
          {children}
        </main>
        {menuShown && (
          <Dialog title="Pages" shape="sheet" onClose={() => setMenuShown(false)}>
            <PageLinks pages={offered} current={page} onFollow={() => setMenuShown(false)} />
          </Dialog>
        )}
        {helpShown && <KeyHelp onClose={() => setHelpShown(false)} />}
      </div>
    </DialogBanners.Provider>
  );
}

function Banners() {
  const isReachable = useCell(reachable);
  const end = useCell(ending);
  return (
    <>
      {!isReachable && (
        <p class="banner" role="alert">
          <Icon name="alert" size={16} /> The service cannot be reached. Reconnecting automatically.
        </p>
      )}
      {end !== null && (
        <p class="banner" role="alert">
          <Icon name="clock" size={16} /> You will be signed out within two minutes.{' '}
          {end === 'idle' ? 'Press any key to stay.' : 'Save your changes now.'}
        </p>
      )}
    </>
  );
}

const GROUPS: readonly PageRow['group'][] = ['tenant', 'tests', 'service'];

function PageLinks({
  pages,
  current,
  onFollow,
}: {
  pages: readonly PageRow[];
  current: string;
  onFollow?: () => void;
}) {
  const groups = GROUPS.map((group) => pages.filter((page) => page.group === group));
  return (
    <nav class="shell-nav" aria-label="Pages">
      {groups.map(
        (group) =>
          group.length > 0 && (
            <div class="shell-group" key={group[0]?.group}>
              {group.map(({ name, label, icon }) => (
                <a
                  key={name}
                  href={`#/${name}`}
                  aria-current={current === name ? 'page' : undefined}
                  {...(onFollow === undefined ? {} : { onClick: onFollow })}
                >
                  <Icon name={icon} />
                  <span>{label}</span>
                </a>
              ))}
            </div>
          ),
      )}
    </nav>
  );
}

/** The pages that server and user have. */
function useOfferedPages(): readonly PageRow[] {
  const current = useCell(session);
  const types = useCell(visibleTypes);
  const isAdmin = types !== null && mayUser(current, 'admin');
  const { value } = useLoad(isAdmin ? (current?.org ?? null) : null, offerOfServer);
  if (current === null || types === null) return [];
  return PAGES.filter(({ isOffered }) =>
    isOffered({ isForTests: false, isMirror: false, ...value, person: current, types }),
  );
}

/** What only administrators may know of the server. */
async function offerOfServer(signal: AbortSignal): Promise<Omit<Offer, 'person' | 'types'>> {
  const [{ node }, mirror] = await Promise.all([nodeStatus(signal), mirrorStatus(signal)]);
  return { isForTests: node.testing, isMirror: mirror !== null };
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
  const { sessionSeconds } = useCell(settings);
  const [isAsking, setAsking] = useState(false);
  if (current === null) return null;
  return (
    <Menu icon="people" label={current.userName}>
      {() => (
        <>
          <div class="account">
            <p class="account-name">{current.userName}</p>
            <p class="quiet">{current.org === '' ? 'No tenant' : `Tenant ${current.org}`}</p>
            <p class="quiet">{current.levels.join(', ') || 'No capabilities'}</p>
            <TimeLeft until={endOf(current, sessionSeconds)} />
            <p>
              <a href="../docs/guide/" target="_blank" rel="noopener">
                Guide
              </a>{' '}
              ·{' '}
              <a href="../docs/" target="_blank" rel="noopener">
                API reference
              </a>
            </p>
            <button
              type="button"
              class="button"
              onClick={() => (hasUnsaved() ? setAsking(true) : void signOut())}
            >
              <Icon name="leave" size={16} /> Sign out
            </button>
          </div>
          {isAsking && (
            <Confirm
              title="Sign out without saving?"
              sentence="The changes on this page will be lost."
              action="Sign out"
              dismissal="Stay"
              onConfirm={() => void signOut()}
              onClose={() => setAsking(false)}
            />
          )}
        </>
      )}
    </Menu>
  );
}

/** Epoch milliseconds: the session ends with its token, or at the limit of the settings. */
function endOf({ expiresAt, details }: Session, sessionSeconds: number): number {
  return Math.min(expiresAt, details.since + sessionSeconds * 1_000);
}

function TimeLeft({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return <p class="quiet">Session expires in {spanText(Math.max(0, (until - now) / 1_000))}</p>;
}
