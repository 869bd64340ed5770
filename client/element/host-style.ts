/** Styles of the element itself; what is in it has those of both screens. */
export const HOST_STYLE = `
:host { display: block; max-inline-size: 25rem; }
:host([hidden]) { display: none; }
`
