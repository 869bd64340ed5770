/**
 * The nonce that lets components write the few style rules they make while running. The scroll lock behind modals and
 * menus (react-remove-scroll) looks for it under the name that webpack gives it.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

Object.assign(globalThis, { __webpack_nonce__: styleNonce })
