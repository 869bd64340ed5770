/** The looks of both screens: in light and dark mode, in every width, from either side. Tokens and presets change them. */
export const STYLE = `
[data-part~=screen] {
  --_accent: var(--watchword-accent, light-dark(#1d4ed8, #93b4ff));
  --_on-accent: var(--watchword-on-accent, light-dark(#fff, #0b1533));
  --_border: var(--watchword-border, light-dark(#767676, #8f8f8f));
  --_muted: var(--watchword-muted, light-dark(#595959, #b3b3b3));
  --_error: var(--watchword-error, light-dark(#b3261e, #ffb4ab));
  --_success: var(--watchword-success, light-dark(#15803d, #86efac));
  --_field: var(--watchword-field, light-dark(#fff, #1c1d21));
  --_field-text: var(--watchword-field-text, light-dark(#16181d, #eceef2));
  --_gap: var(--watchword-gap, 0.75rem);
  --_radius: var(--watchword-radius, 0.625rem);
  --_size: 2.875rem;
  --_ring: 2px solid color-mix(in srgb, var(--_accent) 60%, transparent);
  --_line: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  font: var(--watchword-font, 1rem/1.5 system-ui, sans-serif);
  color: var(--watchword-text, inherit);
  max-inline-size: 25rem;
}
[data-part~=screen]:lang(ko) { word-break: keep-all; }
[data-part~=screen], [data-part~=screen] :is(*, ::before, ::after) { box-sizing: border-box; }
[data-part~=screen] [hidden], [data-part~=screen][hidden] { display: none !important; }
[data-preset~=round] { --_radius: var(--watchword-radius, 1.4375rem); }
[data-preset~=square] { --_radius: var(--watchword-radius, 0px); }
[data-preset~=compact] { --_gap: var(--watchword-gap, 0.5rem); --_size: 2.375rem; }
[data-theme=light] { color-scheme: light; }
[data-theme=dark] { color-scheme: dark; }
[data-theme=auto] { color-scheme: light dark; }
:is([data-theme], [data-preset~=card]) {
  padding: clamp(1.25rem, 6vw, 2rem);
  border-radius: calc(1.5 * var(--_radius));
  background: var(--watchword-background, light-dark(#fff, #131419));
  color: var(--watchword-text, light-dark(#16181d, #eceef2));
}
[data-preset~=card] { border: var(--_line); box-shadow: 0 1px 2px #0001, 0 12px 32px #0000000f; }
[data-part~=screen] :is(fieldset, [data-part~=layout]) { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--_gap); margin: 0; border: 0; padding: 0; min-inline-size: 0; }
[data-part~=screen] :is(p, h2) { margin: 0; overflow-wrap: anywhere; }
[data-part~=header] { display: grid; gap: 0.25rem; margin-block-end: 0.25rem; }
[data-part~=screen] [data-part~=title] { font: inherit; font-size: 1.375em; font-weight: 650; line-height: 1.25; text-wrap: balance; }
[data-part~=chosen] { color: var(--_muted); }
[data-part~=number] { color: var(--watchword-text, CanvasText); font-weight: 600; white-space: nowrap; unicode-bidi: isolate; }
[data-part~=field] { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.375rem; }
[data-part~=label] { font-size: 0.9375em; font-weight: 600; }
[data-part~=consent] { color: var(--_muted); font-size: 0.8125em; }
[data-part~=screen] :is(input, button) { margin: 0; font: inherit; font-size: max(1rem, 1em); }
[data-part~=box] {
  display: flex;
  min-block-size: var(--_size);
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
  background: var(--_field);
  color: var(--_field-text);
}
[data-part~=box]:has([data-part~=phone]:focus) { border-color: var(--_accent); outline: var(--_ring); }
[data-part~=box]:has([aria-invalid=true]) { border-color: var(--_error); }
[data-part~=screen] [data-part~=phone] { flex: 1; inline-size: 0; min-inline-size: 0; border: 0; padding: 0.5rem 0.75rem 0.5rem 0.5rem; background: none; color: inherit; outline: none; text-align: left; font-variant-numeric: tabular-nums; }
[data-part~=country] { display: flex; align-items: center; gap: 0.375rem; border: 0; border-radius: var(--_radius); padding: 0.25rem 0.25rem 0.25rem 0.75rem; background: none; color: inherit; white-space: nowrap; cursor: pointer; }
[data-part~=country]:enabled::after { content: ''; inline-size: 0.4em; block-size: 0.4em; margin-block-end: 0.2em; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; opacity: 0.7; }
[data-part~=country]:disabled { cursor: default; }
[data-part~=flag] { font-size: 1.2em; line-height: 1; }
[data-part~=code-field] { container-type: inline-size; --_between: 0.5rem; --_cell: calc((100cqi - 5 * var(--_between)) / 6); }
[data-part~=boxes] { display: grid; grid: 3.25rem / repeat(6, 1fr); gap: var(--_between); position: relative; direction: ltr; overflow: clip; overflow-clip-margin: 3px; }
[data-part~=cell] { border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_field); }
/* One field, whose digits stand in the boxes. It is wider than they are, so that it never scrolls. */
[data-part~=screen] [data-part~=code] {
  position: absolute;
  inset: 0 auto 0 0;
  inline-size: calc(100% + 2 * var(--_cell));
  border: 0;
  padding: 0 0 0 calc(var(--_cell) / 2 - 0.5ch);
  background: none;
  color: var(--_field-text);
  outline: none;
  font: 600 1.5rem / 3.25rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  letter-spacing: calc(var(--_cell) + var(--_between) - 1ch);
  text-align: left;
}
[data-part~=code]:-webkit-autofill { -webkit-text-fill-color: var(--_field-text); background-clip: text; -webkit-background-clip: text; }
[data-part~=boxes]:has(:focus) [data-part~=cell][data-here] { border-color: var(--_accent); outline: var(--_ring); }
/* The boxes show the selection. */
[data-part~=code]::selection { background: none; color: inherit; }
[data-part~=boxes]:has([aria-invalid=true]) [data-part~=cell][data-part] { border-color: var(--_error); outline-color: color-mix(in srgb, var(--_error) 40%, transparent); }
[data-part~=messages] { display: grid; min-block-size: 1.5em; font-size: 0.9375em; text-wrap: pretty; }
[data-part~=messages] > * { grid-area: 1 / 1; }
[data-part~=status] { color: var(--_muted); outline: none; }
[data-part~=error] { color: var(--_error); }
[data-part~=actions] { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.25rem 1.25rem; }
[data-part~=button] { min-block-size: 2.25rem; border: 0; border-radius: calc(var(--_radius) / 2); padding: 0.25rem; background: none; color: var(--_accent); cursor: pointer; }
[data-part~=change] { min-block-size: 1.5rem; padding: 0; text-decoration: underline; text-underline-offset: 0.2em; }
[data-look=main] { flex: 1 0 100%; min-block-size: var(--_size); border-radius: var(--_radius); padding: 0.5rem 1rem; background: var(--_accent); color: var(--_on-accent); font-weight: 600; }
[data-look=main]:hover { filter: brightness(1.08); }
[data-part~=button][aria-disabled=true], [data-part~=screen] :disabled [data-part~=button] { opacity: 0.6; cursor: default; }
[data-part~=countdown] { font-variant-numeric: tabular-nums; }
[aria-busy=true] [data-look=main] { opacity: 0.85; }
[aria-busy=true] [data-look=main]::before { content: ''; display: inline-block; inline-size: 1em; block-size: 1em; margin-inline-end: 0.5em; border: 2px solid; border-inline-end-color: transparent; border-radius: 50%; vertical-align: -0.125em; }
/* Most answers come sooner, so the button does not flicker. */
[data-part~=cancel] { animation: watchword-appear 0s 1s backwards; }
[data-part~=screen] :focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
[data-part~=screen] :is([data-part~=phone], [data-part~=code], [data-part~=status]):focus-visible { outline: none; }
[data-part~=tick] { inline-size: 3.5rem; block-size: 3.5rem; margin-inline: auto; color: var(--_success); }
[data-part~=tick] * { fill: none; stroke: currentColor; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
[data-step=verified] [data-part~=status] { color: var(--watchword-text, inherit); font-size: 1.125rem; font-weight: 600; text-align: center; }
[data-part~=screen] :is([data-part~=spoken], [data-quiet]) { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@keyframes watchword-appear { from { visibility: hidden; } }
@keyframes watchword-spin { to { rotate: 1turn; } }
@keyframes watchword-arrive { from { opacity: 0; translate: 0 0.375rem; } }
@keyframes watchword-draw { from { stroke-dashoffset: 1; } }
@media (prefers-reduced-motion: no-preference) {
  [aria-busy=true] [data-look=main]::before { animation: watchword-spin 0.8s linear infinite; }
  [data-part~=screen] :is([data-part~=title], [data-part~=field], [data-part~=tick]) { animation: watchword-arrive 0.25s ease-out; }
  [data-part~=tick] * { stroke-dasharray: 1; animation: watchword-draw 0.5s 0.1s ease-out backwards; }
}
@media (forced-colors: active) {
  [data-look=main] { forced-color-adjust: none; background: ButtonText; color: ButtonFace; }
}
`
