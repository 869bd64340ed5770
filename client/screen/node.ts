/** Elements with attributes and children. A part has its names for CSS of the page, and of ours. */
type Attributes = Readonly<Record<string, string>>

export function node<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Array<Node | string>
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  if (attributes.part !== undefined) made.setAttribute('data-part', attributes.part)
  made.append(...children)
  return made
}
