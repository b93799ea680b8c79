/** The look of everything: colours, type and the defaults of components. */
import {
  ActionIcon,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  Modal,
  Table,
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

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  colors: { ink },
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
    // The first item is reached at once; an empty place before it is none for a screen reader.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({ defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } }),
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
    '--repertoire-control': '#868e96',
    '--mantine-color-error': theme.colors.red[8],
    // The library's own are too pale on their light grounds.
    '--mantine-color-green-light-color': '#1f6b2e',
    '--mantine-color-teal-light-color': '#066146',
    '--mantine-color-yellow-light-color': '#7d4e00',
    '--mantine-color-orange-light-color': '#973907',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a9b3',
    '--mantine-color-placeholder': '#8f96a1',
    '--mantine-color-body': '#16181d',
    '--repertoire-side': '#1b1e24',
    '--repertoire-line': '#2c3038',
    '--repertoire-hover': '#21242b',
    '--repertoire-control': '#6c737e',
    '--mantine-color-error': theme.colors.red[4],
    '--mantine-color-gray-light': '#2a2e36',
    '--mantine-color-gray-light-hover': '#333843',
  },
});
