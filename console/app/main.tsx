// Entry point of the console.
import { render } from 'preact';
import '@fontsource-variable/geist/wght.css';
import '../style/base.css';
import '../style/components.css';
import '../style/status.css';
import '../style/shell.css';
import '../style/query-box.css';
import '../style/search.css';
import '../style/rows.css';
import '../style/explain.css';
import { followSession } from '../api/session.ts';
import { loadSettings } from '../api/settings.ts';
import { followSight } from '../api/views/sight.ts';
import { applyTheme, chosenTheme } from '../ui/theme.ts';
import { App } from './app.tsx';

applyTheme(chosenTheme());
followSession();
void loadSettings();
followSight();
const root = document.getElementById('console');
if (root === null) throw new Error('The page has no element with the id console');
render(<App />, root);
