/** Styles of the element: the page's font and colours, in light and dark mode. */
export const STYLE = `
:host {
  --_accent: var(--watchword-accent, light-dark(#1d4ed8, #93b4ff));
  --_on-accent: var(--watchword-on-accent, light-dark(#fff, #0b1533));
  --_border: var(--watchword-border, light-dark(#767676, #8f8f8f));
  --_error: var(--watchword-error, light-dark(#b3261e, #ffb4ab));
  --_gap: var(--watchword-gap, 0.75rem);
  --_radius: var(--watchword-radius, 0.5rem);
  display: block;
  max-inline-size: 28rem;
}
:host([hidden]), [hidden] { display: none !important; }
form, fieldset, .step { display: grid; gap: var(--_gap); }
fieldset { border: 0; margin: 0; min-inline-size: 0; padding: 0; }
p { margin: 0; overflow-wrap: anywhere; }
/* Not hidden: what is said is heard where it was listened to before. */
p[role]:empty { margin-block-end: calc(-1 * var(--_gap)); }
.fields, .actions { display: flex; flex-wrap: wrap; gap: var(--_gap); }
.field { display: grid; flex: 1 1 12rem; gap: 0.25rem; min-inline-size: 0; }
label { font-weight: 600; }
input, select, button {
  box-sizing: border-box;
  min-block-size: 2.75rem;
  inline-size: 100%;
  min-inline-size: 0;
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
  padding: 0.5rem 0.75rem;
  font: inherit;
  font-size: max(1rem, 1em);
}
input, select { background: var(--watchword-field, Field); color: var(--watchword-field-text, FieldText); }
/* Numbers are read from left to right, in every language, and stand where its lines begin. */
:host(:dir(rtl)) input { text-align: right; }
.code { font-variant-numeric: tabular-nums; letter-spacing: 0.3em; }
[aria-invalid=true] { border-color: var(--_error); }
button { inline-size: auto; background: transparent; color: inherit; cursor: pointer; }
.main { flex: 1 1 auto; border-color: var(--_accent); background: var(--_accent); color: var(--_on-accent); font-weight: 600; }
.link { border: 0; padding-inline: 0.25rem; text-decoration: underline; text-underline-offset: 0.2em; }
[aria-disabled=true], :disabled { opacity: 0.6; cursor: default; }
/* Most answers come sooner, so the button does not flicker. */
.cancel { animation: appear 0s 1s backwards; }
@keyframes appear { from { visibility: hidden; } }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.number { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 0.75rem; }
.number bdi { font-weight: 600; }
.error { color: var(--_error); }
.spoken { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) {
  .main { forced-color-adjust: none; border-color: ButtonText; background: ButtonText; color: ButtonFace; }
}
`
