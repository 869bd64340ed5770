/** The theme: one accent colour, dense tables, and a contrast of at least 4.5 : 1 for every text. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "D2Coding", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
  components: {
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 150, events: { hover: true, focus: true, touch: true } } },
    // Its placeholder is a child that menus may not have.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Their header is an element that would be taken for the page's.
    Modal: {
      defaultProps: { centered: true, attributes: { header: { role: 'presentation' } } },
      styles: { title: { fontWeight: 600, lineHeight: 1.35 } },
    },
    Drawer: {
      defaultProps: { attributes: { header: { role: 'presentation' } } },
      styles: { title: { fontWeight: 600, lineHeight: 1.35 } },
    },
    Notification: { styles: { description: { color: 'var(--mantine-color-dimmed)' } } },
    // Not in capitals: they say nothing in Korean, and shout in English.
    Badge: { defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } },
  },
})

/** Mantine's defaults have too little contrast in these places. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const hues = Object.entries(colors).filter(([name]) => name !== 'dark')
  /** One CSS variable for each hue, from one of its shades. */
  const each = (suffix: string, shade: number, blackPercent = 0) =>
    Object.fromEntries(
      hues.map(([name, shades]) => [`--mantine-color-${name}-${suffix}`, mixed(shades[shade] ?? '', blackPercent)]),
    )
  /** The accent is dark enough for white text as it is, and so are the greys. */
  const hued = (suffix: string, blackPercent: number) =>
    Object.fromEntries(
      hues
        .filter(([name]) => name !== 'indigo' && name !== 'gray')
        .map(([name, shades]) => [
          `--mantine-color-${name}-${suffix}`,
          mixed(shades[9] ?? '', blackPercent + (BRIGHT.includes(name) ? 30 : 0)),
        ]),
    )
  // Backgrounds of white text.
  const filled = { ...hued('filled', 0), ...hued('filled-hover', 12) }
  return {
    variables: {},
    light: {
      // Cards, header and dialogs lie on the page.
      '--page-background': '#f5f6f8',
      '--mantine-color-body': '#fff',
      '--mantine-color-dimmed': colors.gray[7],
      '--mantine-color-placeholder': colors.gray[7],
      '--mantine-color-error': colors.red[9],
      '--mantine-color-anchor': colors.indigo[8],
      ...filled,
      ...each('light-color', 9, 30),
      ...each('outline', 9, 30),
      ...each('text', 9, 30),
    },
    dark: {
      '--page-background': '#151619',
      '--mantine-color-body': '#1b1c1f',
      '--mantine-color-text': '#e4e5e7',
      '--mantine-color-dimmed': colors.dark[1],
      '--mantine-color-placeholder': colors.dark[1],
      '--mantine-color-error': colors.red[4],
      '--mantine-color-anchor': colors.indigo[3],
      ...filled,
      ...each('light-color', 2),
      ...each('outline', 3),
      ...each('text', 3),
    },
  }
}

const BRIGHT: readonly string[] = ['green', 'lime', 'yellow', 'orange']

/** Even the darkest shades of the bright hues are too bright for text on white. */
const mixed = (color: string, blackPercent: number) =>
  blackPercent === 0 ? color : `color-mix(in srgb, ${color}, black ${blackPercent}%)`

/**
 * The nonce that lets components write the few style rules they make while running. The scroll lock behind modals and
 * menus (react-remove-scroll) looks for it under the name that webpack gives it.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

Object.assign(globalThis, { __webpack_nonce__: styleNonce })
