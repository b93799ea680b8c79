/** The look of everything: colours, type and the defaults of components. */
import {
  ActionIcon,
  alpha,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Menu,
  Modal,
  SegmentedControl,
  Table,
  Tabs,
  Tooltip,
} from '@mantine/core';

const ink: MantineColorsTuple = [
  '#eef2ff',
  '#dbe4ff',
  '#bac8ff',
  '#91a7ff',
  '#748ffc',
  '#5c7cfa',
  '#4263eb',
  '#3b5bdb',
  '#364fc7',
  '#2b3f9e',
];

/** A red on which white can be read. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#d92f3a',
  '#c92a2a',
  '#b32424',
  '#9b1c1c',
];

/** The text of light badges and notes: the library's own is too pale on its ground. */
const onLight = {
  gray: '#343a40',
  red: '#9b1c1c',
  grape: '#7a1f94',
  blue: '#14539a',
  teal: '#055e45',
  green: '#1a662b',
  yellow: '#7d4a00',
  orange: '#8a3a00',
};

/** Greys with a breath of blue, like the surfaces they stand on. */
const dark: MantineColorsTuple = [
  '#d3d7de',
  '#b3b8c1',
  '#8f96a1',
  '#6b727d',
  '#3a3f49',
  '#31353e',
  '#23262d',
  '#1b1e24',
  '#16181d',
  '#101216',
];

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  colors: { ink, red, dark },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '620', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none', fw: 550 } }),
    Button: Button.extend({ defaultProps: { variant: 'default' } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 620, fontSize: '1.05rem' } },
    }),
    Drawer: Drawer.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontWeight: 620, fontSize: '1.05rem' } },
    }),
    // The first item is reached at once; an empty place before it is none for a screen reader.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    // Where there is no room for all tabs they move sideways, in one row.
    Tabs: Tabs.extend({
      styles: {
        list: { flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden', scrollbarWidth: 'none' },
      },
    }),
    // The library's own ground is that of the page, in dark.
    SegmentedControl: SegmentedControl.extend({
      styles: { root: { backgroundColor: 'var(--repertoire-segments)' } },
    }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 400 } }),
  },
});

/** Greys that can be read: the library's own dimmed text is too pale for small type. */
export const cssVariables: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636b',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-body': '#ffffff',
    '--repertoire-side': '#f7f8fa',
    '--repertoire-line': '#e6e8ec',
    '--repertoire-hover': '#f4f5f8',
    '--repertoire-segments': '#f1f3f5',
    '--repertoire-control': '#868e96',
    '--repertoire-warning': '#9a6700',
    '--mantine-color-error': theme.colors.red[8],
    ...Object.fromEntries(
      Object.entries(onLight).flatMap(([name, colour]) => [
        [`--mantine-color-${name}-light`, alpha(theme.colors[name]?.[6] ?? '', 0.12)],
        [`--mantine-color-${name}-light-hover`, alpha(theme.colors[name]?.[6] ?? '', 0.18)],
        [`--mantine-color-${name}-light-color`, colour],
      ]),
    ),
  },
  dark: {
    '--mantine-color-dimmed': '#a3a9b3',
    '--mantine-color-placeholder': '#8f96a1',
    '--mantine-color-body': '#16181d',
    '--repertoire-side': '#1b1e24',
    '--repertoire-line': '#2c3038',
    '--repertoire-hover': '#21242b',
    '--repertoire-segments': '#21242b',
    '--repertoire-control': '#6c737e',
    '--repertoire-warning': theme.colors.yellow[4],
    '--mantine-color-error': theme.colors.red[4],
    ...Object.fromEntries(
      [...Object.keys(onLight), 'ink'].flatMap((name) => [
        [`--mantine-color-${name}-light`, alpha(theme.colors[name]?.[5] ?? '', 0.16)],
        [`--mantine-color-${name}-light-hover`, alpha(theme.colors[name]?.[5] ?? '', 0.22)],
        [`--mantine-color-${name}-light-color`, theme.colors[name]?.[2] ?? ''],
      ]),
    ),
  },
});
