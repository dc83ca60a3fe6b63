// Where the console begins.
import { render } from 'preact';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import './style/query-box.css';
import './style/search.css';
import './style/explain.css';
import { App } from './app.tsx';
import { applyTheme, chosenTheme } from './ui/theme.ts';

applyTheme(chosenTheme());
const place = document.getElementById('console');
if (place === null) throw new Error('The page has no place for the console');
render(<App />, place);
