/** The looks of the list of countries, which are loaded with it. */
export const PICKER_STYLE = `
[data-part~=picker] { position: fixed; inset: auto; max-inline-size: none; margin: 0; border: var(--_line); border-radius: var(--_radius); padding: 0; background: var(--_field); color: var(--_field-text); box-shadow: 0 12px 40px #0004; overflow: hidden; }
[data-part~=picker][open] { display: flex; flex-direction: column; }
[data-part~=picker]::backdrop { background: none; }
[data-part~=picker] [data-part~=search] { inline-size: auto; margin: 0.5rem; border: 1px solid var(--_border); border-radius: calc(var(--_radius) / 1.5); padding: 0.5rem 0.75rem; background: none; color: inherit; }
[data-part~=picker] [data-part~=search]:focus-visible { border-color: var(--_accent); outline-offset: -1px; }
[data-part~=countries] { flex: 1; margin: 0; padding: 0 0.5rem 0.5rem; list-style: none; overflow-y: auto; overscroll-behavior: contain; }
[data-part~=option] { display: flex; align-items: center; gap: 0.625rem; border-radius: calc(var(--_radius) / 1.5); padding: 0.4375rem 0.625rem; cursor: pointer; }
[data-part~=option] > :nth-child(2) { flex: 1; }
[data-part~=option-code] { color: var(--_muted); font-variant-numeric: tabular-nums; }
:is([data-part~=option]:hover, [data-part~=option][aria-selected=true]) { background: color-mix(in srgb, var(--_accent) 14%, transparent); }
[data-part~=none]:not(:empty) { padding: 0.75rem 1rem 1.25rem; }
@media (forced-colors: active) {
  [data-part~=option][aria-selected=true] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
}
`
