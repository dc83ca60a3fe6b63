// The icons, drawn as strokes in the colour of the surrounding text. They are hidden from screen
// readers, so each one has a label next to it or is in a button with a name.
const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4.5 4.5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6.5 9c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.4c2.1.8 3.5 2.8 3.5 5.6',
  key: 'M8 13.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm3-.5 8.5-8.5M16 8l3 3m-.5-5.5 2 2',
  cards: 'M4 5h16v14H4zM8 10h3m-3 4h8m-2-4h2',
  chart: 'M4 20h16M6.5 16v-5M12 16V5m5.5 11V9',
  gauge: 'M4 18a8.5 8.5 0 1 1 16 0M12 14l3.5-4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm0-5v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4m0-12.8L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.5A8.2 8.2 0 0 1 9.5 4a8.2 8.2 0 1 0 10.5 10.5z',
  auto: 'M12 3.5a8.5 8.5 0 1 0 0 17zm0 0a8.5 8.5 0 0 1 0 17m2-14h4.5m-4.5 4H20m-6 4h5.5',
  leave: 'M14 4h5v16h-5M4 12h10m-3.5-3.5L14 12l-3.5 3.5',
  close: 'M6 6l12 12M18 6 6 18',
  columns: 'M4 5h16v14H4zm5.3 0v14m5.4-14v14',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14',
  upload: 'M12 15V4M7.5 8.5 12 4l4.5 4.5M5 19.5h14',
  code: 'M8.5 7 4 12l4.5 5m7-10L20 12l-4.5 5',
  explain:
    'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zm-2.4 6a2.4 2.4 0 1 1 3.3 2.4c-.6.3-.9.8-.9 1.6m0 2.6v.4',
  up: 'M12 19V5.5M6.5 11 12 5.5 17.5 11',
  down: 'M12 5v13.5M6.5 13l5.5 5.5 5.5-5.5',
  chevron: 'M9 6l6 6-6 6',
  check: 'M5 12.5 10 17.5 19.5 7',
  alert: 'M12 4 2.8 20h18.4zm0 6v5m0 2.4v.4',
  filter: 'M4 6h16M7 12h10m-7 6h4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  back: 'M19 12H5.5M11 6.5 5.5 12l5.5 5.5',
  plus: 'M12 5v14M5 12h14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  mirror: 'M12 3.5v17M8.8 7 4 17.5h4.8zm6.4 0 4.8 10.5h-4.8z',
  bulb: 'M9.5 20.5h5M9.8 17.3h4.4M12 3.5a6 6 0 0 0-3.6 10.8c.8.6 1.2 1.4 1.4 3h4.4c.2-1.6.6-2.4 1.4-3A6 6 0 0 0 12 3.5z',
  audit: 'M9 4h6v3H9zM9 5.5H5.5v15h13v-15H15M8.8 11.5h6.4m-6.4 4h4',
  plug: 'M9 3.5v4m6-4v4M6.5 7.5h11v4a5.5 5.5 0 0 1-11 0zM12 17v3.5',
  database:
    'M5 6.3c0-1.5 3.1-2.8 7-2.8s7 1.3 7 2.8-3.1 2.8-7 2.8-7-1.3-7-2.8zv11.4c0 1.5 3.1 2.8 7 2.8s7-1.3 7-2.8V6.3M5 12c0 1.5 3.1 2.8 7 2.8s7-1.3 7-2.8',
  flask: 'M9.5 3.5h5m-4 0v6L5 19.2c-.4.7.1 1.3.8 1.3h12.4c.7 0 1.2-.6.8-1.3L13.5 9.5v-6M8 15h8',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zm0 4v4.8l3.2 2',
  exclude: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM8 12h8',
  pause: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM10 9v6m4-6v6',
  done: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zm-3.7 8.8 2.5 2.5 5-5.3',
  failed: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.2 9.2l5.6 5.6m0-5.6-5.6 5.6',
  keyboard: 'M3 6.5h18v11H3zM7 10h.01M10.5 10h.01M14 10h.01M17.2 10h.01M7.5 14h9',
  missing:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-6.5 9c0-3.6 2.9-6 6.5-6 1.3 0 2.5.3 3.5.9M15.8 15a2.2 2.2 0 1 1 3 2c-.6.3-.9.7-.9 1.3m0 2.3v.2',
  view: 'M2.8 12S6 5.8 12 5.8 21.2 12 21.2 12 18 18.2 12 18.2 2.8 12 2.8 12zM12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z',
  trash: 'M5 7h14M10 7V4.5h4V7m-7.5 0 .8 12.5h9.4L17.5 7M10.5 11v5m3-5v5',
  expand: 'M6 9l6 6 6-6',
  more: 'M5 12a.9.9 0 1 0 1.8 0A.9.9 0 1 0 5 12zm6.1 0a.9.9 0 1 0 1.8 0 .9.9 0 1 0-1.8 0zm6.1 0a.9.9 0 1 0 1.8 0 .9.9 0 1 0-1.8 0z',
  pencil: 'M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5zM13.5 7l3.5 3.5',
  grip: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  leftwards: 'M14.5 6l-6 6 6 6',
  rightwards: 'M9.5 6l6 6-6 6',
  minus: 'M5 12h14',
  source:
    'M5 6c0-1.4 3.1-2.5 7-2.5s7 1.1 7 2.5-3.1 2.5-7 2.5S5 7.4 5 6zm0 0v12c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5V6M5 12c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5',
  layers: 'M12 4 3.5 8.5 12 13l8.5-4.5zM4 13l8 4.2 8-4.2M4 16.8l8 4.2 8-4.2',
  swap: 'M7.5 4 3.5 8l4 4M3.5 8h14m-1 4 4 4-4 4m4-4h-14',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  save: 'M7 4h10v16l-5-4-5 4zm5 3v6m-3-3h6',
  play: 'M8 5l11 7-11 7z',
  shield: 'M12 3.5 5 6v6c0 4.4 3 7.4 7 8.5 4-1.1 7-4.1 7-8.5V6z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
