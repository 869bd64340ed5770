/** How the console looks: calm, one accent, dense enough for tables; every text colour reads at 4.5 : 1 or more. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

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
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 150, events: { hover: true, focus: true, touch: true } } },
    // Its placeholder is a child that menus may not have.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true } },
  },
})

/** Mantine's own choices fall short of the contrast that is asked for in these places. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const each = (name: (color: string) => string, shade: number) =>
    Object.fromEntries(
      Object.entries(colors)
        .filter(([color]) => color !== 'dark')
        .map(([color, tuple]) => [name(color), (tuple as MantineColorsTuple)[shade] ?? '']),
    )
  const lightText = (color: string) => `--mantine-color-${color}-light-color`
  const outline = (color: string) => `--mantine-color-${color}-outline`
  const plain = (color: string) => `--mantine-color-${color}-text`
  return {
    variables: { '--mantine-color-red-filled': colors.red[9], '--mantine-color-red-filled-hover': '#b02525' },
    light: {
      '--mantine-color-body': '#fbfbfc',
      '--mantine-color-dimmed': colors.gray[7],
      '--mantine-color-placeholder': colors.gray[7],
      '--mantine-color-error': colors.red[9],
      '--mantine-color-anchor': colors.indigo[8],
      '--mantine-color-green-light-color': '#1f6b2e',
      ...darker(each(lightText, 9)),
      ...darker(each(outline, 9)),
      ...darker(each(plain, 9)),
    },
    dark: {
      '--mantine-color-body': '#1a1b1e',
      '--mantine-color-dimmed': colors.dark[1],
      '--mantine-color-placeholder': colors.dark[1],
      '--mantine-color-error': colors.red[4],
      '--mantine-color-anchor': colors.indigo[3],
      ...each(lightText, 2),
      ...each(outline, 3),
      ...each(plain, 3),
    },
  }
}

/** The darkest shades of the bright colours are still too bright for text on white. */
const darker = (variables: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, color]) => [name, `color-mix(in srgb, ${color}, black 30%)`]),
  )
